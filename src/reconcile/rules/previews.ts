import type { Finding } from '../../model/finding.js';
import type { Desired } from '../../model/resource.js';
import type { Answered, NextRuns } from '../../model/schedule.js';
import type { Rule } from '../world.js';

/** What the service says of the next runs of a schedule: it rejects it, or computes other times. */
export const previews: Rule = {
  name: 'previews',
  examine: ({ diffs, answers, nextRuns }) => {
    const rejected = rejections(answers.previews ?? []);
    return diffs.flatMap(({ change: { address }, match: { entry } }) =>
      entry === null
        ? []
        : [...rejection(entry, rejected.get(address)), ...difference(entry, nextRuns.get(address))],
    );
  },
};

/** Why the service rejects what is declared, by address. */
function rejections(answers: readonly Answered[]): ReadonlyMap<string, string> {
  return new Map(
    answers.flatMap(({ ask: { side, address }, preview }) =>
      side === 'after' && 'rejected' in preview ? [[address, preview.rejected] as const] : [],
    ),
  );
}

function rejection({ source: place }: Desired, why: string | undefined): Finding[] {
  if (why === undefined) return [];
  const message = `the service would reject this schedule: ${why}`;
  const help = 'Correct the entry as the service says. Nothing was changed.';
  return [{ severity: 'error', code: 'rejected-by-preview', message, place, help }];
}

function difference({ address, source: place }: Desired, runs: NextRuns | undefined): Finding[] {
  if (runs === undefined || runs.computed === null) return [];
  const message = `${address}: the service's preview of the next runs differs from the times that roster computes`;
  const help =
    'Compare both lists in the plan. The service may interpret the timing differently than you expect.';
  return [{ severity: 'warning', code: 'preview-differs', message, place, help }];
}
