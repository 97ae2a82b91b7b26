import type { DstAnomaly, NextRuns } from '../../model/plan.js';
import { escapeControls } from '../escape.js';
import { count, cut } from './layout.js';

/** `84 runs a week, 56 more than before`; null for a schedule that does not recur. */
export function frequencyText({ before, after }: NextRuns['pace']): string | null {
  const [old, now] = [before?.runsPerWeek ?? 0, after?.runsPerWeek ?? 0];
  if (after === null || (old === 0 && now === 0)) return null;
  const more = Math.round((now - old) * 100) / 100;
  const change = more === 0 ? 'as before' : `${Math.abs(more)} ${more > 0 ? 'more' : 'fewer'} than before`;
  return `${now} ${now === 1 ? 'run' : 'runs'} a week${before === null ? '' : `, ${change}`}`;
}

/** `the clocks skip 02:30 on 2027-03-28`, one line for each clock change. */
export function clockChangesText(changes: NextRuns['clockChanges']): string[] {
  return (changes ?? []).map(clockChangeText);
}

function clockChangeText({ effect, local, times }: DstAnomaly): string {
  const [date = '', time = ''] = cut(escapeControls(local), 30).split('T');
  const more = times > 1 ? ` and ${count(times - 1, 'more time')}` : '';
  const verb = effect === 'skipped' ? 'skips' : 'repeats';
  return `a clock change ${verb} ${time.replace(/^(\d\d:\d\d):00$/, '$1')}${more} on ${date}`;
}
