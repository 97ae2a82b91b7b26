import type { Change } from '../model/plan.js';

/** What a reviewer must read of a change: its risks, and then its notes. How often a schedule runs is said beside them. */
export function sentencesOf({ risks, notes }: Pick<Change, 'risks' | 'notes'>): string[] {
  return [...risks.map((risk) => risk.besideCadence ?? risk.message), ...notes];
}
