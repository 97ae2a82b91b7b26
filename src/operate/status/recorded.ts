import type { ReadSession } from '../../engine/session.js';
import { runsOf } from '../../inventory/run-history.js';
import type { Address } from '../../model/resource.js';
import { readInstant } from '../../service/operations/record.js';

/** What the history of the inventory tells. Times in milliseconds, by the service's clock where it differed. */
export interface RecordedChanges {
  /** Null where no apply is recorded. */
  readonly lastApply: number | null;
  /** When roster last created, changed, held or resumed it. */
  readonly lastChange: ReadonlyMap<Address, number>;
}

/** Null for an inventory in a file, which remembers no runs. */
export async function recordedChanges({ store, clock }: ReadSession): Promise<RecordedChanges | null> {
  if (store.history === undefined) return null;
  const lastChange = new Map<Address, number>();
  let lastApply: number | null = null;
  for (const run of runsOf(await store.history(), clock.now())) {
    const time = readInstant(run.serviceTime ?? run.endedAt ?? run.startedAt ?? '');
    if (time === null) continue;
    if (run.command === 'apply' && run.outcome !== null) lastApply = time;
    for (const { address, outcome } of run.changes) if (outcome !== 'skipped') lastChange.set(address, time);
  }
  return { lastApply, lastChange };
}
