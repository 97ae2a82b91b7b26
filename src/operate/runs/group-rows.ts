import type { Address } from '../../model/resource.js';
import type { RunIdKind, ServiceRunState } from '../../model/run.js';
import type { ListedRun } from '../../model/run-history.js';
import { type GroupRunEntry, getGroupRun } from '../../service/operations/group-runs.js';
import type { PipelineRunEntry } from '../../service/operations/pipeline-runs.js';
import { groupRunOf } from '../run/poll.js';
import { pipelineRun, runIn, stageRun } from '../run/states.js';
import { isSince, type ListContext, type Rows, type RunsPage, readPages } from './rows.js';

interface Selection {
  /** The id of the group or pipeline. Default: all of them. */
  readonly objectId?: string;
  readonly address?: Address | undefined;
  /** Only the runs with these ids. */
  readonly only?: ReadonlySet<string>;
}

/** Words of the service for the states that roster has (interface §3). */
const groupStates = { active: ['ontrack'], succeeded: ['completed'], failed: ['atrisk', 'behind'] } as const;
const pipelineStates = { active: 'Running', succeeded: 'Completed', failed: 'Failed' } as const;

export async function groupRows(selection: Selection, context: ListContext): Promise<Rows> {
  const { state } = context;
  const words = state === undefined ? [undefined] : groupStates[state];
  const lists = await Promise.all(words.map((status) => groupRowsIn(status, selection, context)));
  return { runs: lists.flatMap(({ runs }) => runs), isCut: lists.some(({ isCut }) => isCut) };
}

async function groupRowsIn(
  status: 'ontrack' | 'completed' | 'atrisk' | 'behind' | undefined,
  { objectId, address, only }: Selection,
  context: ListContext,
): Promise<Rows> {
  const { from, limit } = context;
  const filter = {
    ...(objectId === undefined ? {} : { groupId: objectId }),
    ...(status === undefined ? {} : { status }),
    ...(from === undefined ? {} : { from }),
  };
  const read = pages((page, size) => context.pages.groupRuns(filter, page, size), context);
  const isShown = ({ id, startedAt }: GroupRunEntry) =>
    only?.has(id) !== false && isSince(startedAt, context);
  const { items, isCut } = await readPages(read, isShown, limit);
  const rows = items.map((entry) =>
    groupRow({ ...entry, status: entry.status ?? status ?? null }, address, context),
  );
  return { runs: await Promise.all(rows), isCut };
}

const states: Readonly<Record<string, ServiceRunState>> = {
  ontrack: 'running',
  completed: 'succeeded',
  atrisk: 'failed',
  behind: 'failed',
};

/** The fields of the list are not shown in the interface: a run whose entry has no state is read. */
async function groupRow(
  entry: GroupRunEntry,
  address: Address | undefined,
  context: ListContext,
): Promise<ListedRun> {
  const { id, groupName: name, groupId, startedAt, failedCount } = entry;
  const named = {
    address: address ?? addressOf('groupRun', groupId, context),
    id,
    idKind: 'groupRun',
  } as const;
  const word = entry.status?.toLowerCase() ?? '';
  const state = Object.hasOwn(states, word) ? states[word] : undefined;
  if (state === undefined) {
    const read = await context.reader.read(getGroupRun(id));
    const { members: _, ...run } = await groupRunOf({ ...named, agents: [] }, read, context);
    return { ...run, id, name };
  }
  const message = state === 'failed' ? whyFailed(failedCount, entry.memberCount) : null;
  const { members: _, ...run } = runIn(state, named, { startedAt, message });
  return { ...run, id, name };
}

/** The list counts those that failed, and does not tell the others apart. */
function whyFailed(failed: number | null, all: number | null): string | null {
  if (failed === 0) return 'some members never started or were stopped';
  return failed === null ? null : `${failed} of ${all ?? 'its'} members failed`;
}

export async function pipelineRows(
  { objectId, address, only }: Selection,
  context: ListContext,
): Promise<Rows> {
  const { from, limit, state } = context;
  const filter = {
    ...(objectId === undefined ? {} : { pipelineId: objectId }),
    ...(state === undefined ? {} : { status: pipelineStates[state] }),
    ...(from === undefined ? {} : { from }),
  };
  const read = pages((page, size) => context.pages.pipelineRuns(filter, page, size), context);
  const isShown = (run: PipelineRunEntry) =>
    only?.has(run.id) !== false &&
    isSince(run.startedAt, context) &&
    (state === undefined || run.status === pipelineStates[state]);
  const { items, isCut } = await readPages(read, isShown, limit);
  return { runs: items.map((run) => pipelineRow(run, address, context)), isCut };
}

function pipelineRow(run: PipelineRunEntry, address: Address | undefined, context: ListContext): ListedRun {
  const { id, pipelineName: name, pipelineId } = run;
  const named = {
    address: address ?? addressOf('pipelineRun', pipelineId, context),
    id,
    idKind: 'pipelineRun',
  } as const;
  const stages = run.steps.map((stage) => stageRun(stage, null, null));
  const { members: _, ...row } = pipelineRun(named, run, stages);
  return { ...row, id, name };
}

function addressOf(idKind: RunIdKind, objectId: string | null, { addresses }: ListContext): Address | null {
  return addresses.get(`${idKind} ${objectId}`) ?? null;
}

/** By number. `total` says whether there are more. */
function pages<T extends { readonly id: string }>(
  read: (page: number, size: number) => Promise<{ readonly items: readonly T[]; readonly total: number }>,
  { limit }: ListContext,
): (page: number) => Promise<RunsPage<T>> {
  const size = Math.min(100, limit + 1);
  const seen = new Set<string>();
  return async (page) => {
    const { items, total } = await read(page, size);
    const fresh = items.filter(({ id }) => !seen.has(id));
    for (const { id } of fresh) seen.add(id);
    return { items: fresh, hasMore: fresh.length > 0 && page * size < total };
  };
}
