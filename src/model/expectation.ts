import { byCodeUnit, canonical, isJsonObject, type Json, type JsonObject } from './json.js';

/** `error`: what is unmet ends a command in 5. `warning`: it is reported only. */
export type ExpectationLevel = 'error' | 'warning';

/**
 * What an entry expects of the data that its runs collect (contract §20), as a manifest writes it. Shares are texts such as
 * `2%`. A part that is missing expects nothing.
 */
export interface Expectation {
  readonly records?: {
    readonly min?: number;
    /** How far below the median of the runs before it. */
    readonly drop?: string;
  };
  /** How long a run may take: `2 hours`. */
  readonly finish?: string;
  /** Each is there. With `only`, and no other. */
  readonly columns?: readonly string[] | { readonly only: readonly string[] };
  /** At most this share of rows without a value, by column. */
  readonly empty?: Readonly<Record<string, string>>;
  /** At most so many rows, or this share of them, that meet a condition of `data query --where`. */
  readonly rows?: Readonly<Record<string, number | string>>;
  /** What differs for one agent, as the manifest names it. */
  readonly members?: Readonly<Record<string, Expectation>>;
  readonly level?: ExpectationLevel;
}

/** The properties whose values are maps that are merged; all others count as a whole. */
const merged: ReadonlySet<string> = new Set(['records', 'empty', 'rows', 'members']);

/** Two layers, of which the upper one wins leaf by leaf. */
export function mergedExpectations(below: JsonObject, above: JsonObject): JsonObject {
  return mergedMaps(below, above, (name) => (name === 'members' ? mergedMembers : mergedLeaves));
}

type Merge = (below: JsonObject, above: JsonObject) => JsonObject;

function mergedMaps(below: JsonObject, above: JsonObject, mergeOf: (name: string) => Merge): JsonObject {
  const all: Record<string, Json> = { ...below };
  for (const [name, value] of Object.entries(above)) {
    const former = all[name];
    const isMerged = merged.has(name) && isJsonObject(former) && isJsonObject(value);
    all[name] = isMerged ? mergeOf(name)(former, value) : value;
  }
  return all;
}

function mergedLeaves(below: JsonObject, above: JsonObject): JsonObject {
  return { ...below, ...above };
}

function mergedMembers(below: JsonObject, above: JsonObject): JsonObject {
  const all: Record<string, Json> = { ...below };
  for (const [agent, value] of Object.entries(above)) {
    const former = all[agent];
    all[agent] = isJsonObject(former) && isJsonObject(value) ? mergedExpectations(former, value) : value;
  }
  return all;
}

/** A layer without the leaves that another one sets: what is merged over it does not hide those. */
export function withoutLeavesOf(layer: JsonObject, other: JsonObject): JsonObject {
  const left: Record<string, Json> = {};
  for (const [name, value] of Object.entries(layer)) {
    const set = other[name];
    if (set === undefined) left[name] = value;
    else if (merged.has(name) && isJsonObject(set) && isJsonObject(value)) {
      const rest = name === 'members' ? withoutMembersOf(value, set) : withoutNamesOf(value, set);
      if (Object.keys(rest).length > 0) left[name] = rest;
    }
  }
  return left;
}

function withoutNamesOf(layer: JsonObject, other: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(layer).filter(([name]) => !Object.hasOwn(other, name)));
}

function withoutMembersOf(layer: JsonObject, other: JsonObject): JsonObject {
  const left: Record<string, Json> = {};
  for (const [agent, value] of Object.entries(layer)) {
    const set = other[agent];
    const rest = isJsonObject(set) && isJsonObject(value) ? withoutLeavesOf(value, set) : value;
    if (!isJsonObject(rest) || Object.keys(rest).length > 0) left[agent] = rest;
  }
  return left;
}

/** What is expected of one agent of an entry, `names` being how a manifest may name it. Without `members`. */
export function expectationOf(whole: JsonObject, names: readonly string[]): Expectation {
  const { members = {}, ...own } = whole;
  const name = memberOf(whole, names);
  const differing = name !== null && isJsonObject(members) ? members[name] : undefined;
  // The schema has checked its form.
  return (isJsonObject(differing) ? mergedExpectations(own, differing) : own) as Expectation;
}

/** The name under which `members` says what differs for an agent. Null where it says nothing. */
export function memberOf({ members }: JsonObject, names: readonly string[]): string | null {
  return names.find((each) => isJsonObject(members) && Object.hasOwn(members, each)) ?? null;
}

/** The whole of what a share is a part of. */
export const WHOLE_SHARE = 1_000_000;

/** In millionths, which are whole numbers, so that sums are exact: `2%` is 20,000. Null for anything else. */
export function readShare(text: unknown): number | null {
  const [, digits] = /^(\d{1,3}(?:\.\d{1,4})?)%$/.exec(String(text)) ?? [];
  const share = digits === undefined ? Number.NaN : Math.round(Number(digits) * (WHOLE_SHARE / 100));
  return share <= WHOLE_SHARE ? share : null;
}

