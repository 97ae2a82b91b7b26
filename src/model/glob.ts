/**
 * Globs: `*` and `?` stand for any characters and for one, `[a-z]` and `[!a-z]` for one of a set, `{a,b}` for one of several
 * globs, and `\` takes the meaning from the character after it. None of them stands for `/`, unless the glob crosses
 * slashes; `**` as a whole name stands for any number of names, also none before a slash.
 *
 * Globs come from people who are not trusted. So nothing is tried twice: a glob is in all places that it can have reached
 * at once, and a match takes no more steps than the product of both lengths.
 */
export class Glob {
  private readonly parts: readonly GlobPart[];
  /** Its beginning, as far as it stands for itself, and how many parts that is. */
  readonly opening: string;
  private readonly opened: number;
  /** For each part, the round in which it was last reached: each character reaches it once. */
  private readonly reached: Uint32Array;
  private round = 0;
  /** What is reached from a place, where it has been alone. */
  private readonly from: (readonly number[])[] = [];

  constructor(
    pattern: string,
    private readonly rules: GlobRules = {},
  ) {
    this.parts = new GlobReader(pattern, rules.crossing === true).parts;
    const special = this.parts.findIndex((part) => typeof part !== 'string');
    this.opened = special === -1 ? this.parts.length : special;
    this.opening = this.parts.slice(0, this.opened).join('');
    this.reached = new Uint32Array(this.parts.length + 1);
  }

  /** Whether it stands for its own text alone. */
  get isLiteral(): boolean {
    return this.opened === this.parts.length;
  }

  matches(text: string): boolean {
    const { opening } = this;
    if (!text.startsWith(opening)) {
      this.rules.spend?.(1);
      return false;
    }
    const isNewName = opening === '' || opening.endsWith('/');
    return this.isWhole(this.advance({ places: [this.opened], isNewName }, text.slice(opening.length)));
  }

  /** Where the glob is before any text. */
  start(): GlobProgress {
    return { places: [0], isNewName: true };
  }

  /** Where it is after more text. No places: nothing that begins so matches. */
  advance({ places, isNewName }: GlobProgress, text: string): GlobProgress {
    let [now, isFirst, steps] = [places, isNewName, 1];
    for (const char of text) {
      if (now.length === 0) break;
      const isHidden = isFirst && char === '.' && this.rules.hidden === false;
      const reached = isHidden ? this.reach(now, false) : this.reachAll(now);
      if (this.takesAll(reached)) break;
      steps += reached.length;
      now = this.after(reached, char, isHidden);
      isFirst = char === '/';
    }
    this.rules.spend?.(steps);
    return { places: now, isNewName: isFirst };
  }

  /** Whether the text up to here is one that the glob means. */
  isWhole({ places }: GlobProgress): boolean {
    return this.reachAll(places).includes(this.parts.length);
  }

  /** Whether it ends in what stands for any text, and has come to that. */
  private takesAll(places: readonly number[]): boolean {
    if (this.rules.hidden === false || this.parts.at(-1) !== anything) return false;
    return places.includes(this.parts.length - 1);
  }

  private after(places: readonly number[], char: string, isHidden: boolean): readonly number[] {
    const next: number[] = [];
    for (const place of places) {
      const part = this.parts[place];
      if (typeof part === 'string') {
        if (part === char) next.push(place + 1);
      } else if (part !== undefined && 'accepts' in part && !isHidden && part.accepts(char))
        next.push(part.repeats ? place : place + 1);
    }
    return next;
  }

  private reachAll(places: readonly number[]): readonly number[] {
    const [place] = places;
    if (place === undefined || places.length > 1) return this.reach(places, true);
    this.from[place] ??= this.reach(places, true);
    return this.from[place];
  }

  /** These places, and those that are reached from them without a character, each once. */
  private reach(places: readonly number[], skipsWildcards: boolean): readonly number[] {
    this.round += 1;
    const found: number[] = [];
    const left = [...places];
    for (let place = left.pop(); place !== undefined; place = left.pop()) {
      if (this.reached[place] === this.round) continue;
      this.reached[place] = this.round;
      const part = this.parts[place];
      if (typeof part === 'object' && 'to' in part) left.push(...part.to);
      else found.push(place);
      if (skipsWildcards && typeof part === 'object' && 'repeats' in part && part.repeats)
        left.push(place + 1);
    }
    return found;
  }
}

export interface GlobRules {
  /** Whether `*` and `?` also stand for slashes. Default: false. */
  readonly crossing?: boolean;
  /** Whether a name that begins with a dot is matched without a dot in the glob. Default: true. */
  readonly hidden?: boolean;
  readonly spend?: (steps: number) => void;
}

export interface GlobProgress {
  readonly places: readonly number[];
  /** Whether a name begins with the next character. */
  readonly isNewName: boolean;
}

/** A character that stands for itself, a wildcard, or a fork in the way. */
type GlobPart = string | Wildcard | Fork;

interface Wildcard {
  readonly accepts: (char: string) => boolean;
  /** Whether it stands for any number of characters. */
  readonly repeats: boolean;
}

