import type { ReadSession } from '../../engine/session.js';
import type { Address, Agent } from '../../model/resource.js';
import type { ListedRun, RunsList } from '../../model/run-history.js';
import { listAgents } from '../../service/operations/agents.js';
import { DetailsReader } from '../run/details.js';
import { findObjects } from '../run/objects.js';
import { type RunsSource, sourcesOf } from '../run/sources.js';
import { ownedAddresses } from './addresses.js';
import { attentionRows } from './attention-rows.js';
import { groupRows, pipelineRows } from './group-rows.js';
import { jobRows, wholesOfSchedule } from './job-rows.js';
import { byTime } from './order.js';
import { pageReader } from './page-reader.js';
import type { ListContext, Rows } from './rows.js';

export type ListedState = 'active' | 'succeeded' | 'failed';

export interface ListRunsOptions {
  /** The address of an agent, group, pipeline or schedule. Default: all runs of the account. */
  readonly address?: string | undefined;
  /** Default: every state. */
  readonly state?: ListedState | undefined;
  /** Only failures that nobody has dismissed: runs of agents, not jobs. Default: false. */
  readonly attention?: boolean | undefined;
  /** Only runs that started within so many milliseconds. Default: of any age. */
  readonly sinceMilliseconds?: number | undefined;
  /** Default: 50. */
  readonly limit?: number | undefined;
}

const LIMIT = 50;

/**
 * Jobs, group runs and pipeline runs in one list, the newest first. Jobs that belong to a group run or pipeline run are
 * parts of it, and are listed for the address of an agent only. Sends reads only.
 * @throws Problem for an unknown address, and when the service cannot be read.
 */
export async function listRuns(session: ReadSession, options: ListRunsOptions = {}): Promise<RunsList> {
  const { address, attention = false, limit = LIMIT } = options;
  const reader = session.client.reader();
  const known = address === undefined ? null : await findObjects(session, [address]);
  const sources = known === null ? null : sourcesOf(known);
  const agents = known?.agents ?? (await reader.readAll(listAgents()));
  const context: ListContext = {
    reader,
    agents,
    limit,
    state: options.state,
    from: fromOf(session, options),
    addresses: await ownedAddresses(session),
    details: new DetailsReader(reader),
    pages: pageReader(reader),
  };
  const rows = attention ? [await attentionRows(sources, context)] : await allRows(sources, context);
  const runs = distinct(byTime(rows.map((each) => each.runs)));
  const isCut = runs.length > limit || rows.some((each) => each.isCut);
  return { address: address ?? null, runs: runs.slice(0, limit), isCut };
}

function fromOf(session: ReadSession, { sinceMilliseconds }: ListRunsOptions): string | undefined {
  if (sinceMilliseconds === undefined) return undefined;
  return new Date(session.serviceNow().getTime() - sinceMilliseconds).toISOString();
}

/** A glob may select a group and the schedule that starts it. */
function distinct(runs: readonly ListedRun[]): readonly ListedRun[] {
  return [...new Map(runs.map((each) => [`${each.idKind} ${each.id}`, each])).values()];
}

function allRows(sources: readonly RunsSource[] | null, context: ListContext): Promise<readonly Rows[]> {
  if (sources !== null) return Promise.all(sources.map((source) => rowsOf(source, context)));
  const isAlone = (job: { groupRunId: string | null; pipelineRunId: string | null }) =>
    job.groupRunId === null && job.pipelineRunId === null;
  return Promise.all([
    jobRows({ isShown: isAlone }, context),
    groupRows({}, context),
    pipelineRows({}, context),
  ]);
}

async function rowsOf(source: RunsSource, context: ListContext): Promise<Rows> {
  const { idKind, objectId, scheduleId, agents } = source;
  if (idKind === 'job') {
    const names = new Set(agents.map(nameOf));
    const isShown = (job: { agentName: string; scheduleId: string | null }) =>
      names.has(job.agentName) && (scheduleId === null || job.scheduleId === scheduleId);
    return jobRows({ search: objectId, isShown }, context);
  }
  const address: Address | undefined = scheduleId === null ? source.address : undefined;
  const wholes = scheduleId === null ? null : await wholesOfSchedule(scheduleId, idKind, context);
  const narrowed = { objectId, address, ...(wholes === null ? {} : { only: wholes.ids }) };
  const rows =
    idKind === 'groupRun' ? await groupRows(narrowed, context) : await pipelineRows(narrowed, context);
  return { runs: rows.runs, isCut: rows.isCut || wholes?.isCut === true };
}

function nameOf({ name }: Agent): string {
  return name;
}
