import { plainValue } from './library.js';
import { allowedTokens, type YamlUsage, yamlLimits } from './limits.js';
import type { Source, Span, SyntaxRules } from './source.js';
import { type Entry, listNode, mapNode, type Node, type ScalarNode, scalarNode } from './tree.js';
import { isForbiddenKey } from './tree-builder.js';

/**
 * Reads the plain YAML that most manifests are: one document of block maps and lists, with texts, `[lists]` and `{ maps }`
 * that end on their line, and comments. Returns null for everything else, whether it is wrong or only rare: anchors, tags,
 * escapes, texts of several lines, quoted keys, limits that are passed. The `yaml` package reads those, and it decides what
 * YAML means: this reader makes the same tree, about five times as fast. Without it, roster behaves the same.
 */
export function readPlain(source: Source, rules: SyntaxRules, usage: YamlUsage): Node | null {
  return readable.test(source.text) ? new PlainReader(source, rules, usage).document() : null;
}

/** No tab, no carriage return, no byte order mark, no character that may be a line break. */
const readable = /^[\n -~\u00a0-\u2027\u202a-\ufefe\uff00-\uffff]*$/;

/** Up to the first colon, which must end the key. */
const keyPattern = /[^\n:]*:(?=[ \n]|$)/y;
const flowKeyPattern = /[^\n:,[\]{}]*:(?= )/y;
const flowTextPattern = /[^\n,[\]{}]*/y;
const doubleQuoted = /"[^"\\\n]*"/y;
const singleQuoted = /'[^'\n]*'(?!')/y;

