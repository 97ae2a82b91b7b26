import { diagnosticsIn, observe, requireAccount } from '../../engine/observe.js';
import { declaringFiles, withOwners } from '../../engine/owners.js';
import {
  type ProjectPart,
  selectedOf,
  selectionOf,
  selectionText,
  unreadFor,
} from '../../engine/selectors.js';
import type { ReadSession } from '../../engine/session.js';
import { type Diagnostic, errorsIn, Problem, problem } from '../../model/diagnostic.js';
import type { Address } from '../../model/resource.js';
import {
  type AgentJudgement,
  healths,
  judgementText,
  type ResourceStatus,
  type RunIdKind,
  type Status,
} from '../../model/run.js';
import { noSiblings } from '../../model/sibling.js';
import { naturalOrder } from '../../model/words.js';
import type { Selector } from '../../reconcile/world.js';
import { readInstant } from '../../service/operations/record.js';
import { runKind } from '../run/run-kinds.js';
import { kindsWithRuns } from '../run/targets.js';
import { Watch } from '../watch.js';
import { isReadFor, occurrencesOf, type RanObject, readHistory, withOwnRecords } from './history.js';
import { HistoryIndex, lastEnded, resourceStatuses } from './resource-status.js';
import { type DeclaredResource, declaredResources, recordedChanges } from './resources.js';
import { instantOf, parseSince, sinceLastApply } from './since.js';

export interface StatusOptions extends ProjectPart {
  /** `7d`, `24h`, a time with its offset, or `apply`. Default: `7d`. */
  readonly since?: string | undefined;
  /** Whether what cannot be read or matched is an error, not a warning. Default: false. */
  readonly isCheck?: boolean | undefined;
  /** Objects of the inventory that the service does not show were deleted: it is the same account. Default: false. */
  readonly allowAccountChange?: boolean | undefined;
}

/**
 * How everything declared is doing: whether it runs, succeeds and starts when it should. Sends reads only: lists, however
 * many resources there are.
 * An entry that cannot be matched with an object is unknown.
 * @throws Problem when the manifests are not valid, the service cannot be read, or the inventory belongs to another account.
 */
export async function status(session: ReadSession, options: StatusOptions = {}): Promise<Status> {
  return (await readStatus(session, options)).status;
}

interface ReadStatus {
  readonly status: Status;
  /** What the rows are about, and everything else that is declared and can run. */
  readonly declared: readonly DeclaredResource[];
}

/** `status`, with what it was computed from. */
export async function readStatus(session: ReadSession, options: StatusOptions): Promise<ReadStatus> {
  const written = parseSince(options.since ?? '7d');
  const recorded = await recordedChanges(session);
  const period = written === 'apply' ? sinceLastApply(session, recorded) : written;
  const allow = { accountChange: options.allowAccountChange === true };
  const observation = await observe(session, { kinds: kindsWithRuns, allow, siblings: noSiblings });
  requireAccount(observation);
  const now = session.serviceNow();
  const since = instantOf(period, now);
  const resources = declaredResources(session.project, observation, now);
  const { project: declared, cwd } = session;
  const addresses = [...declared.entries, ...(declared.unread ?? [])].flatMap(({ address }) => address ?? []);
  const selectors = selectionOf(options, { project: declared, cwd });
  const isSelected = selectedOf(selectors, { ...declared, addresses });
  const withError = unreadFor(declared, selectors);

  const reader = session.client.reader();
  const found = await readHistory(reader, idKindsOf(resources), ranSince(resources, since), since);
  const { agents } = observation.state;
  const listed = occurrencesOf(found);
  const ended = lastEnded(resources, isSelected, new HistoryIndex(resources, listed));
  const occurrences = await withOwnRecords(listed, ended, new Watch(session, agents));

  const { names } = observation.comparison;
  const rows = resourceStatuses(resources, {
    recorded,
    since,
    now,
    names,
    agents,
    unattributed: found.unattributed,
    history: new HistoryIndex(resources, occurrences),
    unread: new Set(resources.filter((each) => !isReadFor(idKindsOf([each]), found))),
    sinceApply: 'lastApply' in period,
  });
  const shown = rows.filter(({ address }) => isSelected(address)).sort(worstFirst);
  if (shown.length === 0 && selectors !== null) {
    const errors = errorsIn(withError);
    throw errors.length > 0 ? new Problem(errors) : withoutHealth(selectors);
  }
  const { name: project, environment } = session.project;
  const owners = withOwners(shown, declaringFiles(session.project), session, 'resource');
  const unread = found.diagnostics.map((each) => ({ ...each, severity: 'error' }) as const);
  const diagnostics = [
    ...diagnosticsIn(session, observation, observation.comparison.diagnostics),
    ...withError,
    ...unread,
    ...warnedOnce(shown.flatMap(warningsOf)),
    ...owners.warnings,
  ];
  const status: Status = {
    project,
    environment,
    service: session.service,
    resources: owners.items,
    since: new Date(since).toISOString(),
    diagnostics: diagnostics.map((each) => asReported(each, isSelected, options)),
  };
  return { status, declared: resources };
}

