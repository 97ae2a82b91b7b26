import { SECTIONS, type Section, type World } from './world.js';

/** What has changed in the world since it was last saved. */

/** What a change sets: records by section, and what the world holds besides records. */
const PARTS = ['apiKey', 'scopes', 'settings', 'users', 'lastSeq'] as const;

/** A line of the data file. */
export interface Change {
  readonly set: Partial<Record<Section, readonly unknown[]>> & Readonly<Record<string, unknown>>;
  /** Keys of records. */
  readonly removed: Partial<Record<Section, readonly string[]>>;
}

/**
 * Compares the world with a copy of what was saved. Handlers change records in many places, and a change that nobody noted
 * would be lost: comparing ten thousand records takes about as long as answering a request.
 */
export class Changes {
  /** The values of the fields of each record. */
  private readonly saved = new Map<Section, Map<string, readonly unknown[]>>();
  private readonly parts = new Map<string, unknown>();
  private readonly starts: Map<string, number>;

  constructor(private readonly world: World) {
    for (const section of SECTIONS) {
      const records = [...(world[section] as Map<string, object>)];
      this.saved.set(section, new Map(records.map(([key, record]) => [key, Object.values(copied(record))])));
    }
    for (const part of PARTS) this.parts.set(part, copied(world[part]));
    this.starts = new Map(world.starts);
  }

  /** Null if nothing has changed. What it returns counts as saved. */
  take(): Change | null {
    const set: Record<string, unknown> = {};
    const removed: Partial<Record<Section, string[]>> = {};
    for (const section of SECTIONS) {
      const [changed, gone] = this.ofSection(section);
      if (changed.length > 0) set[section] = changed;
      if (gone.length > 0) removed[section] = gone;
    }
    for (const part of PARTS) {
      if (isSame(this.world[part], this.parts.get(part))) continue;
      this.parts.set(part, copied(this.world[part]));
      set[part] = part === 'users' ? [...this.world.users.values()] : this.world[part];
    }
    const starts = [...this.world.starts].filter(([agent, count]) => this.starts.get(agent) !== count);
    for (const [agent, count] of starts) this.starts.set(agent, count);
    if (starts.length > 0) set['starts'] = Object.fromEntries(starts);
    return Object.keys(set).length === 0 && Object.keys(removed).length === 0 ? null : { set, removed };
  }

  private ofSection(section: Section): [changed: object[], gone: string[]] {
    const records = this.world[section] as Map<string, object>;
    const saved = this.saved.get(section) ?? new Map<string, readonly unknown[]>();
    const changed: object[] = [];
    for (const [key, record] of records) {
      if (isUnchanged(record, saved.get(key))) continue;
      saved.set(key, Object.values(copied(record)));
      changed.push(record);
    }
    const gone = saved.size === records.size ? [] : [...saved.keys()].filter((key) => !records.has(key));
    for (const key of gone) saved.delete(key);
    return [changed, gone];
  }
}

/** Compares plain data, as records are. */
function isSame(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (a instanceof Map) return b instanceof Map && isSame([...a], [...b]);
  const own = Object.values(a);
  const other = Object.values(b);
  return own.length === other.length && own.every((value, index) => isSame(value, other[index]));
}

/** The fields of a record are always in the same order. A loop, because it runs for every record after every change. */
function isUnchanged(record: object, saved: readonly unknown[] | undefined): boolean {
  const values = Object.values(record);
  if (values.length !== saved?.length) return false;
  for (let index = 0; index < values.length; index += 1) {
    if (values[index] !== saved[index] && !isSame(values[index], saved[index])) return false;
  }
  return true;
}

/** A copy of plain data. Several times as fast as `structuredClone`. */
export function copied<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof Map) return new Map([...value].map(([key, each]) => [key, copied(each)])) as T;
  if (Array.isArray(value)) return value.map(copied) as T;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, copied(each)])) as T;
}
