import type { Dataset } from '../../service/operations/datasets.js';
import type { CollectedTimes } from './collected-times.js';

/**
 * Whether the ends of their jobs decide which of an agent's datasets is the newest. The interface does not say in which
 * order they are listed, but all files of an account are kept for the same period: where the first one is also the only
 * one to expire last, no further call is needed.
 */
export function needsTimes([first, ...others]: readonly Dataset[]): boolean {
  return first !== undefined && !others.every((other) => expiry(other) < expiry(first));
}

/** The newest of an agent's datasets; null without any. Pure. */
export function newestOf(datasets: readonly Dataset[], times: CollectedTimes): Dataset | null {
  const [first] = datasets;
  if (first === undefined || !needsTimes(datasets)) return first ?? null;
  const timeOf = ({ id }: Dataset) => times.get(id) ?? '';
  const isNewer = (one: Dataset, other: Dataset) =>
    timeOf(one) === timeOf(other) ? expiry(one) > expiry(other) : timeOf(one) > timeOf(other);
  return datasets.reduce((newest, each) => (isNewer(each, newest) ? each : newest));
}

function expiry({ expiresAt }: Dataset): number {
  return Date.parse(expiresAt ?? '');
}
