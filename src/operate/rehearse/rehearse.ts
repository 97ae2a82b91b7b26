import { apply } from '../../engine/apply.js';
import { observe } from '../../engine/observe.js';
import { type PlanOptions, planOf } from '../../engine/plan.js';
import { type ReadSession, readSessionOf } from '../../engine/session.js';
import { type Diagnostic, Problem } from '../../model/diagnostic.js';
import type { Plan } from '../../model/plan.js';
import type { Rehearsal, RehearsalName, RehearsedVariant } from '../../model/rehearsal.js';
import type { Fault } from '../../sandbox/index.js';
import { type Copy, copyOf, Life, type Rehearsed } from './copy.js';

/** A run that fails, or is killed, is started again: so many times more often than there are calls. */
const MORE_RUNS = 5;
/**
 * Each start plans the whole project. Where it would have to plan more resources in all, a plan is killed after several
 * calls at a time.
 */
const MOST_PLANNED = 3_000;
const FEWEST_KILLS = 10;
/** Every tenth request is answered with 429. */
const REFUSED = 10;

/**
 * Applies a plan to a copy of the service: undisturbed, with the answer to each create lost, with rate limits, and killed
 * after each call. Each time a new plan must be empty. Null for a plan without calls.
 */
export async function rehearse(
  rehearsed: Rehearsed,
  plan: Plan,
  options: PlanOptions,
): Promise<Rehearsal | null> {
  if (plan.steps.length === 0) return null;
  const run = (name: RehearsalName, disturbance: Disturbance) =>
    variant(name, rehearsed, options, disturbance);
  const { calls, result } = await run('undisturbed', { faults: [], runs: 1 });
  if (!result.converged) return { calls, kills: 0, variants: [result] };
  if (calls === 0) return null;
  const runs = MORE_RUNS;
  const livesFor = Math.ceil(calls / mostKills(rehearsed));
  const most = Math.ceil(calls / livesFor);
  const disturbed = [
    await run('lost-answers', { faults: lostAnswers(plan), runs }),
    await run('rate-limits', { faults: rateLimits(calls), runs }),
    await run('kills', { faults: [], runs: most + runs, kills: { most, livesFor } }),
  ];
  const kills = disturbed.reduce((sum, each) => sum + each.kills, 0);
  return { calls, kills, variants: [result, ...disturbed.map((each) => each.result)] };
}

function mostKills({ comparison: { matches } }: Rehearsed): number {
  return Math.max(FEWEST_KILLS, Math.floor(MOST_PLANNED / matches.length));
}

interface Disturbance {
  readonly faults: readonly Fault[];
  /** How often it is started at most. */
  readonly runs: number;
  /** At most `most` applies are killed, each after `livesFor` writes. Default: none. */
  readonly kills?: { readonly most: number; readonly livesFor: number };
}

async function variant(
  name: RehearsalName,
  rehearsed: Rehearsed,
  options: PlanOptions,
  { faults, runs, kills: { most, livesFor } = noKills }: Disturbance,
): Promise<{ readonly calls: number; readonly kills: number; readonly result: RehearsedVariant }> {
  const copy = await copyOf(rehearsed, faults);
  try {
    let left: readonly string[] = [];
    let kills = 0;
    for (let run = 0; run < runs; run++) {
      const life = new Life(kills < most ? livesFor : undefined);
      left = await Promise.race([life.killed.then(() => KILLED), applied(copy, options, life)]);
      if (left === KILLED) kills += 1;
      if (left.length === 0) break;
    }
    return { calls: copy.writes(), kills, result: { name, converged: left.length === 0, left } };
  } finally {
    await copy.close();
  }
}

const noKills = { most: 0, livesFor: 0 };
const KILLED: readonly string[] = ['it was killed again and again'];

/** What a new plan would still change after an apply, and why the apply failed. */
async function applied(copy: Copy, options: PlanOptions, life: Life): Promise<readonly string[]> {
  const failed: string[] = [];
  try {
    const { report } = await apply(copy.session(life), { ...options, previews: false, verify: false });
    for (const { address, error } of report.outcomes) if (error !== null) failed.push(`${address}: ${error}`);
  } catch (failure) {
    failed.push(...messagesOf(failure));
  }
  const left = await leftOn(readSessionOf(copy.session(new Life())), options);
  return left.length === 0 ? [] : [...failed, ...left];
}

async function leftOn(session: ReadSession, options: PlanOptions): Promise<readonly string[]> {
  try {
    const { changes, steps } = planOf(session, await observe(session, options));
    const calls = new Map(steps.map(({ id, request }) => [id, `${request.method} ${request.path}`]));
    return changes
      .filter(({ action }) => action !== 'none')
      .map(({ address, action, fields, steps: own }) => {
        const where = fields.length === 0 ? '' : ` (${fields.map(({ path }) => path).join(', ')})`;
        const how = own.length === 0 ? '' : `, with ${own.map((each) => calls.get(each)).join(', ')}`;
        return `${address}: a new plan would still ${action} it${where}${how}`;
      });
  } catch (failure) {
    return messagesOf(failure);
  }
}

/** Throws what is a bug. */
function messagesOf(failure: unknown): string[] {
  if (!(failure instanceof Problem)) throw failure;
  return failure.diagnostics.map(({ message }) => message);
}

/** The answer to each create is lost once. */
function lostAnswers({ steps }: Plan): Fault[] {
  const creates = steps.map(({ request }) => request).filter(({ effect }) => effect === 'create');
  const paths = new Set(creates.map(({ path }) => path));
  return [...paths].map((path) => ({
    act: 'lose',
    method: 'POST',
    path,
    nth: numbers(creates.filter((each) => each.path === path).length),
  }));
}

/** The copy may be asked for several pages of each list, for each object, and again after each run. */
const REQUESTS_A_CALL = 20;

function rateLimits(calls: number): Fault[] {
  const nth = numbers(calls * REQUESTS_A_CALL).map((each) => each * REFUSED);
  return [{ act: 'status', status: 429, headers: { 'Retry-After': '1' }, nth }];
}

/** 1, 2, … */
function numbers(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index + 1);
}

/** What a user is told of a rehearsal that failed. */
export function rehearsalFailures({ variants }: Rehearsal): readonly Diagnostic[] {
  return variants
    .filter(({ converged }) => !converged)
    .map(({ name, left }) => {
      const shown = left.slice(0, MOST_LEFT).join('; ');
      const more = left.length > MOST_LEFT ? `; and ${left.length - MOST_LEFT} more` : '';
      return {
        severity: 'error',
        code: 'rehearsal-failed',
        message: `on a copy of the service, the plan does not lead to what is declared (${conditions[name]}): ${shown}${more}`,
        help: 'Nothing was sent to the service. Correct the entries that are named, or report a bug if the service accepts them.',
      };
    });
}

const MOST_LEFT = 5;
const conditions: Readonly<Record<RehearsalName, string>> = {
  undisturbed: 'undisturbed',
  'lost-answers': 'with lost answers',
  'rate-limits': 'with rate limits',
  kills: 'killed again and again',
};
