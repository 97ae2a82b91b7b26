import { quoted } from '../yaml/text.js';
import { type Entry, sizeOf } from '../yaml/tree.js';
import type { Diagnostics } from './diagnostics.js';
import { limits } from './limits.js';

/** False, and told, for a value that holds more than is looked at in one go: each mistake in it takes memory. */
export function isWithinLimit({ key, value }: Entry, told: Diagnostics): boolean {
  if (sizeOf(value) <= limits.entry) return true;
  told.error('limit-exceeded', key, `${quoted(key.text)} holds more than ${limits.entry} values`, {
    help: 'Make several of it.',
  });
  return false;
}
