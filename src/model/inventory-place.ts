import { canonical, isJsonObject, type Json } from './json.js';
import type { InventorySetting } from './resource.js';

/** `roster.inventory.json`, or `refs/heads/roster-inventory of origin`. */
export function placeLabel(place: InventorySetting): string {
  return 'file' in place ? place.file : `${place.git.ref} of ${place.git.remote}`;
}

export function isSamePlace(a: InventorySetting, b: InventorySetting): boolean {
  return canonical(a as Json) === canonical(b as Json);
}

/** What an inventory says of its place; null for anything else. */
export function placeFrom(value: Json | undefined): InventorySetting | null {
  if (!isJsonObject(value)) return null;
  const { file, git } = value;
  if (typeof file === 'string') return { file };
  const { ref, remote } = isJsonObject(git) ? git : {};
  return typeof ref === 'string' && typeof remote === 'string' ? { git: { ref, remote } } : null;
}
