import type { InventoryHistory } from '../../model/inventory.js';
import type { LogEntry } from '../../model/log.js';
import { createQueue } from '../../service/queue.js';

/** Each read of a commit is a process of git, and anyone may have written any number of such commits. */
const CONCURRENT_READS = 3;

/** The messages of `roster destroy` are those of an apply: only the inventory of the intent says which it was. */
export function withCommands(
  entries: readonly LogEntry[],
  history: Pick<InventoryHistory, 'inventoryAt'>,
): Promise<LogEntry[]> {
  return createQueue(CONCURRENT_READS).map(entries, async (entry) => {
    const [intent] = entry.commits;
    const onlyDeletes = /^\d+ to (?:delete|forget)(?:, \d+ to forget)?$/.test(entry.plan ?? '');
    if (entry.command !== 'apply' || intent === undefined || !onlyDeletes) return entry;
    const inventory = await history.inventoryAt(intent);
    return inventory?.intent?.destroy === true ? { ...entry, command: 'destroy' } : entry;
  });
}
