import type { CST } from '../library.js';

/** Comments among the spaces and line breaks around them. */
export type Comments = CST.SourceToken[];

/** What follows a value. */
export function endOf(value: CST.Token): Comments | null {
  return 'end' in value && Array.isArray(value.end) ? value.end : null;
}

export function isComment({ type }: CST.SourceToken): boolean {
  return type === 'comment';
}

export function isSpacing({ type }: CST.SourceToken): boolean {
  return type === 'comment' || type === 'newline' || type === 'space';
}
