import { endText } from '../../model/hold.js';
import { groupBy } from '../../model/json.js';
import type { ChangeOutcome, HeldResource, HoldAction, HoldPlan, HoldReport } from '../../model/report.js';
import { andMore, count } from '../../model/words.js';
import { escapeControls } from '../escape.js';
import { inventoryFact } from '../plan-words.js';
import { indent, joinBlocks, type TextLayout, type TextOptions, textLayout, wrap } from './layout.js';
import { factLines, headerLines } from './plan-text.js';

type EffectName = HeldResource['effect'];

/** More are counted, unless the user wants details. */
const MOST_LISTED = 100;

const effects: Readonly<Record<EffectName, { readonly title: string; readonly past: string }>> = {
  pause: { title: 'Pause and hold', past: 'paused' },
  renew: { title: 'Renew, with the new reason and end', past: 'renewed' },
  enable: { title: 'Enable', past: 'enabled' },
  end: { title: 'End the hold, and leave as it is', past: 'left as it is' },
  none: { title: 'Leave alone', past: 'left alone' },
};

/** What a hold or its end will do, for a terminal. */
export function holdPlanText(made: HoldPlan, options: TextOptions): string {
  const layout = textLayout(options);
  const { hold, resources } = made;
  const why =
    hold === null ? [] : wrap(`Reason: "${escapeControls(hold.reason)}", ${endText(hold)}`, layout.width);
  const blocks = [...groupBy(resources, ({ effect, why: reason }) => `${effect} ${reason ?? ''}`).values()]
    .sort((a, b) => order(a) - order(b))
    .map((group) => groupLines(group, layout));
  return joinBlocks([
    [...headerLines(made.plan, layout), ...factLines(inventoryFact(made.plan), layout), ...why],
    ...blocks,
    [layout.paint('strong', planLine(made))],
  ]);
}

function order([first]: readonly HeldResource[]): number {
  return Object.keys(effects).indexOf(first?.effect ?? 'none');
}

function groupLines(group: readonly HeldResource[], { width, verbose, paint }: TextLayout): string[] {
  const [first] = group;
  if (first === undefined) return [];
  const { title } = effects[first.effect];
  const reason = first.why === null ? '' : ` (${escapeControls(first.why)})`;
  const listed = verbose ? group : group.slice(0, MOST_LISTED);
  return [
    ...wrap(`${title}${reason}:`, width).map((line) => paint('strong', line)),
    ...listed.flatMap(({ address }) => indent([escapeControls(address)], 2)),
    ...(group.length > listed.length ? [` ${andMore(group.length - listed.length)} (\`-v\` lists all)`] : []),
  ];
}

/** `Hold: 3 to pause, 1 to renew, 2 left alone.` */
function planLine({ action, resources }: HoldPlan): string {
  const counts = countsOf(resources);
  return action === 'hold'
    ? `Hold: ${counts.pause} to pause, ${counts.renew} to renew, ${counts.none} left alone.`
    : `Resume: ${counts.enable} to enable, ${counts.end} left as they are, ${counts.none} not on hold.`;
}

function countsOf(resources: readonly HeldResource[]): Record<EffectName, number> {
  const counts = { pause: 0, renew: 0, enable: 0, end: 0, none: 0 };
  for (const { effect } of resources) counts[effect] += 1;
  return counts;
}

/** What was done, and what to do next, with the summary as the last line. */
export function holdReportText(report: HoldReport, options: TextOptions): string {
  const layout = textLayout(options);
  const left = report.outcomes.filter(({ outcome }) => outcome !== 'done');
  const line = reportLine(report);
  return joinBlocks([
    left.flatMap((each) => outcomeLines(each, layout)),
    report.converged ? [] : wrap(nextText(report), layout.width),
    [layout.paint(report.converged ? 'strong' : 'danger', line)],
  ]);
}

const labels = { failed: 'FAILED', unknown: 'UNKNOWN', skipped: 'not tried', done: 'done' } as const;

function outcomeLines({ address, outcome, error }: ChangeOutcome, { width, paint }: TextLayout): string[] {
  const heading = `  ${paint('danger', labels[outcome].padEnd(9))}  ${escapeControls(address)}`;
  return [heading, ...(error === null ? [] : indent(wrap(escapeControls(error), width - 13), 13))];
}

function nextText({ made: { action, resources }, outcomes, interrupted }: HoldReport): string {
  const holds = action === 'hold';
  const has = (...some: ChangeOutcome['outcome'][]) => outcomes.some(({ outcome }) => some.includes(outcome));
  const parts = [];
  if (interrupted) parts.push(`The ${action} was interrupted.`);
  if (has('failed', 'skipped'))
    parts.push(
      holds
        ? 'Resources that were not paused are not on hold.'
        : 'Resources that were not enabled are still on hold.',
    );
  if (has('unknown'))
    parts.push(
      holds
        ? 'Resources with an unknown result are recorded as on hold, so the next apply pauses any that still run.'
        : 'Resources with an unknown result are recorded as no longer on hold, so the next apply enables any that are still paused.',
    );
  parts.push(`Next: run the same \`roster ${action}\` again to finish.`);
  const isHeld = has('done', 'unknown') || resources.some(({ effect }) => effect === 'renew');
  if (holds && isHeld) parts.push('To undo it, run `roster resume` with the same addresses.');
  return parts.join(' ');
}

function reportLine({ made, outcomes, converged }: HoldReport): string {
  const { action, resources } = made;
  const verb = action === 'hold' ? 'paused' : 'enabled';
  const done = outcomes.filter(({ outcome }) => outcome === 'done').length;
  const counts = countsOf(resources);
  const recorded = counts.renew + counts.end;
  if (resources.every(({ effect }) => effect === 'none')) return nothingLine(action, resources.length);
  const more = action === 'hold' ? `${recorded} renewed` : `${recorded} left as they are`;
  const parts = [`${done} ${verb}`, ...(recorded === 0 ? [] : [more])];
  const of = (wanted: ChangeOutcome['outcome']) =>
    outcomes.filter(({ outcome }) => outcome === wanted).length;
  const failures = [
    [of('failed'), 'failed'],
    [of('unknown'), 'unknown'],
    [of('skipped'), 'not tried'],
  ] as const;
  for (const [number, what] of failures) if (number > 0) parts.push(`${number} ${what}`);
  const title = action === 'hold' ? 'Hold' : 'Resume';
  return `${title} ${converged ? 'complete' : 'incomplete'}: ${parts.join(', ')}.`;
}

function nothingLine(action: HoldAction, selected: number): string {
  if (selected > 0) return `Nothing to ${action}: ${count(selected, 'resource')} left alone.`;
  return action === 'hold'
    ? 'Nothing to hold: there are no schedules.'
    : 'Nothing to resume: nothing is on hold.';
}
