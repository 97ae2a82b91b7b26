import type { Source } from '../source.js';
import { Lines } from './lines.js';

interface State {
  readonly own: number;
  /** Indentations of mistakes that no line before has. */
  readonly wrong: ReadonlySet<number>;
  readonly floor: number;
  readonly since: number;
}

/**
 * After a mistake the library may take the lines that follow for parts of another map or list than they are of. It
 * comes back where one is indented less than all of these; until then, lines that are indented as the mistake's own
 * or as those before it are right, whatever the library says of their place.
 */
export class Derailed {
  private readonly lines: Lines;
  private state: State | null = null;

  constructor(source: Source) {
    this.lines = new Lines(source);
  }

  /** After a mistake that is told. */
  begin(at: number, isPlace: boolean): void {
    const state = this.upTo(at);
    if (state !== null && !isPlace) return;
    const own = this.lines.indentAt(at);
    const { known, parent } = this.lines.before(at);
    const wrong = new Set([...(state?.wrong ?? []), ...(isPlace && !known.has(own) ? [own] : [])]);
    const floor = Math.min(parent + 1, state?.floor ?? Number.POSITIVE_INFINITY);
    this.state = { own, wrong, floor, since: at };
  }

  /** True for a line that stands in its place. */
  excuses(at: number): boolean {
    const state = this.upTo(at);
    if (state === null) return false;
    const own = this.lines.indentAt(at);
    const isUsual = this.lines.before(at).known.has(own) && !state.wrong.has(own);
    // A mistake's own indentation is as good as others until one of them is used again.
    if (own !== state.own && !isUsual) return false;
    this.state = { ...state, own };
    return true;
  }

  private upTo(at: number): State | null {
    const { state } = this;
    if (state === null) return null;
    const isBack = this.lines.goBack(state.floor, state.since, at);
    this.state = isBack ? null : { ...state, since: Math.max(at, state.since) };
    return this.state;
  }
}
