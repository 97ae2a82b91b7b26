import type { DetailedLog, Log, LogEntry } from '../../model/log.js';

/** `roster log --format json`. */
export function logJson({ project, environment, inventory, entries, total }: Log) {
  return {
    formatVersion: 1,
    project,
    environment,
    inventory,
    total,
    entries: entries.map((each) => ({ ...entryJson(each), changes: each.changes })),
    diagnostics: [],
  } as const;
}

/** `roster log ID --format json`. */
export function logEntryJson({ project, environment, inventory, entry, changes }: DetailedLog) {
  return {
    formatVersion: 1,
    project,
    environment,
    inventory,
    entry: {
      ...entryJson(entry),
      changes: changes.map(({ fields, ...rest }) => ({
        ...rest,
        fields: fields.map(({ path, before, after, sensitive }) => ({ path, before, after, sensitive })),
      })),
    },
    diagnostics: [],
  } as const;
}

function entryJson({ number, changes: _, ...entry }: LogEntry) {
  return { number, ...entry };
}
