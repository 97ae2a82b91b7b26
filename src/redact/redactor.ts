import { ExactNumber } from '../model/exact-number.js';
import { MASK } from '../model/words.js';

/**
 * Masks API keys: those it knows, and whatever looks like one. It knows no other secret. Values from the environment
 * never reach it: plans hold their templates, and the client masks them in texts of the service. To search for them in
 * text that a manifest wrote would tell its author which words are secret.
 */
export class Redactor {
  private readonly keys = new SecretSearch();
  private readonly shown = new Set<string>();

  /** For a key that is printed on purpose: that of the sandbox. */
  show(key: string): void {
    this.shown.add(key);
  }

  hide(keys: Iterable<string>): void {
    this.keys.add(keys);
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
    if (typeof value !== 'object' || value === null) return value;
    if (value instanceof Date || value instanceof ExactNumber) return value;
    return Array.isArray(value) ? this.list(value) : this.map(value as Readonly<Record<string, unknown>>);
  }

  /** The length stays the same, so that the marks below the line stay in place. */
  private line(line: string): string {
    const stars = (found: string) => '*'.repeat(found.length);
    return maskApiKeys(this.keys.mask(line, stars), stars);
  }

  private list(list: readonly unknown[]): readonly unknown[] {
    const masked = list.map((each) => this.walk(each, ''));
    return masked.every((each, index) => each === list[index]) ? list : masked;
  }

  private map(map: Readonly<Record<string, unknown>>): unknown {
    const masked = Object.entries(map).map(
      ([name, each]) => [this.text(name), this.walk(each, name)] as const,
    );
    const isSame = Object.keys(map).every(
      (name, index) => masked[index]?.[0] === name && masked[index]?.[1] === map[name],
    );
    return isSame ? map : Object.fromEntries(masked);
  }
}

/** Shorter values occur in texts by chance, and a mask there would tell that they are secret. */
const SHORTEST_SECRET = 8;

/** A text as it is compared. `starts` says where each of its characters begins in the text, and where that ends. */
interface Seen {
  readonly text: string;
  /** Null where both have the same length. */
  readonly starts: readonly number[] | null;
}

/** How a text is compared: as it is, with `%2f` and, as in forms, `+` decoded, or without the case of letters. */
const views = {
  exact: (text: string): Seen => ({ text, starts: null }),
  percent: (text: string) => (/%[0-9a-f]{2}/i.test(text) ? decoded(text) : null),
  form: (text: string) => (text.includes('+') ? decoded(text.replaceAll('+', ' ')) : null),
  // Other letters may become longer in lower case.
  hex: (text: string): Seen => ({
    text: isAscii(text) ? text.toLowerCase() : text.replace(/[A-Z]+/g, (found) => found.toLowerCase()),
    starts: null,
  }),
} as const satisfies Readonly<Record<string, (text: string) => Seen | null>>;

type View = keyof typeof views;
const viewNames = Object.keys(views) as readonly View[];

/** The bytes of the text in UTF-8, one character each: any of them may be encoded, and any not. */
function decoded(text: string): Seen {
  const starts: number[] = [];
  let bytes = '';
  for (const { 0: piece, index } of text.matchAll(/%[0-9a-f]{2}|[^%]+|%/gi)) {
    if (piece.length === 3 && piece.startsWith('%')) {
      bytes += String.fromCharCode(Number.parseInt(piece.slice(1), 16));
      starts.push(index);
      continue;
    }
    let at = index;
    for (const character of piece) {
      const own = bytesOf(character);
      bytes += own;
      for (let byte = 0; byte < own.length; byte += 1) starts.push(at);
      at += character.length;
    }
  }
  return { text: bytes, starts: [...starts, text.length] };
}

function bytesOf(text: string): string {
  return isAscii(text) ? text : Buffer.from(text).toString('latin1');
}

type Range = readonly [start: number, end: number];

/**
 * Finds whole secrets in a text, plain or in a spelling that can be decoded. Never a piece of one: whoever can choose the
 * text would learn the secret piece by piece. Secrets are only compared, never made into patterns: they may be of any
 * length. Takes time linear in the length of the text for each secret.
 */
export class SecretSearch {
  private readonly spellings = new Map<View, Set<string>>();
  private shortest = Number.POSITIVE_INFINITY;

  add(secrets: Iterable<string>): void {
    for (const secret of secrets) {
      if (secret.length < SHORTEST_SECRET || secret.trim() === '') continue;
      for (const [view, text] of spellingsOf(secret)) this.spellingsIn(view).add(text);
    }
    const lengths = [...this.spellings.values()].flatMap((texts) => [...texts].map(({ length }) => length));
    this.shortest = Math.min(...lengths, Number.POSITIVE_INFINITY);
  }

