import { hold } from '../../engine/hold.js';
import type { Session } from '../../engine/session.js';
import { kinds } from '../../kinds/index.js';
import { type Diagnostic, Problem } from '../../model/diagnostic.js';
import type { Address, Project } from '../../model/resource.js';
import { type Run, runKindNames } from '../../model/run.js';
import { some } from '../../model/words.js';
import { heldDiagnostics } from '../../reconcile/rules/holds.js';
import { isUnmet, type RunsResult } from './verdict.js';

/** Runs that a reason names. */
const MOST_NAMED = 3;

/**
 * Holds the schedules that start what failed, or delivered what is not expected, so that nothing starts it again before
 * somebody has looked. Returns what is on hold now, and why something is not.
 */
export async function holdFailed(
  session: Session,
  { runs, checked }: RunsResult,
  env: Readonly<Record<string, string | undefined>>,
): Promise<readonly Diagnostic[]> {
  const unmet = new Set(checked.filter(isUnmet).map(({ address }) => address));
  const failed = runs.filter(({ address, state }) => hasFailed(state) || unmet.has(address ?? ''));
  const addresses = starting(new Set(failed.flatMap(({ address }) => address ?? [])), session.project);
  if (addresses.length === 0 || session.interrupted()) return [];
  const reason = `failed after an apply: ${some(failed.map(nameOf), MOST_NAMED)}`;
  try {
    const report = await hold(session, { addresses, hold: { reason, until: null }, env });
    const { hold: made, plan } = report.made;
    const held = made === null ? [] : plan.changes.map(({ address }) => [address, made] as const);
    return [...report.diagnostics, ...heldDiagnostics(Object.fromEntries(held))];
  } catch (failure) {
    if (!(failure instanceof Problem)) throw failure;
    return failure.diagnostics;
  }
}

/** The schedules among these, and those that target one of them. */
function starting(failed: ReadonlySet<Address>, { entries }: Project): readonly Address[] {
  const found = entries.filter(({ address, kind: name, declared }) => {
    const kind = kinds.find((each) => each.name === name);
    if (kind?.pausing === undefined) return false;
    return failed.has(address) || (kind.links?.(declared).to ?? []).some((each) => failed.has(each));
  });
  return found.map(({ address }) => address);
}

function hasFailed(state: Run['state']): boolean {
  return state === 'failed' || state === 'stopped' || state === 'notStarted';
}

function nameOf({ address, id, idKind }: Run): string {
  return id === null ? String(address) : `${address} (${runKindNames[idKind]} ${id})`;
}
