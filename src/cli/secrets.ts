/** Shorter values stand in ordinary text too often to be replaced there; the formats leave them out by themselves. */
const shortestSecret = 4;

const mask = '(sensitive)';

/** Words of the formats, places in files and digests: none of them is a value, and other programs rely on them. */
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

const addressForm = /^(?:agent|group|pipeline|schedule|key)\/(?=.)/;

/** What a walk is in: the model, whose names are fixed; a field's value, whose names are data, too; or start times. */
type Room = 'model' | 'data' | 'runs';

/** Values that must not be shown, and how they are taken out of what is. */
export class Secrets {
  private forms: readonly Form[] = [];
  private any: RegExp | null = null;
  private readonly known = new Set<string>();
  /** Addresses as they are shown, with what they stand for: two of them must never become one. */
  private readonly addresses = new Map<string, string>();

  add(secrets: Iterable<string>): void {
    const before = this.known.size;
    for (const secret of secrets) for (const form of formsOf(secret)) this.known.add(form);
    if (this.known.size === before) return;
    // Long ones first: one secret may hold another.
    this.forms = [...this.known].sort((a, b) => b.length - a.length).map(formOf);
    this.any = new RegExp(this.forms.map(({ pattern }) => pattern.source).join('|'));
  }

  /** A value's text, before a view has made anything of it. */
  inText(text: string): string {
    if (this.any?.test(text) !== true) return text;
    return this.forms.reduce((left, { pattern }) => left.replace(pattern, mask), text);
  }

  /**
   * A text that is laid out already. Only what cannot be a word of a format is replaced: `error` in
   * `::error`, or `true` in JSON, is none of the secret's doing.
   */
  inLaidOut(text: string): string {
    if (this.any?.test(text) !== true) return text;
    return this.forms.reduce(
      (left, { pattern, clear }) => (clear ? left.replace(pattern, mask) : left),
      text,
    );
  }

  /** The same value with every text in it as it may be shown. What holds no secret is handed back as it is. */
  inValue<T>(value: T): T {
    return this.any === null ? value : (this.walk(value, '', 'model') as T);
  }

  private walk(value: unknown, name: string, room: Room): unknown {
    if (typeof value === 'string') return room === 'data' ? this.inText(value) : this.modelText(value, name);
    if (typeof value === 'number') return room === 'data' ? this.number(value) : value;
    if (typeof value !== 'object' || value === null || value instanceof Date) return value;
    if (Array.isArray(value)) return this.list(value, name, room);
    // The ids of steps are never shown, and each must stay what the others refer to.
    if (name === 'steps' && room === 'model') return this.only(value, ['addresses', 'request']);
    return this.map(value as Readonly<Record<string, unknown>>, room);
  }

  private modelText(text: string, name: string): string {
    if (fixed.has(name) || name === 'steps' || (name === 'path' && !text.startsWith('/'))) return text;
    // As long as before, so that the marks stay under what they are about.
    if (name === 'lineText') return this.inLine(text);
    return addressForm.test(text) ? this.inAddress(text) : this.inText(text);
  }

  private number(value: number): unknown {
    const text = this.inText(String(value));
    return text === String(value) ? value : text;
  }

  private inLine(line: string): string {
    if (this.any?.test(line) !== true) return line;
    const stars = (found: string) => '*'.repeat(found.length);
    return this.forms.reduce((left, { pattern }) => left.replace(pattern, stars), line);
  }

  private inAddress(address: string): string {
    const shown = this.inText(address);
    if (shown === address) return address;
    const [kind = ''] = addressForm.exec(address) ?? [];
    const whole = shown.startsWith(kind) ? shown : kind + mask;
    let distinct = whole;
    for (let count = 2; (this.addresses.get(distinct) ?? address) !== address; count += 1)
      distinct = `${whole}-${count}`;
    this.addresses.set(distinct, address);
    return distinct;
  }

  private list(list: readonly unknown[], name: string, room: Room): readonly unknown[] {
    const shown = list.map((each) => this.walk(each, name, room));
    return shown.every((each, index) => each === list[index]) ? list : shown;
  }

  private map(map: Readonly<Record<string, unknown>>, room: Room): unknown {
    const shown = Object.entries(map).map(([name, each]) => [
      room === 'data' ? this.inText(name) : name,
      this.walk(each, name, roomOf(name, room)),
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

function roomOf(name: string, room: Room): Room {
  if (room !== 'model') return room;
  if (name === 'nextRuns') return 'runs';
  return name === 'before' || name === 'after' || name === 'body' ? 'data' : 'model';
}

interface Form {
  readonly pattern: RegExp;
  /** True when no word of a format, and no piece of its syntax, can be the same by chance. */
  readonly clear: boolean;
}

/** Where a secret has spaces, a view may have broken the line, indented and coloured what follows. */
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

/** Nobody learns anything from spaces. */
function formsOf(secret: string): string[] {
  if (secret.length < shortestSecret || secret.trim() === '') return [];
  const bytes = Buffer.from(secret);
  const encoded =
    bytes.length < 8 ? [] : [bytes.toString('base64').replace(/=+$/, ''), bytes.toString('hex')];
  return [secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret), ...encoded];
}
