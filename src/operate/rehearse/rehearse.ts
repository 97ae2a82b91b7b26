import { apply } from '../../engine/apply.js';
import { observe } from '../../engine/observe.js';
import { type PlanOptions, planOf } from '../../engine/plan.js';
import type { Session } from '../../engine/session.js';
import { type Diagnostic, Problem } from '../../model/diagnostic.js';
import type { Plan } from '../../model/plan.js';
import type { Rehearsal, RehearsalName, RehearsedVariant } from '../../model/rehearsal.js';
import type { Fault } from '../../sandbox/index.js';
import { type Copy, copyOf, type Life, type Rehearsed } from './copy.js';

/** A run that fails, or is killed, is started again: so many times more often than there are calls. */
const MORE_RUNS = 5;
/** Each start plans the whole project: a plan with more calls is killed after several of them at a time. */
const MOST_KILLS = 10;
/** Every tenth request is answered with 429. */
const REFUSED = 10;

/**
 * Applies a plan to a copy of the service: undisturbed, with the answer to each create lost, with rate limits, and killed
 * again and again. Each time a new plan must be empty. Null for a plan without calls.
 */
export async function rehearse(
  rehearsed: Rehearsed,
  plan: Plan,
  options: PlanOptions,
): Promise<Rehearsal | null> {
  const run = (name: RehearsalName, disturbance: Disturbance) =>
    variant(name, rehearsed, options, disturbance);
  const { calls, result } = await run('undisturbed', { faults: [], runs: 1 });
  if (calls === 0) return null;
  if (!result.converged) return { calls, variants: [result] };
  const runs = MORE_RUNS;
  const livesFor = Math.ceil(calls / MOST_KILLS);
  const disturbed = [
    await run('lost-answers', { faults: lostAnswers(plan), runs }),
    await run('rate-limits', { faults: rateLimits(calls), runs }),
    await run('kills', { faults: [], runs: Math.ceil(calls / livesFor) + runs, livesFor }),
  ];
  return { calls, variants: [result, ...disturbed.map((each) => each.result)] };
}

interface Disturbance {
  readonly faults: readonly Fault[];
  /** How often it is started at most. */
  readonly runs: number;
  /** Each run is killed after so many writes. Missing where none is. */
  readonly livesFor?: number;
}

async function variant(
  name: RehearsalName,
  rehearsed: Rehearsed,
  options: PlanOptions,
  { faults, runs, livesFor = Number.POSITIVE_INFINITY }: Disturbance,
): Promise<{ readonly calls: number; readonly result: RehearsedVariant }> {
  const copy = await copyOf(rehearsed, faults);
  try {
    let left: readonly string[] = [];
    for (let run = 0; run < runs; run++) {
      left = await runOn(copy, options, livesFor);
      if (left.length === 0) break;
    }
    return { calls: copy.writes(), result: { name, converged: left.length === 0, left } };
  } finally {
    await copy.close();
  }
}

const KILLED = ['it was killed again and again'];

/** What is left after one run. */
async function runOn(copy: Copy, options: PlanOptions, livesFor: number): Promise<readonly string[]> {
  let writes = 0;
  let kill = () => {};
  const killed = new Promise<readonly string[]>((resolve) => {
    kill = () => resolve(KILLED);
  });
  const isOver = () => writes > livesFor;
  const mayWrite = () => {
    writes += 1;
    if (isOver()) kill();
    return !isOver();
  };
  return Promise.race([killed, applied(copy, options, { mayWrite, isOver })]);
}

/** A run that only reads. */
const reading: Life = { mayWrite: () => false, isOver: () => false };

/** What a new plan would still change after an apply, and why the apply failed. */
async function applied(copy: Copy, options: PlanOptions, life: Life): Promise<readonly string[]> {
  const failed: string[] = [];
  try {
    const { report } = await apply(copy.session(life), { ...options, previews: false, verify: false });
    for (const { address, error } of report.outcomes) if (error !== null) failed.push(`${address}: ${error}`);
  } catch (failure) {
    failed.push(...messagesOf(failure));
  }
  const left = await leftOn(copy.session(reading), options);
  return left.length === 0 ? [] : [...failed, ...left];
}

async function leftOn(session: Session, options: PlanOptions): Promise<readonly string[]> {
  try {
    const { changes } = planOf(session, await observe(session, options));
    return changes
      .filter(({ action }) => action !== 'none')
      .map(({ address, action, fields }) => {
        const where = fields.length === 0 ? '' : ` (${fields.map(({ path }) => path).join(', ')})`;
        return `${address}: a new plan would still ${action} it${where}`;
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
