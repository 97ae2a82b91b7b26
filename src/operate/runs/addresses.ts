import { isNoProject } from '../../engine/no-project.js';
import type { ReadSession } from '../../engine/session.js';
import { kinds } from '../../kinds/index.js';
import { Problem } from '../../model/diagnostic.js';
import type { Reader } from '../../model/request.js';
import type { Address } from '../../model/resource.js';
import { ServiceFailure } from '../../service/failure.js';
import { groupRunPage } from '../../service/operations/group-runs.js';
import { pipelineRunPage } from '../../service/operations/pipeline-runs.js';
import type { AgentRunById, RunById } from '../run/by-id.js';

/**
 * The addresses of what this project owns on this service, by what its runs are and its id: it takes no request. `other`
 * stands for what starts something else, such as schedules. Without an inventory,
 * runs are named as the service names them.
 */
export async function ownedAddresses({
  project,
  service,
  store,
}: Pick<ReadSession, 'project' | 'service' | 'store'>): Promise<ReadonlyMap<string, Address>> {
  if (isNoProject(project)) return new Map();
  try {
    const inventory = await store.load();
    if (inventory.service !== service) return new Map();
    const entries = [...inventory.entries].flatMap(([address, { kind, id }]) => {
      const makes = kinds.find(({ name }) => name === kind)?.startByHand?.makes ?? null;
      return id === null ? [] : [[`${makes ?? 'other'} ${id}`, address] as const];
    });
    return new Map(entries);
  } catch (failure) {
    if (!(failure instanceof Problem)) throw failure;
    return new Map();
  }
}

type AnyRun = Pick<RunById | AgentRunById, 'idKind' | 'id'>;

/** The addresses of group runs and pipeline runs, by their ids. Jobs show their agents themselves. */
export async function wholeAddresses(
  runs: readonly AnyRun[],
  session: Pick<ReadSession, 'project' | 'service' | 'store' | 'client'>,
): Promise<ReadonlyMap<string, Address>> {
  const wholes = runs.filter(({ idKind }) => idKind === 'groupRun' || idKind === 'pipelineRun');
  const owned = wholes.length === 0 ? new Map() : await ownedAddresses(session);
  if (owned.size === 0) return owned;
  const reader = session.client.reader();
  const found = wholes.map(async (run) => {
    const address = owned.get(`${run.idKind} ${(await entryOf(reader, run))?.objectId}`);
    return address === undefined ? [] : [[run.id, address] as const];
  });
  return new Map((await Promise.all(found)).flat());
}

interface WholeEntry {
  readonly name: string | null;
  readonly objectId: string | null;
  readonly startedAt: string | null;
}

/** Only the lists show which group or pipeline a run belongs to. It is not worth a failure. */
export async function entryOf(reader: Reader, { idKind, id }: AnyRun): Promise<WholeEntry | null> {
  try {
    if (idKind === 'groupRun') {
      const { items } = await reader.read(groupRunPage({ q: id }));
      const entry = items.find((each) => each.id === id);
      return entry === undefined ? null : { ...entry, name: entry.groupName, objectId: entry.groupId };
    }
    if (idKind === 'pipelineRun') {
      const { items } = await reader.read(pipelineRunPage({ q: id }));
      const entry = items.find((each) => each.id === id);
      return entry === undefined ? null : { ...entry, name: entry.pipelineName, objectId: entry.pipelineId };
    }
  } catch (failure) {
    if (!(failure instanceof ServiceFailure)) throw failure;
  }
  return null;
}