  mask(text: string, mask: (found: string) => string = () => MASK): string {
    // Most texts of a plan are shorter than a key.
    const found = text.length < this.shortest ? [] : this.find(text);
    if (found.length === 0) return text;
    let shown = '';
    let from = 0;
    for (const [start, end] of found) {
      shown += text.slice(from, start) + mask(text.slice(start, end));
      from = end;
    }
    return shown + text.slice(from);
  }

  private spellingsIn(view: View): Set<string> {
    const known = this.spellings.get(view) ?? new Set();
    this.spellings.set(view, known);
    return known;
  }

  /** In order, and joined where they overlap: one secret may contain another. */
  private find(text: string): Range[] {
    const all: Range[] = [];
    for (const [view, spellings] of this.spellings) {
      let seen: Seen | null | undefined;
      for (const spelling of spellings) {
        // Most texts are shorter than most spellings.
        if (spelling.length > text.length) continue;
        seen ??= views[view](text);
        if (seen === null) break;
        for (const found of occurrences(seen, spelling)) all.push(found);
      }
    }
    return all.length === 0 ? all : joined(all.sort(([a], [b]) => a - b));
  }
}

/** Those secrets that one of the texts contains, in any spelling that a search finds. */
export function secretsIn(texts: readonly string[], secrets: readonly string[]): ReadonlySet<string> {
  const spelled = secrets.map((secret) => ({ secret, spellings: spellingsOf(secret) }));
  const found = new Set<string>();
  for (const text of texts) {
    const seen = new Map(viewNames.map((view) => [view, views[view](text)?.text]));
    for (const { secret, spellings } of spelled)
      if (!found.has(secret) && spellings.some(([view, each]) => seen.get(view)?.includes(each) === true))
        found.add(secret);
  }
  return found;
}

function isAscii(text: string): boolean {
  return /^[\0-\x7f]*$/.test(text);
}

function occurrences({ text, starts }: Seen, part: string): Range[] {
  const found: Range[] = [];
  for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + part.length)) {
    const end = at + part.length;
    found.push(starts === null ? [at, end] : [starts[at] ?? 0, starts[end] ?? 0]);
  }
  return found;
}

function joined(ranges: readonly Range[]): Range[] {
  const list: Range[] = [];
  for (const [start, end] of ranges) {
    const last = list.at(-1);
    if (last === undefined || start >= last[1]) list.push([start, end]);
    else list[list.length - 1] = [last[0], Math.max(last[1], end)];
  }
  return list;
}

function spellingsOf(secret: string): [View, string][] {
  const bytes = Buffer.from(secret);
  const plain = bytes.toString('latin1');
  const json = JSON.stringify(secret).slice(1, -1);
  const base64 = bytes.toString('base64');
  const exact = [
    secret,
    json,
    json.replaceAll('/', '\\/'),
    asciiJson(json),
    base64,
    ...base64Spellings(bytes),
  ];
  const spellings = exact.map((text): [View, string] => ['exact', text]);
  spellings.push(['percent', plain], ['hex', bytes.toString('hex')]);
  if (plain.includes(' ')) spellings.push(['form', plain]);
  return spellings;
}

function asciiJson(json: string): string {
  return json.replace(/[^\x20-\x7e]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** Inside a longer text, base64 depends on where the secret begins: what its neighbours decide is left out. */
function base64Spellings(bytes: Buffer): string[] {
  return [0, 1, 2].flatMap((before) => {
    const padded = Buffer.concat([Buffer.alloc(before), bytes]);
    const end = Math.floor((padded.length * 8) / 6);
    const start = Math.ceil((before * 8) / 6);
    return [padded.toString('base64').slice(start, end), padded.toString('base64url').slice(start, end)];
  });
}

/**
 * What looks like a whole API key (contract §2), whoever wrote it. Shorter tokens are shown: the service lists the first
 * characters of each key.
 */
const apiKey = /svc_live_[\w.~+/=%-]{16,}/gi;
const SHORTEST_KEY = 'svc_live_'.length + 16;

export function maskApiKeys(text: string, mask: (found: string) => string = () => MASK): string {
  return text.length < SHORTEST_KEY ? text : text.replace(apiKey, mask);
}

/** Where a text contains what looks like a whole API key. */
export function findApiKeys(text: string): { readonly start: number; readonly end: number }[] {
  return [...text.matchAll(apiKey)].map(({ 0: found, index }) => ({
    start: index,
    end: index + found.length,
  }));
}
