import type { Plan } from '../model/plan.js';
import { count } from './text/layout.js';

/** `Ignored here: 2 differences (roster why ADDRESS).` Null when there are none. */
export function ignoredLine({ ignored }: Pick<Plan, 'ignored'>): string | null {
  if (ignored === undefined || ignored.differences === 0) return null;
  return `Ignored here: ${count(ignored.differences, 'difference')} (roster why ADDRESS).`;
}
