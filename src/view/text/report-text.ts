import type { Change } from '../../model/plan.js';
import type { ChangeOutcome, Outcome, Report } from '../../model/report.js';
import { actionWords } from '../change-labels.js';
import { escapeControls } from '../escape.js';
import { actingOutcomes, isComplete, outcomeCounts, reportLine } from '../summary-line.js';
import { indent, usableWidth, wrap } from './layout.js';
import { type Paint, painter, type Style, type TextOptions } from './paint.js';
import { headerLines } from './plan-text.js';

/**
 * What an apply did, for a person: the outcome of every acting change, the next command to type, and the summary as
 * the very last line (contract §5, §6). Diagnostics are not in it: they go to stderr.
 */
export function reportText(report: Report, options: TextOptions): string {
  const paint = painter(options.color);
  const width = usableWidth(options.width);
  const changes = new Map(report.plan.changes.map((change) => [change.address, change]));
  const outcomes = actingOutcomes(report).flatMap((outcome) => {
    const change = changes.get(outcome.address);
    return change === undefined ? [] : outcomeLines(outcome, change, width, paint);
  });
  const next = nextSteps(report).flatMap((line) => wrap(line, width));
  const last = paint(isComplete(report) ? 'strong' : 'danger', reportLine(report));
  // After a plan that was shown already, what it speaks of need not be said again.
  const header = outcomes.length === 0 ? headerLines(report.plan, width, paint) : [];
  const blocks = [header, outcomes, next, [last]];
  return `${blocks
    .filter((block) => block.length > 0)
    .map((block) => block.join('\n'))
    .join('\n\n')}\n`;
}

const outcomeWords: Readonly<Record<Outcome, { readonly word: string; readonly style: Style }>> = {
  done: { word: 'done', style: 'added' },
  failed: { word: 'FAILED', style: 'danger' },
  skipped: { word: 'not tried', style: 'changed' },
  unknown: { word: 'UNKNOWN', style: 'danger' },
};

function outcomeLines(result: ChangeOutcome, change: Change, width: number, paint: Paint): string[] {
  const { word, style } = outcomeWords[result.outcome];
  const { symbol, verb, past } = actionWords[change.action];
  const what = result.outcome === 'done' ? past : verb;
  const id = result.id ?? change.id;
  const object = id === null ? '' : `  id ${escapeControls(id)}`;
  // Never cut: the id is what a person copies.
  const line = `${symbol} ${what.padEnd(9)} ${escapeControls(result.address)}${object}`;
  const error = result.error === null ? [] : indent(wrap(escapeControls(result.error), width - 13), 13);
  return [`  ${paint(style, word.padEnd(9))}  ${line}`, ...error];
}

/** What to do now, in the order in which it should be read. */
function nextSteps(report: Report): string[] {
  const { failed, skipped, unknown } = outcomeCounts(report);
  const lines: string[] = [];
  const key = 'The API key that this run began with has ended: set ROSTER_API_KEY to one that works.';
  if (isComplete(report)) return report.keyEnded ? [`Next: ${key}`] : lines;
  if (report.interrupted) lines.push('The apply was interrupted.');
  if (unknown > 0)
    lines.push(
      'What is unknown the service may have done or not, for its answer was lost or cannot be relied on. The next plan finds out.',
    );
  if (report.diagnostics.some((each) => each.code === 'not-converged'))
    lines.push('The read-back found differences that are still there.');
  if (failed > 0)
    lines.push('Nothing is rolled back. When the cause is mended, running again finishes the work.');
  if (report.keyEnded) lines.push(`First: ${key}`);
  const left = failed + skipped + unknown > 0 || report.converged === false;
  lines.push(
    left
      ? 'Next: `roster plan` shows what is left, `roster apply` finishes it.'
      : 'Next: `roster plan` shows what is there now.',
  );
  return lines;
}
