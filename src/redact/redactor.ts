import { MASK } from './mask.js';

/** Shorter values occur in ordinary text too often to be replaced there. The views leave them out by themselves. */
const shortestSecret = 4;

/** Words of the formats, places in files, and digests: other programs rely on them, and none of them is a value. */
const fixed = new Set([
  'severity',
  'code',
  'kind',
  'action',
  'origin',
  'outcome',
  'method',
  'effect',
  'layout',
  'by',
  'rule',
  'what',
  'digest',
  'file',
]);

/** What only apply needs of a plan is never shown. */
const neverShown = new Set(['records', 'createIntents']);

/** What is walked: the model, whose property names are fixed; the value of a field, whose names are data too; or start times. */
type Region = 'model' | 'data' | 'runs';

/**
 * Knows the values that must not be shown, and replaces them by a mask: in plain, JSON-escaped, URL-encoded, base64 and
 * hexadecimal form. Every value is masked before a view turns it into text (`value`), and the text again before it is
 * written (`text`).
 */
export class Redactor {
  private forms: readonly Form[] = [];
  private any: RegExp | null = null;
  private readonly known = new Set<string>();
  private readonly kinds = new Set<string>();
  /** Masked addresses with the addresses that they stand for: two addresses must never become one. */
  private readonly addresses = new Map<string, string>();

  /** An address of one of these kinds keeps its kind: of `group/secret`, only the key is masked. */
  knowKinds(names: Iterable<string>): void {
    for (const name of names) this.kinds.add(name);
  }

  hide(secrets: Iterable<string>): void {
    const before = this.known.size;
    for (const secret of secrets) for (const form of formsOf(secret)) this.known.add(form);
    if (this.known.size === before) return;
    // Longest first: one secret may contain another.
    this.forms = [...this.known].sort((a, b) => b.length - a.length).map(formOf);
    this.any = new RegExp(this.forms.map(({ pattern }) => pattern.source).join('|'));
  }

  /** The same value with every secret in it masked. A part without secrets is returned unchanged. */
  value<T>(value: T): T {
    return this.any === null ? value : (this.walk(value, '', 'model') as T);
  }

  /**
   * The text that a view has made. Only a secret that cannot be a word of a format is masked: `error` in `::error`, or
   * `true` in JSON, belongs to the format even if a secret is the same word.
   */
  text(text: string): string {
    if (this.any?.test(text) !== true) return text;
    return this.forms.reduce(
      (left, { pattern, clear }) => (clear ? left.replace(pattern, MASK) : left),
      text,
    );
  }

  private plain(text: string): string {
    if (this.any?.test(text) !== true) return text;
    return this.forms.reduce((left, { pattern }) => left.replace(pattern, MASK), text);
  }

  private walk(value: unknown, name: string, region: Region): unknown {
    if (typeof value === 'string') return region === 'data' ? this.plain(value) : this.modelText(value, name);
    if (typeof value === 'number') return region === 'data' ? this.number(value) : value;
    if (typeof value !== 'object' || value === null || value instanceof Date) return value;
    if (Array.isArray(value)) return this.list(value, name, region);
    // The ids of steps are never shown, and other steps refer to them.
    if (name === 'steps' && region === 'model') return this.only(value, ['addresses', 'request']);
    return this.map(value as Readonly<Record<string, unknown>>, region);
  }

  private modelText(text: string, name: string): string {
    if (fixed.has(name) || name === 'steps' || (name === 'path' && !text.startsWith('/'))) return text;
    // The length stays the same, so that the marks below the line stay in place.
    if (name === 'lineText') return this.line(text);
    const end = text.indexOf('/') + 1;
    const isAddress = end > 0 && end < text.length && this.kinds.has(text.slice(0, end - 1));
    return isAddress ? this.address(text, text.slice(0, end)) : this.plain(text);
  }

  private number(value: number): unknown {
    const text = this.plain(String(value));
    return text === String(value) ? value : text;
  }

  private line(line: string): string {
    if (this.any?.test(line) !== true) return line;
    const stars = (found: string) => '*'.repeat(found.length);
    return this.forms.reduce((left, { pattern }) => left.replace(pattern, stars), line);
  }

  private address(address: string, kind: string): string {
    const shown = this.plain(address);
    if (shown === address) return address;
    const whole = shown.startsWith(kind) ? shown : kind + MASK;
    let distinct = whole;
    for (let count = 2; (this.addresses.get(distinct) ?? address) !== address; count += 1)
      distinct = `${whole}-${count}`;
    this.addresses.set(distinct, address);
    return distinct;
  }

  private list(list: readonly unknown[], name: string, region: Region): readonly unknown[] {
    const shown = list.map((each) => this.walk(each, name, region));
    return shown.every((each, index) => each === list[index]) ? list : shown;
  }

  private map(map: Readonly<Record<string, unknown>>, region: Region): unknown {
    const shown = Object.entries(map).map(([name, each]) => [
      region === 'data' ? this.plain(name) : name,
      region === 'model' && neverShown.has(name) ? {} : this.walk(each, name, regionOf(name, region)),
    ]);
    const same = Object.entries(map).every(
      ([name, each], index) => shown[index]?.[0] === name && shown[index]?.[1] === each,
    );
    return same ? map : Object.fromEntries(shown);
  }

  private only(step: object, names: readonly string[]): unknown {
    const shown = Object.entries(step).map(([name, each]) => [
      name,
      names.includes(name) ? this.walk(each, name, 'model') : each,
    ]);
    return Object.fromEntries(shown);
  }
}

function regionOf(name: string, region: Region): Region {
  if (region !== 'model') return region;
  if (name === 'nextRuns') return 'runs';
  return name === 'before' || name === 'after' || name === 'body' ? 'data' : 'model';
}

interface Form {
  readonly pattern: RegExp;
  /** True when it cannot be a word of a format or a piece of its syntax. */
  readonly clear: boolean;
}

/** Where a secret has spaces, a view may have wrapped the line, indented it and added colors. */
const gap = '(?:\\s|\\u001b\\[[0-9;]*m)+';

function formOf(text: string): Form {
  const source = text.split(/\s+/).map(literal).join(gap);
  return { pattern: new RegExp(source, 'g'), clear: isClear(text) };
}

function literal(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&');
}

function isClear(text: string): boolean {
  const isSyntax = /"\s*[,:\]}]|[[{,:]\s*"/.test(text);
  return text.length >= 16 && /\p{L}/u.test(text) && /[\p{N}\s]/u.test(text) && !isSyntax;
}

/** Spaces alone give nothing away. */
function formsOf(secret: string): string[] {
  if (secret.length < shortestSecret || secret.trim() === '') return [];
  const bytes = Buffer.from(secret);
  const encoded =
    bytes.length < 8 ? [] : [bytes.toString('base64').replace(/=+$/, ''), bytes.toString('hex')];
  return [secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret), ...encoded];
}