/** A run of a schedule also counts for its target. Of the same warning, only the one of the schedule is kept: it has more detail. */
function warnedOnce(warnings: readonly ExpectationWarning[]): readonly Diagnostic[] {
  const ofSchedules = new Set(
    warnings.flatMap(({ judgement: { from, agent, message } }) =>
      from === null ? [] : [`${from} ${agent} ${message}`],
    ),
  );
  return warnings.flatMap(({ warning, judgement: { agent, message } }) =>
    ofSchedules.has(`${warning.address} ${agent} ${message}`) ? [] : [warning],
  );
}

interface ExpectationWarning {
  readonly warning: Diagnostic;
  readonly judgement: AgentJudgement;
}

/** What is unmet at the level of a warning changes no health. */
function warningsOf({ address, expectations }: ResourceStatus): readonly ExpectationWarning[] {
  const warned = expectations.filter(({ verdict, level }) => verdict === 'unmet' && level === 'warning');
  return warned.map((judgement) => {
    const { agent, place } = judgement;
    const message = `${agent} of ${address}: ${judgementText(judgement)}`;
    const found = { severity: 'warning', code: 'unmet-expectation', message, address } as const;
    return { judgement, warning: place === null ? found : { ...found, place } };
  });
}

/** What is unknown is an error where somebody relies on it, and then only for what is shown. The rows say it, too. */
function asReported(
  each: Diagnostic,
  isSelected: (address: Address) => boolean,
  { isCheck = false }: StatusOptions,
): Diagnostic {
  const isMeant = each.address === undefined || isSelected(each.address);
  return each.severity !== 'error' || (isCheck && isMeant) ? each : { ...each, severity: 'warning' };
}

/** The kinds of runs whose lists are needed. */
export function idKindsOf(resources: readonly DeclaredResource[]): ReadonlySet<RunIdKind> {
  const kindNames = new Set(resources.flatMap(({ kind, target }) => [kind.name, target?.kind ?? kind.name]));
  const makers = kindsWithRuns.filter(({ name }) => kindNames.has(name));
  return new Set(makers.flatMap(({ startByHand }) => startByHand?.makes ?? []));
}

/** The groups and pipelines that ran in the period, by what they show themselves. */
export function ranSince(resources: readonly DeclaredResource[], since: number): readonly RanObject[] {
  return resources.flatMap(({ kind, observed }) => {
    const makes = kind.startByHand?.makes ?? null;
    const ranAt = readInstant(String(observed?.facts['lastRunAt']));
    if (makes === null || observed?.id == null || ranAt === null || ranAt < since) return [];
    return [{ kind: runKind(makes), id: observed.id }];
  });
}

function worstFirst(a: ResourceStatus, b: ResourceStatus): number {
  return healths.indexOf(a.health) - healths.indexOf(b.health) || naturalOrder(a.address, b.address);
}

function withoutHealth(selectors: readonly Selector[]): Problem {
  const help = 'Only groups, pipelines and schedules run. `roster drift` compares everything.';
  return problem('usage', `${selectionText(selectors)} cannot run, so there is no status`, help);
}