/** How no text without quotes begins, and what none contains. */
const notPlain = /^(?:[-?:](?![^ ,[\]{}])|[,[\]{}#&*!|>'"%@`])|^$|: |:$| #/;
/** The marks of documents begin like a key, and `<<` merges. */
const notKey = /^(?:---|\.\.\.|<<$)/;
/** Characters that may be invisible. Some are allowed between certain letters: that is slow to check, and left to the library. */
const mayBeUnsafe = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u;
/** The library has its own limit, in bytes. */
const LONGEST_KEY = 1_000;

/** The column of the end of the text. */
const NONE = -1;

class PlainReader {
  private readonly text: string;
  private at = 0;
  /** The column of the current line: that of its first character other than a space, or of a map that begins after a dash. */
  private column = NONE;
  /** Where the last key or value ends: maps and lists end there, too. */
  private end = 0;
  private values = 0;
  private collections = 0;
  /** At least as many as the library finds. */
  private tokens = 0;
  private readonly allowedTokens: number;
  /** Keys that were checked: most are names of properties, which every entry has. */
  private readonly keys = new Map<string, string>();

  constructor(
    private readonly source: Source,
    private readonly rules: SyntaxRules,
    private readonly usage: YamlUsage,
  ) {
    this.text = source.text;
    this.allowedTokens = allowedTokens(source.text);
  }

  /** Counts what it has read only if it returns it. */
  document(): Node | null {
    this.startLine(0);
    const root = this.column === 0 ? this.map(0, 0) : null;
    if (root === null || this.column !== NONE || !this.isWithinLimits()) return null;
    this.usage.values += this.values;
    this.usage.collections += this.collections;
    return root;
  }

  /** Asked before each map and list, too: the library reads the file once more, so none of it should be read in vain. */
  private isWithinLimits(): boolean {
    const { values, collections } = yamlLimits;
    return (
      this.tokens <= this.allowedTokens &&
      this.usage.values + this.values <= values &&
      this.usage.collections + this.collections <= collections
    );
  }

  private map(column: number, depth: number): Node | null {
    const start = this.at;
    const entries = new Map<string, Entry>();
    if (!this.beginCollection(depth)) return null;
    do {
      const key = this.key(keyPattern);
      if (key === null || entries.has(key.text)) return null;
      const value = this.valueOfEntry(key, column, depth + 1);
      if (value === null || this.column > column) return null;
      entries.set(key.text, { key, value });
    } while (this.column === column && !this.isItem());
    return mapNode(this.span(start, this.end), entries, false);
  }

  /** What follows `key:`, on its line or below it. The list of a key may begin in the same column. */
  private valueOfEntry(key: Entry['key'], column: number, depth: number): Node | null {
    if (this.hasMore()) return this.restOfLine(depth);
    this.nextLine();
    if (this.column === column && this.isItem()) return this.list(column, depth);
    if (this.column > column) return this.block(depth);
    this.values += 1;
    return scalarNode(key, null);
  }

  private block(depth: number): Node | null {
    return this.isItem() ? this.list(this.column, depth) : this.map(this.column, depth);
  }

  private list(column: number, depth: number): Node | null {
    const start = this.at;
    const items: Node[] = [];
    if (!this.beginCollection(depth)) return null;
    while (this.column === column && this.isItem()) {
      const item = this.item(column, depth + 1);
      if (item === null || this.column > column) return null;
      items.push(item);
    }
    return listNode(this.span(start, this.end), items, false);
  }

  private isItem(): boolean {
    return this.text.charAt(this.at) === '-' && ' \n'.includes(this.text.charAt(this.at + 1));
  }

  /** What follows a dash. A map may begin on its line, in the column of its first key. */
  private item(column: number, depth: number): Node | null {
    const dash = this.at;
    this.at += 1;
    this.tokens += 2;
    if (!this.hasMore()) {
      this.nextLine();
      return this.column > column ? this.block(depth) : null;
    }
    if (this.endOf(keyPattern) === null) return this.restOfLine(depth);
    this.column = column + this.at - dash;
    return this.map(this.column, depth);
  }

  private restOfLine(depth: number): Node | null {
    const value = this.value(depth, false);
    if (value === null || this.hasMore()) return null;
    this.nextLine();
    return value;
  }

  private value(depth: number, isInFlow: boolean): Node | null {
    const sign = this.text.charAt(this.at);
    if (sign === '[') return this.flowList(depth);
    if (sign === '{') return this.flowMap(depth);
    if (sign === '"') return this.quoted(doubleQuoted);
    if (sign === "'") return this.quoted(singleQuoted);
    return this.plain(isInFlow ? this.endOf(flowTextPattern) : this.endBeforeComment());
  }

  private flowList(depth: number): Node | null {
    const start = this.at;
    const items: Node[] = [];
    if (!this.beginCollection(depth)) return null;
    for (let isOpen = this.opens(']'); isOpen; isOpen = this.continues(']')) {
      const item = this.value(depth + 1, true);
      if (item === null) return null;
      items.push(item);
    }
    return this.closes(']') ? listNode(this.span(start, this.end), items, true) : null;
  }

  private flowMap(depth: number): Node | null {
    const start = this.at;
    const entries = new Map<string, Entry>();
    if (!this.beginCollection(depth)) return null;
    for (let isOpen = this.opens('}'); isOpen; isOpen = this.continues('}')) {
      const key = this.key(flowKeyPattern);
      if (key === null || entries.has(key.text)) return null;
      this.skipSpaces();
      const value = this.value(depth + 1, true);
      if (value === null) return null;
      entries.set(key.text, { key, value });
    }
    return this.closes('}') ? mapNode(this.span(start, this.end), entries, true) : null;
  }

  /** Goes past the bracket that opens a collection. False if it is empty. */
  private opens(close: string): boolean {
    this.at += 1;
    this.tokens += 4;
    this.skipSpaces();
    return this.text.charAt(this.at) !== close;
  }

  /** Goes past the comma after a value. False if there is none, or nothing after it. */
  private continues(close: string): boolean {
    this.skipSpaces();
    if (this.text.charAt(this.at) !== ',') return false;
    this.at += 1;
    this.tokens += 1;
    this.skipSpaces();
    return this.text.charAt(this.at) !== close;
  }

  private closes(close: string): boolean {
    if (this.text.charAt(this.at) !== close) return false;
    this.at += 1;
    this.end = this.at;
    return true;
  }

  private beginCollection(depth: number): boolean {
    this.values += 1;
    this.collections += 1;
    return depth < yamlLimits.depth && this.isWithinLimits();
  }

  private key(pattern: RegExp): Entry['key'] | null {
    const start = this.at;
    const after = this.endOf(pattern);
    if (after === null || after - start > LONGEST_KEY) return null;
    const end = after - 1;
    const text = this.checkedKey(this.text.slice(start, end));
    if (text === null) return null;
    this.tokens += 3;
    this.at = after;
    this.end = end;
    return { source: this.source, start, end, text };
  }

  /** One text for all keys that are equal. */
  private checkedKey(text: string): string | null {
    const known = this.keys.get(text);
    if (known !== undefined) return known;
    if (notPlain.test(text) || notKey.test(text) || text.endsWith(' ')) return null;
    // To YAML, keys such as `1` and `1.0` are the same.
    if (typeof plainValue(text) !== 'string') return null;
    if (isForbiddenKey(text) || mayBeUnsafe.test(text)) return null;
    this.keys.set(text, text);
    return text;
  }

  private plain(limit: number | null): ScalarNode | null {
    let end = limit ?? this.at;
    while (end > this.at && this.text.charAt(end - 1) === ' ') end -= 1;
    const written = this.text.slice(this.at, end);
    if (notPlain.test(written)) return null;
    const value = plainValue(written) as ScalarNode['value'];
    if (typeof value === 'number' && this.rules.numberProblem(written, value) !== null) return null;
    return this.scalar(end, value);
  }

  private quoted(pattern: RegExp): ScalarNode | null {
    const end = this.endOf(pattern);
    return end === null ? null : this.scalar(end, this.text.slice(this.at + 1, end - 1));
  }

  private scalar(end: number, value: ScalarNode['value']): ScalarNode | null {
    const start = this.at;
    this.values += 1;
    this.tokens += 2;
    this.at = end;
    this.end = end;
    return end - start > yamlLimits.text ? null : scalarNode(this.span(start, end), value);
  }

  private endOf(pattern: RegExp): number | null {
    pattern.lastIndex = this.at;
    return pattern.test(this.text) ? pattern.lastIndex : null;
  }

  private endBeforeComment(): number {
    const comment = this.text.slice(this.at, this.endOfLine()).indexOf(' #');
    return comment === -1 ? this.endOfLine() : this.at + comment;
  }

  /** Goes past spaces and a comment. False at the end of the line. */
  private hasMore(): boolean {
    const from = this.at;
    this.skipSpaces();
    if (this.text.charAt(this.at) === '#' && this.at > from) {
      this.at = this.endOfLine();
      this.tokens += 1;
    }
    const sign = this.text.charAt(this.at);
    return sign !== '\n' && sign !== '';
  }

  private skipSpaces(): void {
    if (this.text.charAt(this.at) !== ' ') return;
    this.tokens += 1;
    while (this.text.charAt(this.at) === ' ') this.at += 1;
  }

  private endOfLine(): number {
    const end = this.text.indexOf('\n', this.at);
    return end === -1 ? this.text.length : end;
  }

  private nextLine(): void {
    this.startLine(this.at + 1);
  }

  /** Goes to the first line from there that is neither empty nor a comment. */
  private startLine(from: number): void {
    let start = from;
    let blanks = 0;
    for (this.at = start; this.at < this.text.length; this.at = start) {
      this.skipSpaces();
      const sign = this.text.charAt(this.at);
      if (sign !== '#' && sign !== '\n' && sign !== '') break;
      // The library looks through the empty lines before a comment once more.
      this.tokens += 2 + (sign === '#' ? blanks >> 6 : 0);
      blanks += 2;
      start = this.endOfLine() + 1;
    }
    this.tokens += 1;
    this.column = this.at < this.text.length ? this.at - start : NONE;
  }

  private span(start: number, end: number): Span {
    return { source: this.source, start, end };
  }
}
