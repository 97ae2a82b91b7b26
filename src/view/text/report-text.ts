import { isRisk } from '../../model/finding.js';
import { groupBy } from '../../model/json.js';
import type { Change } from '../../model/plan.js';
import {
  actingOutcomes,
  type ChangeOutcome,
  isComplete,
  type Outcome,
  outcomeCounts,
  type Report,
} from '../../model/report.js';
import { count } from '../../model/words.js';
import { escapeControls } from '../escape.js';
import { labelOf } from '../labels.js';
import { reportLine } from '../plan-words.js';
import {
  countsLine,
  indent,
  joinBlocks,
  type Style,
  type TextLayout,
  type TextOptions,
  textLayout,
  wrap,
} from './layout.js';
import { headerLines, planRiskLines, uncountedLines } from './plan-text.js';

/**
 * What an apply did, for a terminal: the outcomes, the next command to run, and the summary as the last line (contract
 * §5, §6). Diagnostics are left out: they go to stderr.
 */
export function reportText(report: Report, options: TextOptions, reviewed: ReviewedPlan = {}): string {
  const layout = textLayout(options);
  const outcomes = resultLines(report, layout);
  const next = nextSteps(report, reviewed).flatMap((line) => wrap(line, layout.width));
  const last = countsLine(reportLine(report), isComplete(report) ? 'strong' : 'danger', layout.paint);
  // If there are outcomes, the plan was shown before: it named the project, the service, and what is not managed.
  const wasShown = outcomes.length > 0;
  const header = wasShown ? [] : headerLines(report.plan, layout);
  // They are recorded, although there is nothing to send.
  const risks = wasShown ? [] : planRiskLines(report.plan.findings.filter(isRisk), layout);
  const left = wasShown ? [] : uncountedLines(report.plan);
  return joinBlocks([header, risks, outcomes, next, [...left, last]]);
}

/** The flags that name the plan which was reviewed: its rest needs no other review. */
export interface ReviewedPlan {
  readonly expect?: string | undefined;
  readonly plan?: string | undefined;
}

/** What is left to do in full, then what was done: a line for each kind and action, and with `verbose` for each change. */
function resultLines(report: Report, layout: TextLayout): string[] {
  const changes = new Map(report.plan.changes.map((change) => [change.address, change]));
  const results = actingOutcomes(report).flatMap((result): Result[] => {
    const change = changes.get(result.address);
    return change === undefined ? [] : [{ result, change }];
  });
  const of = (outcome: Outcome) => results.filter((each) => each.result.outcome === outcome);
  const left = [...of('failed'), ...of('unknown'), ...of('skipped')];
  const done = of('done');
  const inFull = layout.verbose ? [...left, ...done] : left;
  return [
    ...inFull.flatMap(({ result, change }) => outcomeLines(result, change, layout)),
    ...(layout.verbose ? [] : doneLines(done, layout)),
  ];
}

interface Result {
  readonly result: ChangeOutcome;
  readonly change: Change;
}

function doneLines(done: readonly Result[], { paint }: TextLayout): string[] {
  const { label, style } = outcomeLabels.done;
  return [...groupBy(done, ({ change }) => `${change.kind} ${labelOf(change).past}`).values()].flatMap(
    (group) => {
      const [first] = group;
      if (first === undefined) return [];
      const { symbol, past } = labelOf(first.change);
      const what = count(group.length, first.change.kind);
      return `  ${paint(style, label.padEnd(9))}  ${symbol} ${past.padEnd(9)} ${what}`;
    },
  );
}

const outcomeLabels: Readonly<Record<Outcome, { readonly label: string; readonly style: Style }>> = {
  done: { label: 'done', style: 'added' },
  failed: { label: 'FAILED', style: 'danger' },
  skipped: { label: 'not tried', style: 'changed' },
  unknown: { label: 'UNKNOWN', style: 'danger' },
};

function outcomeLines(result: ChangeOutcome, change: Change, { width, paint }: TextLayout): string[] {
  const { label, style } = outcomeLabels[result.outcome];
  const { symbol, verb, past } = labelOf(change);
  const action = result.outcome === 'done' ? past : verb;
  const id = result.id ?? change.id;
  const object = id === null ? '' : `  id ${escapeControls(id)}`;
  // Never cut, so that the id can be copied.
  const line = `${symbol} ${action.padEnd(9)} ${escapeControls(result.address)}${object}`;
  const error = result.error === null ? [] : indent(wrap(escapeControls(result.error), width - 13), 13);
  return [`  ${paint(style, label.padEnd(9))}  ${line}`, ...error];
}

/** What to do next, in the order in which to do it. */
function nextSteps(report: Report, reviewed: ReviewedPlan): string[] {
  const { failed, skipped, unknown } = outcomeCounts(report);
  const lines: string[] = [];
  const isDestroy = report.plan.destroy === true;
  const key = `The API key that this command started with no longer works. Set \`ROSTER_API_KEY\` to ${newKey(report)}.`;
  if (isComplete(report)) return report.keyEnded ? [`Next: ${key}`] : lines;
  if (report.interrupted)
    lines.push(isDestroy ? 'The destroy was interrupted.' : 'The apply was interrupted.');
  if (unknown > 0)
    lines.push(
      'The service may or may not have made the changes marked UNKNOWN: its response was lost, or its result could not be checked. The next plan shows what happened.',
    );
  if (report.diagnostics.some((each) => each.code === 'not-converged'))
    lines.push(
      isDestroy
        ? 'Some objects still exist after the destroy.'
        : 'After the apply, the service still differs from the manifests.',
    );
  if (report.keyEnded) lines.push(`First: ${key}`);
  const cause = failed > 0 ? 'fix the cause of what failed, and run ' : 'run ';
  const command = (name: string) => `roster ${name}${environmentFlag(report.plan)}`;
  if (failed > 0) lines.push('Nothing is rolled back.');
  const isBegun = failed + skipped + unknown > 0;
  const left = isBegun || report.converged === false;
  const rest = isBegun && !isDestroy ? resumeFlags(reviewed) : '';
  const look = isDestroy ? `${command('plan')} --destroy` : command('plan');
  // Another run may have applied other manifests meanwhile: to finish this one would undo them.
  if (report.diagnostics.some(({ code }) => code === 'locked'))
    return [...lines, `Next: run \`${look}\`, and review it before anything is applied again.`];
  lines.push(
    left
      ? `Next: ${cause}\`${command(isDestroy ? 'destroy' : 'apply')}${rest}\` to finish. \`${look}\` shows what is left.`
      : `Next: run \`${look}\` to see the current state.`,
  );
  return lines;
}

function resumeFlags({ expect, plan }: ReviewedPlan): string {
  if (plan !== undefined) return ` --plan ${escapeControls(plan)} --resume`;
  return expect === undefined ? '' : ` --expect ${expect} --resume`;
}

function environmentFlag({ environment }: Report['plan']): string {
  return environment === null ? '' : ` -e ${escapeControls(environment)}`;
}

function newKey({ newKeyFile }: Report): string {
  return newKeyFile == null ? 'a valid one' : `the key in ${escapeControls(newKeyFile)}`;
}