/** Any text, slashes and all. */
const anything: Wildcard = { accepts: () => true, repeats: true };

interface Fork {
  /** The parts where it goes on. */
  readonly to: readonly number[];
}

interface Braces {
  readonly commas: number[];
  end: number;
}

class GlobReader {
  readonly parts: GlobPart[] = [];
  private readonly chars: readonly string[];
  private readonly lastBracket: number;
  /** By the place where they open. */
  private readonly braces = new Map<number, Braces>();
  private readonly inName: (char: string) => boolean;

  constructor(
    pattern: string,
    private readonly crossing: boolean,
  ) {
    this.inName = crossing ? () => true : (char) => char !== '/';
    this.chars = [...pattern];
    this.lastBracket = this.chars.lastIndexOf(']');
    this.findBraces();
    this.read(0, this.chars.length);
  }

  /** Braces that do not close, or have no comma, stand for themselves. */
  private findBraces(): void {
    const open: (Braces & { readonly start: number })[] = [];
    for (let at = 0; at < this.chars.length; at += 1) {
      const char = this.chars[at];
      if (char === '\\') at += 1;
      else if (char === '[') at = this.classEnd(at) ?? at;
      else if (char === '{') open.push({ start: at, commas: [], end: at });
      else if (char === ',') open.at(-1)?.commas.push(at);
      else if (char === '}') {
        const { start, commas } = open.pop() ?? { start: at, commas: [] };
        if (commas.length > 0) this.braces.set(start, { commas, end: at });
      }
    }
  }

  private read(from: number, end: number): void {
    let at = from;
    while (at < end) at = this.readPart(at);
  }

  /** Reads what is at a place. Returns where it ends. */
  private readPart(at: number): number {
    const { chars, parts, inName } = this;
    const char = chars[at] ?? '';
    if (char === '*') return this.readStars(at);
    if (char === '[') return this.readClass(at);
    if (char === '{') return this.readBraces(at);
    if (char === '?') parts.push({ accepts: inName, repeats: false });
    else if (char !== '\\' || at + 1 === chars.length) parts.push(char);
    else parts.push(chars[at + 1] ?? '');
    return at + (char === '\\' ? 2 : 1);
  }

  private readStars(at: number): number {
    const { chars, parts } = this;
    let end = at;
    while (chars[end] === '*') end += 1;
    const isWholeName = isEdge(chars[at - 1], '{') && isEdge(chars[end], '}');
    const isNames = end - at > 1 && isWholeName;
    if (isNames && chars[end] === '/') {
      parts.push({ to: [parts.length + 1, parts.length + 3] }, anything, '/');
      return end + 1;
    }
    parts.push(isNames || this.crossing ? anything : { accepts: this.inName, repeats: true });
    return end;
  }

  private readClass(at: number): number {
    const { chars, parts, inName } = this;
    const end = this.classEnd(at);
    if (end === null) {
      parts.push('[');
      return at + 1;
    }
    const isNegated = /^[!^]$/.test(chars[at + 1] ?? '');
    const ranges = rangesIn(chars.slice(at + (isNegated ? 2 : 1), end));
    const isAmong = (char: string) => ranges.some(([first, last]) => first <= char && char <= last);
    parts.push({ accepts: (char) => inName(char) && isAmong(char) !== isNegated, repeats: false });
    return end + 1;
  }

  /** Where a class closes, which a bracket at its beginning does not do; null where none does. */
  private classEnd(at: number): number | null {
    const { chars, lastBracket } = this;
    const first = at + (/^[!^]$/.test(chars[at + 1] ?? '') ? 2 : 1);
    for (let end = first; end <= lastBracket; end += 1) {
      if (chars[end] === ']' && end > first) return end;
      if (chars[end] === '\\') end += 1;
    }
    return null;
  }

  private readBraces(at: number): number {
    const { parts } = this;
    const braces = this.braces.get(at);
    if (braces === undefined) {
      parts.push('{');
      return at + 1;
    }
    const { commas, end } = braces;
    const fork = parts.push('') - 1;
    const [starts, ends]: [number[], number[]] = [[], []];
    for (const [index, stop] of [...commas, end].entries()) {
      starts.push(parts.length);
      this.read((index === 0 ? at : (commas[index - 1] ?? at)) + 1, stop);
      ends.push(parts.push('') - 1);
    }
    parts[fork] = { to: starts };
    for (const each of ends) parts[each] = { to: [parts.length] };
    return end + 1;
  }
}

/** Whether a name can begin after this character, or end before it. */
function isEdge(char: string | undefined, brace: string): boolean {
  return char === undefined || char === '/' || char === ',' || char === brace;
}

function rangesIn(chars: readonly string[]): [string, string][] {
  const ranges: [string, string][] = [];
  for (let at = 0; at < chars.length; at += 1) {
    if (chars[at] === '\\' && at + 1 < chars.length) at += 1;
    const [first = '', dash, last] = chars.slice(at, at + 3);
    const isRange = dash === '-' && last !== undefined;
    ranges.push([first, isRange ? last : first]);
    if (isRange) at += 2;
  }
  return ranges;
}
