import type { Plan } from '../model/plan.js';
import { count } from './text/layout.js';

/** More addresses would not fit on the line. */
const maxNamed = 3;

/** `Ignored here: 2 differences (roster why schedule/nightly).` Null when there are none. */
export function ignoredLine({ ignored }: Pick<Plan, 'ignored'>): string | null {
  if (ignored === undefined || ignored.differences === 0) return null;
  const { differing } = ignored;
  const named = differing.length <= maxNamed ? differing.join(' ') : 'ADDRESS';
  return `Ignored here: ${count(ignored.differences, 'difference')} (roster why ${named}).`;
}
