import type { Source } from '../source.js';

/** Lines before a line that show how lines are indented. */
const NEARBY_LINES = 1000;

interface Recovery {
  readonly own: number;
  /** Indentations of mistakes that no earlier line has. */
  readonly wrong: ReadonlySet<number>;
  readonly floor: number;
  readonly since: number;
}

/**
 * After a mistake the library may assign the following lines to the wrong map or list. It recovers at a line that is
 * indented less than all of these. Until then, lines that are indented like the mistake's own or like those before it
 * are right, whatever the library reports about their place.
 */
export class IndentRecovery {
  /** How far the lines are indented, in spaces; null for empty lines and comments, which do not count. */
  private readonly indents: readonly (number | null)[];
  private state: Recovery | null = null;

  constructor(private readonly source: Source) {
    this.indents = source.text.split('\n').map(indentOf);
  }

  /** After a mistake that is reported. */
  begin(at: number, isPlace: boolean): void {
    const state = this.upTo(at);
    if (state !== null && !isPlace) return;
    const own = this.indentAt(at);
    const { known, parent } = this.before(at);
    const wrong = new Set([...(state?.wrong ?? []), ...(isPlace && !known.has(own) ? [own] : [])]);
    const floor = Math.min(parent + 1, state?.floor ?? Number.POSITIVE_INFINITY);
    this.state = { own, wrong, floor, since: at };
  }

  /** True for a line that is in its place. */
  excuses(at: number): boolean {
    const state = this.upTo(at);
    if (state === null) return false;
    const own = this.indentAt(at);
    const isUsual = this.before(at).known.has(own) && !state.wrong.has(own);
    // The mistake's own indentation counts as right until another one is used again.
    if (own !== state.own && !isUsual) return false;
    this.state = { ...state, own };
    return true;
  }

  private upTo(at: number): Recovery | null {
    const { state } = this;
    if (state === null) return null;
    const isBack = this.goBack(state.floor, state.since, at);
    this.state = isBack ? null : { ...state, since: Math.max(at, state.since) };
    return this.state;
  }

  private indentAt(offset: number): number {
    return this.indents[this.lineAt(offset)] ?? 0;
  }

  /** True when a line after the first offset, up to the second, is indented less than that, or not at all. */
  private goBack(indent: number, after: number, upTo: number): boolean {
    const between = this.indents.slice(this.lineAt(after) + 1, this.lineAt(upTo) + 1);
    return between.some((each) => each !== null && (each < indent || each === 0));
  }

  /** The indentations of the closest lines before a line, and that of the line it belongs to: -1 for none. */
  private before(offset: number): { readonly known: ReadonlySet<number>; readonly parent: number } {
    const own = this.indentAt(offset);
    const line = this.lineAt(offset);
    const above = this.indents.slice(Math.max(0, line - NEARBY_LINES), line).filter((each) => each !== null);
    return { known: new Set(above), parent: above.findLast((each) => each < own) ?? -1 };
  }

  private lineAt(offset: number): number {
    return this.source.place(offset, offset + 1).line - 1;
  }
}

function indentOf(line: string): number | null {
  const at = line.search(/[^ ]/);
  return at === -1 || /[\r#]/.test(line.charAt(at)) ? null : at;
}
