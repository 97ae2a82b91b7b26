import { diagnosticsIn, observe, requireAccount } from '../../engine/observe.js';
import { selectedOf, selectorsOf } from '../../engine/selectors.js';
import type { ReadSession } from '../../engine/session.js';
import { type Diagnostic, type Problem, problem } from '../../model/diagnostic.js';
import type { Address } from '../../model/resource.js';
import { healths, type ResourceStatus, type RunIdKind, type Status } from '../../model/run.js';
import { naturalOrder, readDuration } from '../../model/words.js';
import { readInstant } from '../../service/operations/record.js';
import { runKind } from '../run/run-kinds.js';
import { Watch } from '../watch.js';
import { lastEnded, resourceStatuses, type StatusContext } from './health.js';
import {
  attribute,
  isReadFor,
  occurrencesOf,
  type RanObject,
  readHistory,
  withOwnRecords,
} from './history.js';
import { TOLERANCE } from './missed.js';
import {
  type DeclaredResource,
  declaredResources,
  kindsWithRuns,
  type RecordedChanges,
  recordedChanges,
} from './resources.js';

export interface StatusOptions {
  /** Addresses and globs, such as `schedule/*`. Default: everything that can run. */
  readonly addresses?: readonly string[];
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
  const selectors = selectorsOf(options.addresses ?? []);
  const given = parseSince(options.since ?? '7d');
  const recorded = await recordedChanges(session);
  const start = given === 'apply' ? lastApply(session, recorded) : given;
  const allow = { accountChange: options.allowAccountChange === true };
  const observation = await observe(session, { kinds: kindsWithRuns, allow });
  requireAccount(observation);
  const { names, diagnostics: found } = observation.comparison;
  const now = session.serviceNow();
  const since = typeof start === 'number' ? notInFuture(start, now) : instantOf(start, now);
  const resources = declaredResources(session.project, observation, now);
  const addresses = session.project.entries.map((each) => each.address);
  const isSelected = selectedOf(selectors, { addresses, existsIn: session.project.existsIn });
  const reader = session.client.reader();
  const read = await readHistory(reader, idKindsOf(resources), since);
  const { history, unattributed } = await attribute(reader, read, ranSince(resources, since), since);
  const unread = history.diagnostics.map((each) => ({ ...each, severity: 'error' }) as const);
  const context: StatusContext = {
    ...{ resources, recorded, since, now, unattributed, names },
    occurrences: occurrencesOf(history),
    isRead: (resource) => isReadFor(idKindsOf([resource]), history),
    sinceApply: given === 'apply',
    agents: observation.state.agents,
  };
  const last = lastEnded(context, ({ address }) => isSelected(address));
  const occurrences = await withOwnRecords(context.occurrences, last, new Watch(session, context.agents));
  const rows = resourceStatuses({ ...context, occurrences });
  const shown = rows.filter(({ address }) => isSelected(address)).sort(worstFirst);
  if (shown.length === 0 && selectors !== null) throw withoutHealth(options.addresses ?? []);
  const { name: project, environment } = session.project;
  const diagnostics = [...diagnosticsIn(session, observation, found), ...unread];
  return {
    ...{ project, environment, service: session.service, resources: shown },
    since: new Date(since).toISOString(),
    diagnostics: diagnostics.map((each) => asReported(each, isSelected, options)),
  };
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

function lastApply({ store }: ReadSession, recorded: RecordedChanges | null): number {
  if (recorded?.lastApply != null) return recorded.lastApply;
  const why =
    recorded === null ? 'is a file, which does not record when it was applied' : 'records no apply yet';
  const help = 'Pass a time such as `--since 24h`, or keep the inventory in git: `inventory: { git: {} }`.';
  throw problem('usage', `--since apply: the inventory ${store.name} ${why}`, help);
}

/** Nothing has run since a time to come, and a failure would not be shown. */
function notInFuture(lastApply: number, now: Date): number {
  if (lastApply <= now.getTime() + TOLERANCE) return Math.min(lastApply, now.getTime());
  const time = new Date(lastApply).toISOString();
  const message = `--since apply: the inventory records its last apply at ${time}, which is in the future`;
  throw problem(
    'invalid-time',
    message,
    'Set the clock of the machine that applies. Pass a time such as `--since 24h`.',
  );
}

/** Which lists of runs are needed. */
function idKindsOf(resources: readonly DeclaredResource[]): ReadonlySet<RunIdKind> {
  const kindNames = new Set(resources.flatMap(({ kind, target }) => [kind.name, target?.kind ?? kind.name]));
  const makers = kindsWithRuns.filter(({ name }) => kindNames.has(name));
  return new Set(makers.flatMap(({ startByHand }) => startByHand?.makes ?? []));
}

/** By what the objects themselves show. */
function ranSince(resources: readonly DeclaredResource[], since: number): readonly RanObject[] {
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

function withoutHealth(addresses: readonly string[]): Problem {
  const help = 'Only groups, pipelines and schedules run. `roster drift` compares everything.';
  return problem('usage', `${addresses.join(', ')} cannot run, so there is no status`, help);
}

const LONGEST_DAYS = 366;
const HELP =
  'Use a duration such as 90m, 24h, 7d or 2w, a time with its offset, such as 2026-12-01T08:00Z, or `apply`.';

/** `--since` as it was written: a time, or how long ago, in milliseconds. */
export type Since = { readonly text: string } & ({ readonly time: number } | { readonly ago: number });

/** Throws a Problem for anything but a duration, a time with an offset or `apply`. */
export function parseSince(text: string): Since | 'apply' {
  if (text === 'apply') return text;
  const ago = readDuration(text);
  if (ago !== null) return { text, ago };
  const time = timeOf(text);
  if (time !== null) return { text, time };
  throw problem('invalid-time', `--since: "${text}" is neither a time nor a duration`, HELP);
}

/** The instant, in milliseconds. Throws a Problem unless it is in the past year. */
export function instantOf(since: Since, now: Date): number {
  const time = 'time' in since ? since.time : now.getTime() - since.ago;
  const { text } = since;
  if (time >= now.getTime()) throw problem('invalid-time', `--since: "${text}" is not in the past`, HELP);
  if (time < now.getTime() - LONGEST_DAYS * 86_400_000)
    throw problem('invalid-time', `--since: "${text}" is more than a year ago`, HELP);
  return time;
}

/** With an offset: otherwise it is not known which time is meant. */
function timeOf(text: string): number | null {
  return /(Z|[+-]\d\d:?\d\d)$/.test(text) ? readInstant(text) : null;
}
