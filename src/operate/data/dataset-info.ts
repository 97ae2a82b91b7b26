import type { DatasetInfo } from '../../model/data.js';
import type { Address, Agent } from '../../model/resource.js';
import type { Dataset } from '../../service/operations/datasets.js';
import { addressNamed, addressOfAgent } from '../run/states.js';
import type { CollectedTimes } from './collected-times.js';

export function datasetInfo(dataset: Dataset, agents: readonly Agent[], times: CollectedTimes): DatasetInfo {
  const { id, agentId, agentName, sizeBytes, fileName, expiresAt, accessLevel, canManage } = dataset;
  const { jobId, runId, groupRunId } = dataset;
  return {
    ...{ id, agent: addressOfDataset(dataset, agents), agentId, agentName },
    ...{ collectedAt: times.get(id) ?? null, status: statusOf(dataset), sizeBytes, fileName, expiresAt },
    ...{ accessLevel, canManage, jobId, runId, groupRunId },
  };
}

export function statusOf({ status, isExpired }: Dataset): Dataset['status'] {
  return isExpired === true ? 'Expired' : status;
}

/** Null where the account has no such agent any more. */
export function addressOfDataset(
  { agentId, agentName }: Pick<Dataset, 'agentId' | 'agentName'>,
  agents: readonly Agent[],
): Address | null {
  const own = agents.find(({ id }) => id === agentId);
  if (own !== undefined) return addressOfAgent(own);
  const known = agentId === null ? addressNamed(agentName, agents) : null;
  return agents.some((agent) => addressOfAgent(agent) === known) ? known : null;
}

export function isOf({ agentId, agentName }: Pick<Dataset, 'agentId' | 'agentName'>, agent: Agent): boolean {
  return agentId === null ? agentName === agent.name : agentId === agent.id;
}

export function isAvailable({ status, isExpired }: Dataset): boolean {
  return status === 'Available' && isExpired !== true;
}
