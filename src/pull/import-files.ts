import { byCodeUnit, groupBy, type JsonObject } from '../model/json.js';
import type { Kind } from '../model/kind.js';
import { escapedValue } from '../model/template.js';
import { pairLines } from '../yaml/edit/value-text.js';
import type { ImportEntry } from './import-entries.js';
import { slug } from './keys.js';

export type SplitBy = 'kind' | 'target';

/** A file to write: its name without the folder. */
export interface ImportFile {
  readonly name: string;
  readonly entries: readonly ImportEntry[];
}

/** Which entries go into which file. */
export function splitIntoFiles(entries: readonly ImportEntry[], by: SplitBy): readonly ImportFile[] {
  const nameOf = (entry: ImportEntry) =>
    by === 'kind' ? entry.kind.section : slug(entry.about) || entry.kind.section;
  return [...groupBy(entries, nameOf)]
    .map(([name, each]) => ({ name: `${name}.yaml`, entries: each }))
    .sort((a, b) => byCodeUnit(a.name, b.name));
}

/** The text of a manifest that declares these entries. `kinds` is the order of its sections. */
export function manifestText(entries: readonly ImportEntry[], kinds: readonly Kind[]): string {
  const sections = kinds.flatMap((kind) => {
    const own = entries.filter((each) => each.kind === kind);
    return own.length === 0 ? [] : [[`${kind.section}:`, ...entriesLines(own, '  ')].join('\n')];
  });
  return sections.length === 0 ? '' : `${sections.join('\n\n')}\n`;
}

/** The lines of entries below their section. */
export function entriesLines(entries: readonly ImportEntry[], indent: string): string[] {
  return entries.flatMap((each, index) => [...(index === 0 ? [] : ['']), ...entryLines(each, indent)]);
}

function entryLines({ key, kind, properties }: ImportEntry, indent: string): string[] {
  // What looks like a variable is text of the service.
  const values = escapedValue(properties) as JsonObject;
  const inner = `${indent}  `;
  const written = kind.entry?.comment?.(key);
  const comment = written === undefined ? [] : [`${inner}# ${written}`];
  const pairs = Object.entries(values).flatMap(([name, value]) => pairLines(name, value, inner));
  return [...pairLines(key, {}, indent).map((line) => line.replace(/ \{\}$/, '')), ...pairs, ...comment];
}
