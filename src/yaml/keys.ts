import type { Anchors } from './anchors.js';
import { plainValue } from './library.js';
import type { ProblemList, YamlProblem } from './problem.js';
import type { Span } from './source.js';
import { quoted, unsafe } from './text.js';
import { type Entry, isPartial } from './tree.js';

/** Collects the entries of one map. Each key may be there once. */
export class MapEntries {
  readonly entries = new Map<string, Entry>();
  /** The entries whose keys are no texts to YAML, by what they are: `1` and `1.0` are the same key. */
  private readonly byValue = new Map<unknown, Entry>();
  private merged: Entry | null = null;

  constructor(
    private readonly problems: ProblemList,
    /** True at the top level of a document. */
    private readonly isTop: boolean,
  ) {}

  /** `isPlain`: the key has no quotes. */
  add(entry: Entry, isPlain: boolean): void {
    const { text } = entry.key;
    // In quotes, `<<` is an ordinary key.
    if (isPlain && text === '<<') this.addMerge(entry);
    else this.addOwn(entry, this.entries.get(text) ?? (isPlain ? this.sameValue(entry) : undefined));
  }

  private addOwn(entry: Entry, first: Entry | undefined): void {
    const { text } = entry.key;
    if (first === undefined) this.entries.set(text, entry);
    else {
      this.problems.add(duplicateKey(entry.key, first));
      // What it contains may be referred to. No key contains U+0000, so this one is unique.
      if (this.isTop) this.entries.set(`${text}\u0000${this.entries.size}`, { ...entry, repeated: true });
    }
  }

  private sameValue(entry: Entry): Entry | undefined {
    const value = plainValue(entry.key.text);
    if (typeof value === 'string') return undefined;
    const first = this.byValue.get(value);
    if (first === undefined) this.byValue.set(value, entry);
    return first;
  }

  private addMerge(entry: Entry): void {
    const help = 'Merge several maps with one key: `<<: [*a, *b]`. The first map takes precedence.';
    if (this.merged === null) this.merged = entry;
    else this.problems.add(duplicateKey(entry.key, this.merged, help));
  }

  /** Adds what is merged. True when some of it could not be read. */
  merge(anchors: Anchors): boolean {
    if (this.merged === null) return false;
    const { key, value } = this.merged;
    anchors.merge(value, key, this.entries);
    return isPartial(value);
  }
}

function duplicateKey(
  key: Entry['key'],
  first: Entry,
  help = 'Remove one of them, or give it another key.',
): YamlProblem {
  const message =
    key.text === first.key.text
      ? `${quoted(key.text)} is listed twice in this map`
      : `${quoted(key.text)} is the same key as ${quoted(first.key.text)} in this map`;
  const related = [{ message: 'first listed here', span: first.key }];
  return { code: 'duplicate-key', span: key, message, help, related };
}

/** Names that reach the prototype of an ordinary object in careless code. */
const forbiddenKeys = new Set(['__proto__', 'constructor', 'prototype']);

/** What is wrong with the text of a key; null when nothing is. */
export function invalidKey(text: string, span: Span): YamlProblem | null {
  if (text === '') return { code: 'invalid-key', span, message: 'a key is missing' };
  if (forbiddenKeys.has(text))
    return { code: 'invalid-key', span, message: `the key ${quoted(text)} is not allowed` };
  const invisible = unsafe(text, 'line');
  const message = `the key contains ${invisible}, an invisible character`;
  return invisible === null ? null : { code: 'invisible-character', span, message };
}

/** A key such as `target:agent/a` without a value: to YAML, all of it is the key. The place is that of its colon. */
export function missingSpace({ source, start, text }: Entry['key']): YamlProblem | null {
  if (!/^[A-Za-z][\w.-]*:[^\s:/]/.test(text)) return null;
  const colon = start + text.indexOf(':');
  const span = { source, start: colon, end: colon + 1 };
  return { code: 'syntax', span, message: 'a space is missing after this colon' };
}
