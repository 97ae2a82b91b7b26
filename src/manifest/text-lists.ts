import type { Json } from '../model/json.js';

/** The number of items; -1 for anything but a list. */
export function lengthOf(value: Json | undefined): number {
  return Array.isArray(value) ? value.length : -1;
}

/** The items that are texts, with their positions. */
export function texts(value: Json | undefined): { text: string; index: number }[] {
  if (!Array.isArray(value)) return [];
  return (value as readonly Json[]).flatMap((text, index) =>
    typeof text === 'string' && text !== '' ? [{ text, index }] : [],
  );
}
