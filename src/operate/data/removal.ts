import type { DatasetInfo } from '../../model/data.js';

export interface RemovalRule {
  /** Datasets whose job or run ended before this time, in ISO 8601. */
  readonly before: string;
  /** How many of each agent's newest jobs keep their available datasets. */
  readonly keepLast: number;
}

/**
 * The datasets that a rule deletes, oldest first. Only owned ones whose age is known: what is not known to be old is
 * kept, and what may be one of the newest of its agent. Those that cannot be read any more do not count as kept. Pure.
 */
export function removable(datasets: readonly DatasetInfo[], rule: RemovalRule): readonly DatasetInfo[] {
  const own = datasets.filter(({ canManage }) => canManage);
  const byAge = own
    .flatMap((each) => (each.collectedAt === null ? [] : [{ dataset: each, at: each.collectedAt }]))
    .toSorted((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0));
  const jobs = new Map<string, Set<string>>();
  for (const { dataset } of byAge.toReversed()) {
    const agent = agentOf(dataset);
    if (agent === null) continue;
    const kept = jobs.get(agent) ?? new Set();
    if (dataset.status === 'Available' && kept.size < rule.keepLast) kept.add(jobOf(dataset));
    jobs.set(agent, kept);
  }
  const isKept = (dataset: DatasetInfo) => {
    const agent = agentOf(dataset);
    return agent === null ? rule.keepLast > 0 : jobs.get(agent)?.has(jobOf(dataset)) === true;
  };
  return byAge
    .filter(({ dataset, at }) => at < rule.before && !isKept(dataset))
    .map(({ dataset }) => dataset);
}

/** Deleted agents may share a name. Null where the service does not say whose dataset it is. */
export function agentOf({ agent, agentId, agentName }: DatasetInfo): string | null {
  return agent ?? agentId ?? (agentName || null);
}

/** A job of several runs has a dataset of its own and one for each run. */
function jobOf({ id, jobId }: DatasetInfo): string {
  return jobId ?? id;
}
