import type { CheckedDataset } from '../../model/data.js';
import type { Diagnostic } from '../../model/diagnostic.js';
import type { Inventory } from '../../model/inventory.js';
import type { Reader } from '../../model/request.js';
import type { Address, Agent } from '../../model/resource.js';
import { ServiceFailure } from '../../service/failure.js';
import type { Dataset } from '../../service/operations/datasets.js';
import { createQueue } from '../../service/queue.js';
import { addressOfAgent } from '../agents.js';
import type { DataFacts } from './facts.js';
import { expectsOfData, verdictOf } from './judge.js';
import { readData, unreadable } from './read-data.js';
import { type ExpectedRun, judgementsOf } from './runs.js';

/** Datasets that are looked into at the same time (contract §20). */
export const AT_ONCE = 4;

/** What one agent delivered in a run of an entry. */
export interface Delivered {
  /** The entry. */
  readonly address: Address;
  readonly run: ExpectedRun;
  /** Null where the service lists none. */
  readonly dataset: Dataset | null;
  /** Why it is not known which dataset it has. Missing where the service has listed them. */
  readonly unlisted?: string | undefined;
  readonly startedBy?: CheckedDataset['startedBy'];
}

interface ReadDelivered extends Delivered {
  /** Undefined where nothing is expected of the data itself. */
  readonly data: DataFacts | undefined;
  readonly failures: readonly Diagnostic[];
}

/** Of a job of several runs, the file of all of them. */
export function datasetOf(ofJob: readonly Dataset[]): Dataset | null {
  const whole = ofJob.find(({ runId }) => runId === null);
  return whole ?? (ofJob.length === 1 ? (ofJob[0] ?? null) : null);
}

/** With what their datasets show, where something is expected of these. One that cannot be read hides no other. */
export function readDeliveries(
  reader: Reader,
  deliveries: readonly Delivered[],
): Promise<readonly ReadDelivered[]> {
  return createQueue(AT_ONCE).map(deliveries, (each) => readOne(reader, each));
}

async function readOne(reader: Reader, delivery: Delivered): Promise<ReadDelivered> {
  const { run, dataset, unlisted } = delivery;
  const { expectation, facts } = run;
  if (!expectsOfData(expectation) || facts.isRunning) return { ...delivery, data: undefined, failures: [] };
  const why = facts.noData ?? unlisted;
  if (why !== undefined) return { ...delivery, data: unreadable(why), failures: [] };
  try {
    return { ...delivery, data: await readData(reader, dataset, expectation), failures: [] };
  } catch (failure) {
    if (!(failure instanceof ServiceFailure) || failure.facts.code === 'interrupted') throw failure;
    return { ...delivery, data: unreadable(failure.facts.message), failures: failure.diagnostics };
  }
}

export interface DeliveredContext {
  /** Null where none was read. */
  readonly inventory: Inventory | null;
  readonly agents: readonly Agent[];
}

/** With the verdict on everything that is expected. */
export function described(
  { address, run, dataset, data, startedBy }: ReadDelivered,
  { inventory, agents }: DeliveredContext,
): CheckedDataset {
  const expectations = judgementsOf(run, data);
  const { id: jobId, state, finishedAt: at } = run.job;
  return {
    address,
    agent: run.agent,
    datasetId: dataset?.id ?? null,
    jobId,
    startedBy,
    state,
    at,
    verdict: verdictOf(expectations) ?? 'met',
    expectations,
    changed: inventory === null ? [] : versionChange(run.agent, inventory, agents),
  };
}

/** The version of an agent, where it is another than at the last apply. */
function versionChange(
  address: Address,
  { entries }: Inventory,
  agents: readonly Agent[],
): readonly string[] {
  const agent = agents.find((each) => addressOfAgent(each) === address);
  const now = agent?.version ?? null;
  if (agent === undefined || now === null) return [];
  const [was] = [...entries.values()].flatMap(({ versions = {} }) => versions[agent.id] ?? []);
  return was === undefined || was === now
    ? []
    : [`${address} has version ${now}, and had ${was} at the last apply`];
}
