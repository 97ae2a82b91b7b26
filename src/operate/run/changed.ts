import { lastApplied } from '../../engine/log.js';
import { diagnosticsIn, errorsAsWarnings, observe, requireAccount } from '../../engine/observe.js';
import { selectedOf, selectorsOf } from '../../engine/selectors.js';
import type { ReadSession } from '../../engine/session.js';
import { type Diagnostic, errorsIn, Problem, problem } from '../../model/diagnostic.js';
import { type Hold, holdText } from '../../model/hold.js';
import { groupBy } from '../../model/json.js';
import type { Address } from '../../model/resource.js';
import type { ChosenStart, ChosenStarts } from '../../model/run.js';
import { noSiblings } from '../../model/sibling.js';
import { environmentFlag, instantText } from '../../model/words.js';
import { type DeclaredResource, declaredResources } from '../status/resources.js';
import { obstacleOf } from './obstacle.js';
import { kindsWithRuns } from './targets.js';

/**
 * What the last apply that sent a call has created or changed, each once (contract §21). What is on hold, paused or inactive
 * is left alone, and so is what one of the schedules starts anyway. Sends reads only.
 * @param addresses addresses and globs; none for everything.
 * @param ofCommit nothing is chosen if that apply was of another commit of the manifests.
 * @throws Problem when the history of the inventory records no such apply, and when nothing is found because what was changed
 * can no longer be matched.
 */
export async function chooseChanged(
  session: ReadSession,
  addresses: readonly Address[],
  ofCommit?: string,
): Promise<ChosenStarts> {
  const applied = await lastApplied(session);
  if (ofCommit !== undefined && applied?.commit !== ofCommit)
    return { starts: [], leftOut: [], diagnostics: [] };
  if (applied === null)
    throw problem(
      'usage',
      `--changed: the inventory ${session.store.name} records no apply that changed anything on the service`,
      'Name what to start: `roster run group/retail-prices`.',
    );
  const observation = await observe(session, { kinds: kindsWithRuns, siblings: noSiblings });
  requireAccount(observation);
  const now = session.serviceNow();
  const { entries, existsIn } = session.project;
  const all = entries.map(({ address }) => address);
  const isSelected = selectedOf(selectorsOf(addresses), { addresses: all, existsIn });
  const actions = new Map(applied.changes.map(({ address, action }) => [address, action]));
  const resources = declaredResources(session.project, observation, now);
  const isChanged = ({ address }: DeclaredResource) => actions.has(address) && isSelected(address);
  const changed = resources.filter(isChanged);
  const whyNot = obstacleOf(session);
  const startersOf = groupBy(resources, ({ target }) => target?.id);

  // A later apply may have sent nothing.
  const time = applied.at === null ? '' : ` of ${instantText(applied.at)}`;
  const starts: ChosenStart[] = [];
  const leftOut: ChosenStart[] = [];
  const unproved: Diagnostic[] = [];
  for (const each of changed) {
    const { address, observed, hold } = each;
    const starters = (observed?.id == null ? undefined : startersOf.get(observed.id)) ?? [];
    const free = starters.filter((starter) => whyNot(starter) === null);
    const starter = free.find(isChanged);
    // If all schedules that start it are on hold, it must not be started by hand either.
    const holder = free.length === 0 ? starters.find(isHeld) : undefined;
    const obstacle =
      whyNot(each) ??
      (starter === undefined ? null : `${starter.address} starts it`) ??
      (holder === undefined ? null : `${holder.address} starts it, and is ${holdText(holder.hold)}`);
    const held = hold === null ? holder : { address, hold };
    if (held !== undefined && held.hold.since !== applied.held[held.address]?.since)
      unproved.push(heldSince(address, held, session.project.environment));
    const did = actions.get(address) === 'create' ? 'created' : 'changed';
    if (obstacle === null) starts.push({ address, reason: `${did} by the apply${time}` });
    else leftOut.push({ address, reason: obstacle });
  }
  const diagnostics = diagnosticsIn(session, observation, observation.comparison.diagnostics);
  const errors = errorsIn(diagnostics);
  const isUnmatched = changed.some(({ unmatched }) => unmatched !== null);
  if (starts.length === 0 && isUnmatched && errors.length > 0) throw new Problem(errors);
  // One resource that cannot be matched does not stop the others.
  return { starts, leftOut, unproved, diagnostics: errorsAsWarnings(diagnostics) };
}

type HeldStarter = DeclaredResource & { readonly hold: Hold };

const isHeld = (one: DeclaredResource): one is HeldStarter => one.hold !== null;

/** Whoever holds it since that apply has seen it fail, or cannot have it run: no run has proved it. */
function heldSince(
  address: Address,
  held: { readonly address: Address; readonly hold: Hold },
  environment: string | null,
): Diagnostic {
  const subject = held.address === address ? 'it' : held.address;
  return {
    severity: 'error',
    code: 'held',
    message: `${address} was not run: ${subject} was put on hold after it was applied, ${holdText(held.hold)}`,
    help: `Fix the cause of the failure, end the hold with \`roster resume ${held.address}${environmentFlag(environment)}\`, and run this command again.`,
  };
}
