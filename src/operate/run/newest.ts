import type { Reader } from '../../model/request.js';
import type { RunIdKind } from '../../model/run.js';
import { groupRunPage } from '../../service/operations/group-runs.js';
import { type Job, jobPage } from '../../service/operations/jobs.js';
import { pipelineRunPage } from '../../service/operations/pipeline-runs.js';
import type { RunTraces } from './targets.js';

const PAGE = 100;
/** Nobody starts that many hundred jobs between a start and the look for it. */
const MOST_PAGES = 10;

type ListedId = { readonly id: string };
type RunSource = Pick<RunTraces, 'idKind' | 'objectId'>;

/** The newest runs of a group or pipeline, and the newest jobs of all agents: newest first (interface §4). */
const newest: Readonly<
  Record<RunIdKind, (reader: Reader, objectId: string) => Promise<readonly ListedId[]>>
> = {
  job: async (reader) => (await reader.read(jobPage({}, PAGE))).items,
  groupRun: async (reader, groupId) => (await reader.read(groupRunPage({ groupId }, 1, PAGE))).items,
  pipelineRun: async (reader, pipelineId) =>
    (await reader.read(pipelineRunPage({ pipelineId }, 1, PAGE))).items,
};

/** What existed before the starts: what is listed above it is newer, whatever any clock says. */
export class Marks {
  private constructor(private readonly ids: ReadonlyMap<string, ReadonlySet<string>>) {}

  /** Reads one page for all jobs, and one for each group and pipeline. */
  static async read(reader: Reader, sources: readonly RunSource[]): Promise<Marks> {
    const lists = new Map(sources.map((each) => [listOf(each), each]));
    const reads = [...lists].map(async ([list, { idKind, objectId }]) => {
      const items = await newest[idKind](reader, objectId);
      return [list, new Set(items.map((each) => each.id))] as const;
    });
    return new Marks(new Map(await Promise.all(reads)));
  }

  /** Whether a run of that list may be older than what was read of it. */
  isPartial(source: RunSource): boolean {
    return this.of(source).size >= PAGE;
  }

  has(source: RunSource, id: string): boolean {
    return this.of(source).has(id);
  }

  of(source: RunSource): ReadonlySet<string> {
    return this.ids.get(listOf(source)) ?? new Set();
  }
}

function listOf({ idKind, objectId }: RunSource): string {
  return idKind === 'job' ? idKind : `${idKind} ${objectId}`;
}

/** The items above the first known one. */
export function newerThan<T extends ListedId>(items: readonly T[], known: ReadonlySet<string>): readonly T[] {
  const at = items.findIndex(({ id }) => known.has(id));
  return at === -1 ? items : items.slice(0, at);
}

/** The jobs above the marks, of any agent. */
export async function newJobs(reader: Reader, known: ReadonlySet<string>): Promise<readonly Job[]> {
  const found: Job[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < MOST_PAGES; page += 1) {
    const { items, nextCursor } = await reader.read(jobPage({}, PAGE, cursor));
    const newer = newerThan(items, known);
    found.push(...newer);
    if (newer.length < items.length || nextCursor === null) break;
    cursor = nextCursor;
  }
  return found;
}

/** The runs of a group or pipeline above the marks. */
export async function newRuns(
  reader: Reader,
  { idKind, objectId }: RunSource,
  known: ReadonlySet<string>,
): Promise<readonly string[]> {
  return newerThan(await newest[idKind](reader, objectId), known).map((each) => each.id);
}

/** The runs of a list above the marks, whatever they are. */
export async function newIds(
  reader: Reader,
  source: RunSource,
  known: ReadonlySet<string>,
): Promise<readonly string[]> {
  if (source.idKind !== 'job') return newRuns(reader, source, known);
  return (await newJobs(reader, known)).map(({ id }) => id);
}
