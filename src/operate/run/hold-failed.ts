import { hold } from '../../engine/hold.js';
import { loadInventory } from '../../engine/lookup.js';
import type { Session } from '../../engine/session.js';
import { kinds } from '../../kinds/index.js';
import { type Diagnostic, Problem } from '../../model/diagnostic.js';
import { type Holds, hasEnded } from '../../model/hold.js';
import { LockProblem } from '../../model/inventory.js';
import type { ChangeOutcome } from '../../model/report.js';
import type { Address, Project } from '../../model/resource.js';
import { type Run, runKindNames } from '../../model/run.js';
import { some } from '../../model/words.js';
import { heldDiagnostics } from '../../reconcile/rules/holds.js';
import { ServiceFailure } from '../../service/failure.js';
import { isUnmet, type RunsResult } from './verdict.js';

type Env = Readonly<Record<string, string | undefined>>;

/** Runs that a reason names. */
const MOST_NAMED = 3;

/**
 * Holds the schedules that start what failed, or delivered what is not expected, so that nothing starts it again before
 * somebody has looked. A schedule that is on hold already keeps the hold that it has. Returns what is on hold now, and why
 * something is not.
 */
export async function holdFailed(
  session: Session,
  { runs, checked }: RunsResult,
  env: Env,
): Promise<readonly Diagnostic[]> {
  const unmetAt = new Set(checked.filter(isUnmet).map(({ address }) => address));
  const failed = runs.filter(hasFailed);
  const unmet = runs.filter((each) => !hasFailed(each) && unmetAt.has(each.address ?? ''));
  const meant = new Set([...failed, ...unmet].flatMap(({ address }) => address ?? []));
  const addresses = starting(meant, session.project);
  if (addresses.length === 0 || session.interrupted()) return [];
  const reasons = [...reasonOf('failed', failed), ...reasonOf('did not deliver what is expected', unmet)];
  try {
    const former = await holdsOf(session, addresses);
    const free = addresses.filter((each) => former[each] === undefined);
    const made = free.length === 0 ? [] : await holdEach(session, free, reasons.join('; '), env);
    const diagnostics = new Map(made.flatMap((each) => each.diagnostics).map((each) => [each.message, each]));
    const held: Holds = Object.assign({}, ...made.map((each) => each.held));
    // Somebody must end them: without `-v`, notes are not shown.
    const news = heldDiagnostics(held).map((each) => ({ ...each, severity: 'warning' }) as const);
    return [...diagnostics.values(), ...news, ...heldDiagnostics(former)];
  } catch (failure) {
    if (failure instanceof Problem) return failure.diagnostics;
    throw failure;
  }
}

/** What ran, or was refused by the service. A start that was never sent says nothing of what it starts. */
function hasFailed({ state, isSent }: Run): boolean {
  if (state === 'notStarted') return isSent !== false;
  return state === 'failed' || state === 'stopped';
}

/** The schedules among these, and those that target one of them or what one of them targets. */
function starting(failed: ReadonlySet<Address>, { entries }: Project): readonly Address[] {
  const schedules = entries.flatMap(({ address, kind: name, declared }) => {
    const kind = kinds.find((each) => each.name === name);
    return kind?.pausing === undefined ? [] : [{ address, targets: kind.links?.(declared).to ?? [] }];
  });
  const own = schedules.filter(({ address }) => failed.has(address));
  const all = new Set([...failed, ...own.flatMap(({ targets }) => targets)]);
  const found = schedules.filter(({ address, targets }) =>
    [address, ...targets].some((each) => all.has(each)),
  );
  return found.map(({ address }) => address);
}

function reasonOf(what: string, runs: readonly Run[]): readonly string[] {
  return runs.length === 0 ? [] : [`${what} after an apply: ${some(runs.map(nameOf), MOST_NAMED)}`];
}

function nameOf({ address, id, idKind }: Run): string {
  return id === null ? String(address) : `${address} (${runKindNames[idKind]} ${id})`;
}

/** The holds that some of these have, and that have not ended. */
async function holdsOf(session: Session, addresses: readonly Address[]): Promise<Holds> {
  const { entries } = await loadInventory(session);
  const now = session.serviceNow();
  const held = addresses.flatMap((address) => {
    const made = entries.get(address)?.hold;
    return made === undefined || hasEnded(made, now) ? [] : [[address, made] as const];
  });
  return Object.fromEntries(held);
}

interface HoldOutcome {
  readonly held: Holds;
  readonly diagnostics: readonly Diagnostic[];
}

/** All at once; one by one where one of them cannot be held, which must not keep the others from it. */
async function holdEach(
  session: Session,
  addresses: readonly Address[],
  reason: string,
  env: Env,
): Promise<readonly HoldOutcome[]> {
  try {
    return [await holdAll(session, addresses, reason, env)];
  } catch (failure) {
    if (!(failure instanceof Problem)) throw failure;
    // These say nothing of one of them.
    const isOfAll = failure instanceof LockProblem || failure instanceof ServiceFailure;
    if (isOfAll || addresses.length === 1 || session.interrupted())
      return [{ held: {}, diagnostics: failure.diagnostics }];
  }
  const each: HoldOutcome[] = [];
  for (const address of addresses) each.push(...(await holdEach(session, [address], reason, env)));
  return each;
}

async function holdAll(
  session: Session,
  addresses: readonly Address[],
  reason: string,
  env: Env,
): Promise<HoldOutcome> {
  const report = await hold(session, { addresses, hold: { reason, until: null }, env });
  const { hold: made, resources } = report.made;
  const failed = report.outcomes.filter(({ outcome }) => outcome !== 'done');
  const isFailed = new Set(failed.map(({ address }) => address));
  const done = resources.filter(({ address, effect }) => effect !== 'none' && !isFailed.has(address));
  const held = made === null ? [] : done.map(({ address }) => [address, made] as const);
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
