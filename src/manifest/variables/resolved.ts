import type { Json } from '../../model/json.js';

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
