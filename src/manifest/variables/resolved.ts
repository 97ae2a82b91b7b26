import type { Json } from '../../model/json.js';
import type { Piece } from './template.js';

/** What a variable stands for. */
export interface Resolved {
  readonly value: Json;
  /** Null without values from the environment. */
  readonly template: Json;
  /** The number of values in it, and its levels of maps and lists. */
  readonly size: number;
  readonly height: number;
}

/** Costs no more than what was counted when the value was put together. */
export function measureOf(value: Json): Pick<Resolved, 'size' | 'height'> {
  if (typeof value === 'string') return { size: 1 + (value.length >> 4), height: 0 };
  if (typeof value !== 'object' || value === null) return { size: 1, height: 0 };
  let size = 1;
  let height = 0;
  for (const each of Object.values(value)) {
    const inner = measureOf(each);
    size += inner.size;
    height = Math.max(height, inner.height);
  }
  return { size, height: height + 1 };
}

/** A value from the environment counts as it is written: what fits must not tell how long the value is. */
export function countedText(
  piece: Piece,
  value: unknown,
  variables: ReadonlyMap<string, Resolved | string>,
): string {
  if (piece.type === 'env') return piece.written;
  const resolved = piece.type === 'var' ? variables.get(piece.name) : undefined;
  const template = typeof resolved === 'object' ? resolved.template : null;
  return String(template ?? value);
}
