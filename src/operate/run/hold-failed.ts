import { hold } from '../../engine/hold.js';
import { observe } from '../../engine/observe.js';
import type { Session } from '../../engine/session.js';
import { type Diagnostic, Problem } from '../../model/diagnostic.js';
import type { Holds } from '../../model/hold.js';
import { LockProblem } from '../../model/inventory.js';
import { groupBy } from '../../model/json.js';
import type { ChangeOutcome } from '../../model/report.js';
import { type Address, objectKey } from '../../model/resource.js';
import { type Run, runKindNames } from '../../model/run.js';
import { noSiblings } from '../../model/sibling.js';
import { some } from '../../model/words.js';
import { heldDiagnostics } from '../../reconcile/rules/holds.js';
import { ServiceFailure } from '../../service/failure.js';
import { type DeclaredResource, declaredResources } from '../status/resources.js';
import { kindsWithRuns } from './targets.js';
import { isUnmet, type RunsResult } from './verdict.js';

type Env = Readonly<Record<string, string | undefined>>;

/** Why each schedule is held. */
type Reasons = ReadonlyMap<Address, string>;

/** Runs that a reason names. */
const MOST_NAMED = 3;

/**
 * Holds the schedules that start what failed, or delivered what is not expected, so that nothing starts it again before
 * somebody has looked. A schedule that is on hold already keeps the hold that it has. Returns what is on hold now, and why
 * something is not.
 */
export async function holdFailed(
  session: Session,
  { environment, runs, checked }: RunsResult,
  env: Env,
): Promise<readonly Diagnostic[]> {
  const unmetAt = new Set(checked.filter(isUnmet).map(({ address }) => address));
  const failed = runs.filter(hasFailed);
  const unmet = runs.filter((each) => !hasFailed(each) && unmetAt.has(each.address ?? ''));
  if (failed.length + unmet.length === 0 || session.interrupted()) return [];
  try {
    const observation = await observe(session, { kinds: kindsWithRuns, siblings: noSiblings });
    const declared = declaredResources(session.project, observation, session.serviceNow());
    const reasons = reasonsFor(declared, { failed, unmet });
    const former = holdsOf(declared.filter(({ address }) => reasons.has(address)));
    const free = new Map([...reasons].filter(([address]) => former[address] === undefined));
    const made = free.size === 0 ? [] : await holdEach(session, free, env);
    const diagnostics = new Map(made.flatMap((each) => each.diagnostics).map((each) => [each.message, each]));
    const held: Holds = Object.assign({}, ...made.map((each) => each.held));
    // Somebody must end them: without `-v`, notes are not shown.
    const news = heldDiagnostics(held, environment).map(
      (each) => ({ ...each, severity: 'warning' }) as const,
    );
    return [...diagnostics.values(), ...news, ...heldDiagnostics(former, environment)];
  } catch (failure) {
    if (failure instanceof Problem) return failure.diagnostics;
    throw failure;
  }
}

/**
 * Whether the run failed or was refused by the service, even if other members are still running. A start that was never sent
 * shows nothing about what it starts.
 */
function hasFailed({ state, isSent, members }: Run): boolean {
  if (state === 'notStarted') return isSent !== false;
  return isBad(state) || (state === 'running' && members.some((each) => isBad(each.state)));
}

function isBad(state: Run['state']): boolean {
  return state === 'failed' || state === 'stopped';
}

interface BadRuns {
  readonly failed: readonly Run[];
  readonly unmet: readonly Run[];
}

/** For each schedule, its own bad runs, and if it has none, those of what it starts on the service. */
function reasonsFor(declared: readonly DeclaredResource[], { failed, unmet }: BadRuns): Reasons {
  const startedBy = new Map(declared.map((each) => [each.address, startedObject(each)]));
  const texts = [
    { what: 'failed', runs: failed },
    { what: 'did not deliver what is expected', runs: unmet },
  ].map(({ what, runs }) => ({
    own: textsOf(what, runs, ({ address }) => address),
    started: textsOf(what, runs, ({ address }) => startedBy.get(address ?? '') ?? address),
  }));
  const reasons = new Map<Address, string>();
  for (const each of declared) {
    if (each.kind.pausing === undefined) continue;
    const object = startedObject(each);
    const all = texts.flatMap(({ own, started }) => own.get(each.address) ?? started.get(object) ?? []);
    if (all.length > 0) reasons.set(each.address, all.join('; '));
  }
  return reasons;
}

/** The object that a start of it starts, in whatever words its entry names it; itself where that is not known. */
function startedObject({ address, target, observed }: DeclaredResource): string {
  if (target !== null) return objectKey(target.kind, String(target.id));
  return observed === null ? address : objectKey(observed.kind, observed.id);
}

/** A text for each group of runs. */
function textsOf<K>(what: string, runs: readonly Run[], keyOf: (run: Run) => K): ReadonlyMap<K, string> {
  const groups = [...groupBy(runs, keyOf)];
  return new Map(
    groups.map(([key, of]) => [key, `${what} after an apply: ${some(of.map(nameOf), MOST_NAMED)}`]),
  );
}

function nameOf({ address, id, idKind }: Run): string {
  return id === null ? String(address) : `${address} (${runKindNames[idKind]} ${id})`;
}

function holdsOf(declared: readonly DeclaredResource[]): Holds {
  return Object.fromEntries(
    declared.flatMap(({ address, hold }) => (hold === null ? [] : [[address, hold]])),
  );
}

interface HoldOutcome {
  readonly held: Holds;
  readonly diagnostics: readonly Diagnostic[];
}

/** All at once; one by one where one of them cannot be held, which must not keep the others from it. */
async function holdEach(session: Session, reasons: Reasons, env: Env): Promise<readonly HoldOutcome[]> {
  try {
    return [await holdAll(session, reasons, env)];
  } catch (failure) {
    if (!(failure instanceof Problem)) throw failure;
    // These say nothing of one of them.
    const isOfAll = failure instanceof LockProblem || failure instanceof ServiceFailure;
    if (isOfAll || reasons.size === 1 || session.interrupted())
      return [{ held: {}, diagnostics: failure.diagnostics }];
  }
  const each: HoldOutcome[] = [];
  for (const one of reasons) each.push(...(await holdEach(session, new Map([one]), env)));
  return each;
}

async function holdAll(session: Session, reasons: Reasons, env: Env): Promise<HoldOutcome> {
  const asked = { reason: reasons, until: null };
  const report = await hold(session, { addresses: [...reasons.keys()], hold: asked, env });
  const { plan, resources } = report.made;
  const failed = report.outcomes.filter(({ outcome }) => outcome !== 'done');
  const isFailed = new Set(failed.map(({ address }) => address));
  const done = resources.filter(({ address, effect }) => effect !== 'none' && !isFailed.has(address));
  const held = done.flatMap(({ address }) => {
    const made = plan.held?.[address];
    return made === undefined ? [] : [[address, made] as const];
  });
  return {
    held: Object.fromEntries(held),
    diagnostics: [...report.diagnostics, ...failed.map(notHeld)],
  };
}

function notHeld({ address, error }: ChangeOutcome): Diagnostic {
  const message = `${address} could not be put on hold${error === null ? '' : `: ${error}`}`;
  const help = `It starts again as planned. Run \`roster hold ${address} --reason TEXT\`.`;
  return { severity: 'error', code: 'not-converged', message, help };
}
