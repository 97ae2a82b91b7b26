import { kinds } from '../kinds/index.js';
import type { Plan } from '../model/plan.js';
import { compareCalendars } from '../reconcile/calendar.js';
import type { Reconciled } from '../reconcile/plan.js';

/** The plan with the starts of the next days, which take as long to count as the plan itself. */
export function withCalendar(
  plan: Plan,
  { matches, externals }: Pick<Reconciled, 'matches' | 'externals'>,
  now: Date,
): Plan {
  const limit = plan.safeguards.limits.startsPerMinute;
  return { ...plan, calendar: compareCalendars({ kinds, list: matches, externals }, plan, { limit, now }) };
}
