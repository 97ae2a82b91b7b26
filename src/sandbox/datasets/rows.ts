import { hashText, mix, pick } from '../engine/hash.js';
import type { RowChanges } from '../engine/records.js';
import type { AgentRecord } from '../world.js';

/** The rows of a dataset, made again whenever they are read: a million of them take no memory. */

const DAY_MS = 86_400_000;

export type Value = string | number | boolean | null;
export type Row = readonly Value[];

/** Rows that one run collected. */
export interface Part extends RowChanges {
  readonly rowSeed: string;
  readonly records: number;
}

const DEFAULT_FIELDS = ['id', 'title', 'price', 'currency', 'inStock', 'url', 'collectedAt'];
const ADJECTIVES = ['Red', 'Compact', 'Vintage', 'Wireless', 'Folding', 'Café', 'Large', 'Quiet', 'Solar'];
const NOUNS = ['lamp', 'table', 'keyboard', 'bicycle', 'kettle', 'backpack', 'camera', 'chair', 'radio'];
const FIRST_DAY = Date.UTC(2026, 0, 1);

export function fieldsOf(agent: AgentRecord | undefined): readonly string[] {
  return agent?.fields ?? DEFAULT_FIELDS;
}

/** Those of its run, where that has others than the agent. */
export function columnsOf(agent: AgentRecord | undefined, parts: readonly Part[]): readonly string[] {
  return parts[0]?.fields ?? fieldsOf(agent);
}

export function* rowsOf(fields: readonly string[], parts: readonly Part[]): Generator<Row> {
  const makers = fields.map(makerOf);
  for (const { rowSeed, records, empty = {} } of parts) {
    const emptyRows = fields.map((field) => empty[field] ?? 0);
    const seed = hashText(rowSeed);
    for (let index = 0; index < records; index += 1) {
      const row = mix(seed, index);
      yield makers.map((make, column) =>
        index < (emptyRows[column] ?? 0) ? null : make(mix(row, column), index),
      );
    }
  }
}

type Maker = (hash: number, index: number) => Value;

const MAKERS: readonly (readonly [RegExp, Maker])[] = [
  [/^id$/i, (hash, index) => `${hash.toString(16).padStart(8, '0')}-${index + 1}`],
  [/(price|amount|total|count|quantity|salary|rating)$/i, (hash) => pick(hash, 100, 99_999) / 100],
  [/^(is|in|has)[A-Z]/, (hash) => hash % 4 > 0],
  [/currency$/i, (hash) => (hash % 5 > 0 ? 'EUR' : 'USD')],
  [/(url|link)$/i, (hash) => `https://shop.example/items/${hash}`],
  [/(At|date|time)$/i, (hash) => new Date(FIRST_DAY + pick(hash, 0, 364) * DAY_MS).toISOString()],
  [/country$/i, (hash) => COUNTRIES[hash % COUNTRIES.length] ?? null],
];
const COUNTRIES = ['DE', 'FR', 'IT', null];

/** By the name of the field. */
function makerOf(field: string): Maker {
  return MAKERS.find(([name]) => name.test(field))?.[1] ?? title;
}

function title(hash: number, index: number): string {
  const adjective = ADJECTIVES[hash % ADJECTIVES.length];
  return `${adjective} ${NOUNS[(hash >>> 8) % NOUNS.length]}, ${index + 1}`;
}

export function asObject(fields: readonly string[], row: Row): Record<string, Value> {
  return Object.fromEntries(fields.map((field, index) => [field, row[index] ?? null]));
}