const UNITS: Readonly<Record<string, number>> = { minute: 60_000, hour: 3_600_000, day: 86_400_000 };

/** `2 hours`, in milliseconds. Null for anything else. */
export function readFinish(text: unknown): number | null {
  const [, digits, unit = ''] = /^(\d{1,5}) (minute|hour|day)s?$/.exec(String(text)) ?? [];
  return digits === undefined ? null : Number(digits) * (UNITS[unit] ?? 0);
}

export interface Weakening {
  /** `records.min` */
  readonly path: string;
  /** `800 → 20` */
  readonly change: string;
}

/** What a new expectation no longer demands of what the former one did, or demands less of. In the order of the paths. */
export function weakenings(before: JsonObject, after: JsonObject): readonly Weakening[] {
  const [former, own] = [demandsOf(before), demandsOf(after)];
  const paths = new Map([...former, ...own].map(([path, { common }]) => [path, common]));
  const sorted = [...paths].sort(([a], [b]) => byCodeUnit(a, b));
  return sorted.flatMap(([path, common]) => {
    const was = former.get(path) ?? former.get(common);
    const now = own.get(path) ?? own.get(common);
    if (was === undefined) return [];
    if (now === undefined) return [{ path, change: `${shown(was.value)} → nothing` }];
    const isWeaker = now.weakness > was.weakness || !now.covers(was.value);
    return isWeaker ? [{ path, change: `${shown(was.value)} → ${shown(now.value)}` }] : [];
  });
}

/** One thing that is expected. */
interface Demand {
  /** Its path without the agent: what holds for an agent for which nothing else is said. */
  readonly common: string;
  readonly value: Json;
  /** The higher, the weaker. */
  readonly weakness: number;
  /** For what is not a number: whether it demands all that another value does. */
  covers(value: Json): boolean;
}

/** As a manifest may write it: `[sku, price]`. */
function shown(value: Json): string {
  if (typeof value === 'string') return value;
  const { names, isOnly } = columnsOf(value);
  if (names.length === 0) return canonical(value);
  const list = `[${names.map((name) => (/^[\w.-]+$/.test(name) ? name : JSON.stringify(name))).join(', ')}]`;
  return isOnly ? `{ only: ${list} }` : list;
}

/** By path, such as `members.initech.records.min`. */
function demandsOf(whole: JsonObject): ReadonlyMap<string, Demand> {
  const { members, ...own } = whole;
  const found = new Map<string, Demand>();
  addDemands({ level: 'error', ...own }, '', found);
  for (const [agent, differing] of entriesOf(members))
    if (isJsonObject(differing)) addDemands(differing, `members.${agent}.`, found);
  return found;
}

function addDemands(own: JsonObject, prefix: string, found: Map<string, Demand>): void {
  const add = (common: string, value: Json, weakness: number, covers: Demand['covers'] = () => true) =>
    found.set(prefix + common, { common, value, weakness, covers });
  const { records, finish, columns, empty, rows, level } = own;
  for (const [name, value] of entriesOf(records))
    add(`records.${name}`, value, name === 'min' ? -Number(value) : (readShare(value) ?? WHOLE_SHARE));
  if (finish !== undefined) add('finish', finish, readFinish(finish) ?? 0);
  if (columns !== undefined) add('columns', columns, 0, (before) => coversColumns(columns, before));
  for (const [name, value] of entriesOf(empty)) add(`empty.${name}`, value, readShare(value) ?? WHOLE_SHARE);
  for (const [name, value] of entriesOf(rows)) {
    const weakness = readShare(value) ?? Number(value);
    // A number and a share cannot be compared: one in place of the other counts as weaker.
    add(`rows.${name}`, value, weakness, (before) => weakness === 0 || typeof before === typeof value);
  }
  if (level !== undefined) add('level', level, level === 'warning' ? 1 : 0);
}

function entriesOf(value: Json | undefined): readonly (readonly [string, Json])[] {
  return isJsonObject(value) ? Object.entries(value) : [];
}

function coversColumns(columns: Json, before: Json): boolean {
  const [now, was] = [columnsOf(columns), columnsOf(before)];
  const names = new Set(now.names);
  const hasAll = was.names.every((name) => names.has(name));
  return hasAll && (!was.isOnly || (now.isOnly && names.size === new Set(was.names).size));
}

/** Both forms of `columns`. */
export function columnsOf(columns: unknown): { readonly names: readonly string[]; readonly isOnly: boolean } {
  const isOnly = isJsonObject(columns);
  const names = isOnly ? columns['only'] : columns;
  return { names: Array.isArray(names) ? names.map(String) : [], isOnly };
}
