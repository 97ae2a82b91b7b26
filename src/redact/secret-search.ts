import { MASK } from '../model/words.js';

/** Shorter values occur in texts by chance, and a mask there would tell that they are secret. */
const SHORTEST_SECRET = 8;

/** How a text is compared: as it is, without the case of `%2f`, or without the case of letters. All keep its length. */
const views = {
  exact: (text: string) => text,
  percent: (text: string) => text.replace(/%[0-9a-f]{2}/gi, (found) => found.toUpperCase()),
  // Other letters may become longer in lower case.
  hex: (text: string) =>
    isAscii(text) ? text.toLowerCase() : text.replace(/[A-Z]+/g, (found) => found.toLowerCase()),
} as const;

type View = keyof typeof views;

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
      let seen: string | null = null;
      for (const spelling of spellings) {
        // Most texts are shorter than most spellings.
        if (spelling.length > text.length) continue;
        seen ??= views[view](text);
        if (seen.includes(spelling)) all.push(...occurrences(seen, spelling));
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
    const seen = { exact: text, percent: views.percent(text), hex: views.hex(text) };
    for (const { secret, spellings } of spelled)
      if (!found.has(secret) && spellings.some(([view, each]) => seen[view].includes(each)))
        found.add(secret);
  }
  return found;
}

function isAscii(text: string): boolean {
  return /^[\0-\x7f]*$/.test(text);
}

function occurrences(text: string, part: string): Range[] {
  const found: Range[] = [];
  for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + part.length))
    found.push([at, at + part.length]);
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
  const percent = views.percent(encodeURIComponent(bytes.toString()));
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
  return [
    ...exact.map((text): [View, string] => ['exact', text]),
    ['percent', percent],
    ['percent', percent.replaceAll('%20', '+')],
    ['hex', bytes.toString('hex')],
  ];
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
