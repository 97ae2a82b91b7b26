import { problem } from '../../model/diagnostic.js';
import { MAX_ROWS } from '../../operate/data/rows.js';
import { type CommonFlags, wholeNumber } from '../command/flags.js';

export interface LimitFlags extends CommonFlags {
  readonly limit?: string;
  readonly all?: boolean;
}

const DEFAULT_LIMIT = 50;

/** `--limit N` or `--all`; null for all. */
export function chooseLimit({ limit, all = false }: LimitFlags): number | null {
  if (limit === undefined) return all ? null : DEFAULT_LIMIT;
  if (all) throw problem('usage', '`--limit` and `--all` exclude each other', 'Pass one of them.');
  return wholeNumber(limit, '--limit', 1, MAX_ROWS);
}
