import { MASK } from '../model/words.js';
import { maskApiKeys } from './api-keys.js';
import { SecretSearch } from './secret-search.js';

/** Remembering shorter ones takes longer than looking again. */
const LONG_LIST = 100;
/** Names of inputs are from manifests, and may be many. */
const MOST_NAMES = 1_000;

/**
 * Masks API keys: those it knows, and whatever looks like one. It knows no other secret. Values from the environment
 * never reach it: plans hold their templates, and the client masks them in texts of the service. To search for them in
 * text that a manifest wrote would tell its author which words are secret.
 */
export class Redactor {
  private readonly keys = new SecretSearch();
  private readonly shown = new Set<string>();
  /** Lists in which no key was found: a plan is shown, and is a part of the report. */
  private clean = new WeakSet<readonly unknown[]>();
  /** Names of properties without a key: a plan has few, thousands of times. */
  private cleanNames = new Set<string>();

  /** For a key that is printed on purpose: that of the sandbox. */
  show(key: string): void {
    this.shown.add(key);
  }

  hide(keys: Iterable<string>): void {
    this.keys.add(keys);
    this.clean = new WeakSet();
    this.cleanNames = new Set();
  }

  /** The same value with each key in its texts masked, before a view lays them out. A value without keys is returned unchanged. */
  value<T>(value: T): T {
    return this.walk(value, '') as T;
  }

  /** The text that a view has made: the last look, for texts that nothing has masked before, such as `--help`. */
  text(text: string): string {
    return maskApiKeys(this.keys.mask(text), this.maskUnlessShown);
  }

  private readonly maskUnlessShown = (found: string) => (this.shown.has(found) ? found : MASK);

  private walk(value: unknown, name: string): unknown {
    if (typeof value === 'string') return name === 'lineText' ? this.line(value) : this.text(value);
    if (typeof value !== 'object' || value === null || value instanceof Date) return value;
    return Array.isArray(value) ? this.list(value) : this.map(value as Readonly<Record<string, unknown>>);
  }

  /** The length stays the same, so that the marks below the line stay in place. */
  private line(line: string): string {
    const stars = (found: string) => '*'.repeat(found.length);
    return maskApiKeys(this.keys.mask(line, stars), stars);
  }

  /** Copies only what contains a key: hardly anything does. */
  private list(list: readonly unknown[]): readonly unknown[] {
    if (this.clean.has(list)) return list;
    let shown: unknown[] | null = null;
    for (let index = 0; index < list.length; index += 1) {
      const masked = this.walk(list[index], '');
      if (masked === list[index]) continue;
      shown ??= [...list];
      shown[index] = masked;
    }
    if (shown === null && list.length >= LONG_LIST) this.clean.add(list);
    return shown ?? list;
  }

  private isClean(name: string): boolean {
    if (this.cleanNames.has(name)) return true;
    if (this.text(name) !== name) return false;
    if (this.cleanNames.size < MOST_NAMES) this.cleanNames.add(name);
    return true;
  }

  private map(map: Readonly<Record<string, unknown>>): unknown {
    let shown: Map<string, unknown> | null = null;
    for (const written of Object.keys(map)) {
      const masked = this.walk(map[written], written);
      if (masked === map[written] && this.isClean(written)) continue;
      shown ??= new Map(Object.entries(map));
      shown.set(written, masked);
    }
    return shown === null
      ? map
      : Object.fromEntries(Array.from(shown, ([name, each]) => [this.text(name), each]));
  }
}
