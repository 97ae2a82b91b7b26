import { errorsIn } from '../../model/diagnostic.js';
import { endText } from '../../model/hold.js';
import { groupBy } from '../../model/json.js';
import type {
  ChangeOutcome,
  HeldResource,
  HoldAction,
  HoldPlan,
  HoldReport,
  OutsideSchedule,
} from '../../model/report.js';
import { andMore, count, wordList } from '../../model/words.js';
import { escapeControls } from '../escape.js';
import { inventoryFact } from '../plan-words.js';
import { indent, joinBlocks, type TextLayout, type TextOptions, textLayout, wrap } from './layout.js';
import { factLines, headerLines } from './plan-text.js';

type EffectName = HeldResource['effect'];

/** More are counted, unless the user wants details. */
const MOST_LISTED = 100;

const titles: Readonly<Record<EffectName, string>> = {
  pause: 'Pause and hold',
  keep: 'Keep paused and hold, so that no apply enables it',
  renew: 'Renew, with the new reason and end',
  enable: 'Enable',
  end: 'End the hold, and leave as it is',
  none: 'Leave alone',
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
    outsideLines(made.outside, layout),
    [layout.paint('strong', planLine(made))],
  ]);
}

function order([first]: readonly HeldResource[]): number {
  return Object.keys(titles).indexOf(first?.effect ?? 'none');
}

function groupLines(group: readonly HeldResource[], { width, verbose, paint }: TextLayout): string[] {
  const [first] = group;
  if (first === undefined) return [];
  const title = titles[first.effect];
  const reason = first.why === null ? '' : ` (${escapeControls(first.why)})`;
  const listed = verbose ? group : group.slice(0, MOST_LISTED);
  return [
    ...wrap(`${title}${reason}:`, width).map((line) => paint('strong', line)),
    ...listed.flatMap(({ address, through }) => indent([escapeControls(`${address}${ways(through)}`)], 2)),
    ...(group.length > listed.length ? [` ${andMore(group.length - listed.length)} (\`-v\` lists all)`] : []),
  ];
}

/** By which group or pipeline an agent is started that was named. */
function ways(through: readonly string[]): string {
  return through.length === 0 ? '' : ` (through ${wordList(through, 'and')})`;
}

function outsideLines(outside: readonly OutsideSchedule[], { width, verbose, paint }: TextLayout): string[] {
  if (outside.length === 0) return [];
  const listed = verbose ? outside : outside.slice(0, MOST_LISTED);
  const left = outside.length - listed.length;
  return [
    ...wrap('Not held, because this project does not manage them:', width).map((line) =>
      paint('warning', line),
    ),
    ...listed.flatMap(({ kind, id, inBrief, through }) =>
      indent(wrap(escapeControls(`${kind} ${id ?? '?'}: ${inBrief}${ways(through)}`), width - 2), 2),
    ),
    ...(left > 0 ? [` ${andMore(left)} (\`-v\` lists all)`] : []),
  ];
}

/** `Hold: 3 to pause, 1 to renew, 2 left alone.` */
function planLine({ action, resources }: HoldPlan): string {
  const { pause, keep, renew, enable, end, none } = countsOf(resources);
  const nothing = 'nothing is selected';
  return action === 'hold'
    ? `Hold: ${counted({ 'to pause': pause, 'to hold (already paused)': keep, 'to renew': renew, 'left alone': none }) || nothing}.`
    : `Resume: ${counted({ 'to enable': enable, 'only to take off hold': end, 'not on hold': none }) || nothing}.`;
}

/** Only what there is. */
function counted(counts: Readonly<Record<string, number>>): string {
  return Object.entries(counts)
    .flatMap(([what, number]) => (number === 0 ? [] : [`${number} ${what}`]))
    .join(', ');
}

function countsOf(resources: readonly HeldResource[]): Record<EffectName, number> {
  const counts = { pause: 0, keep: 0, renew: 0, enable: 0, end: 0, none: 0 };
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

function nextText({ made: { action, resources }, outcomes, interrupted, diagnostics }: HoldReport): string {
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
  const isDone = !interrupted && outcomes.every(({ outcome }) => outcome === 'done');
  // The rest is for the other project to do, so running this command again would change nothing.
  const isLeftToOthers = errorsIn(diagnostics).every(({ code }) => code === 'owned-elsewhere');
  if (!isDone || !isLeftToOthers)
    parts.push(
      isDone
        ? `Next: resolve the errors, then run the same \`roster ${action}\` again.`
        : `Next: run the same \`roster ${action}\` again to finish.`,
    );
  const isHeld =
    has('done', 'unknown') || resources.some(({ effect }) => effect === 'renew' || effect === 'keep');
  if (holds && isHeld) parts.push('To undo it, run `roster resume` with the same addresses.');
  return parts.join(' ');
}

function reportLine({ made, outcomes, converged }: HoldReport): string {
  const { action, resources } = made;
  const counts = countsOf(resources);
  if (resources.every(({ effect }) => effect === 'none')) return nothingLine(action, resources.length);
  const of = (wanted: ChangeOutcome['outcome']) =>
    outcomes.filter(({ outcome }) => outcome === wanted).length;
  const parts =
    action === 'hold'
      ? { paused: of('done'), 'already paused and now on hold': counts.keep, renewed: counts.renew }
      : { enabled: of('done'), 'only taken off hold': counts.end };
  const failures = { failed: of('failed'), unknown: of('unknown'), 'not tried': of('skipped') };
  const title = action === 'hold' ? 'Hold' : 'Resume';
  return `${title} ${converged ? 'complete' : 'incomplete'}: ${counted({ ...parts, ...failures }) || 'nothing was changed'}.`;
}

function nothingLine(action: HoldAction, selected: number): string {
  if (selected > 0) return `Nothing to ${action}: ${count(selected, 'resource')} left alone.`;
  return action === 'hold'
    ? 'Nothing to hold: the selection has no schedule that is in the inventory.'
    : 'Nothing to resume: none of the selected schedules is on hold.';
}
