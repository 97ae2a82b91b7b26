import { type Finding, risk } from '../../model/finding.js';
import { byCodeUnit } from '../../model/json.js';
import { numberText } from '../../model/schedule.js';
import { some } from '../../model/words.js';
import type { Rule, World } from '../world.js';

/** Agent starts a week that more than double, and grow by more than a few (contract §18). */
export const load: Rule = {
  name: 'load',
  examine: ({ starts }) => muchMore(starts),
};

/** More starts a week than this are not a few. */
const MOST_NEW = 500;
/** Addresses that the message names. */
const MOST_NAMED = 3;

function muchMore({ startsPerWeek: { before, after, unknown }, growing }: World['starts']): Finding[] {
  if (after <= 2 * before || after - before <= MOST_NEW) return [];
  const most = growing.toSorted((a, b) => b.starts - a.starts || byCodeUnit(a.address, b.address));
  const [first] = most;
  const alike = most.filter(({ starts }) => starts === first?.starts).length;
  const named =
    first !== undefined && alike > MOST_NAMED
      ? `${first.address} and ${numberText(alike - 1)} like it, +${roundText(first.starts)} each`
      : some(
          most.map(({ address, starts }) => `${address} +${roundText(starts)}`),
          MOST_NAMED,
        );
  // A side with times that nobody knows is a lower bound.
  const [from, to] = [atLeast(before, unknown.before), atLeast(after, unknown.after)];
  const message = `agent starts a week grow from ${from} to ${to}; most are added by ${named}`;
  return [risk(null, { code: 'load', message })];
}

function atLeast(starts: number, unknown: number): string {
  return `${unknown > 0 ? 'at least ' : ''}${roundText(starts)}`;
}

function roundText(starts: number): string {
  return numberText(starts >= 100 ? Math.round(starts) : starts);
}
