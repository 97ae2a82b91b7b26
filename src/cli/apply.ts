import { resolve } from 'node:path';
import { type ApplyCallbacks, type ApplyOptions, apply, RefusedPlan } from '../engine/apply.js';
import { readSavedPlan } from '../engine/saved-plan.js';
import { withSession } from '../engine/session.js';
import { checkWritable, writeAtomic } from '../files/atomic.js';
import { diagnosticsOf, problem } from '../model/diagnostic.js';
import { isEmpty, type Plan } from '../model/plan.js';
import { forView } from '../model/plan-view.js';
import { isComplete } from '../model/report.js';
import { jsonText } from '../view/json/json-text.js';
import { refusedJson, reportJson } from '../view/json/plan-json.js';
import { planText } from '../view/text/plan-text.js';
import { reportText } from '../view/text/report-text.js';
import { declarations } from './command/declarations.js';
import { exitCode, exitCodeFor } from './command/exit.js';
import {
  chooseDigest,
  chooseLockTimeout,
  type GuardFlags,
  planOptions,
  sessionOptions,
} from './command/flags.js';
import { printDiagnostics } from './command/print-diagnostics.js';
import { RunReporter } from './command/progress.js';
import { type CommandResult, renderOptions, runCommand } from './command/run-command.js';
import { confirm } from './host/confirm.js';
import type { CommandContext } from './host/host.js';
import type { Output } from './host/output.js';

/** Flags of the commands that carry out a plan. */
export interface CarryOutFlags extends GuardFlags {
  readonly yes?: boolean;
  readonly expect?: string;
  readonly report?: string;
  readonly verify?: boolean;
  readonly lockTimeout?: string;
}

export interface ApplyFlags extends CarryOutFlags {
  readonly plan?: string;
  readonly resume?: boolean;
}

/** What differs between the commands that carry out a plan. */
export interface CarryOutCommand {
  readonly formats: readonly ['text', ...string[]];
  /** @throws Problem when the flags contradict each other, or nobody can confirm. */
  options(): ApplyOptions;
  /** Null when the flags confirm the plan. */
  readonly ask: ApplyCallbacks['confirm'] | null;
}

/** `roster apply`: plans, shows the plan, asks, and carries out exactly that plan. */
export function applyCommand(
  addresses: readonly string[],
  flags: ApplyFlags,
  context: CommandContext,
): Promise<number> {
  return carryOut(flags, context, {
    formats: declarations.apply.formats,
    options: () => applyOptions(addresses, flags, context),
    ask: isConfirmed(flags)
      ? null
      : ({ service }) =>
          confirm(
            `Apply this plan to ${context.output.redactor.value(service)}?\nOnly 'yes' will be accepted: `,
          ),
  });
}

/** Plans, shows the plan, asks, carries out exactly that plan, and reports. */
export function carryOut(
  flags: CarryOutFlags,
  context: CommandContext,
  { formats, options: readOptions, ask }: CarryOutCommand,
): Promise<number> {
  return runCommand(flags, formats, context, async (begin) => {
    const { host, output } = context;
    const options = readOptions();
    const reportPath = flags.report === undefined ? null : resolve(host.cwd, flags.report);
    if (reportPath !== null) checkWritable(reportPath);
    const ran = await withSession(sessionOptions(flags, context), (session) =>
      apply(session, options, callbacksOf(flags, context, ask, begin)),
    ).catch(refusedPlan);
    if (ran instanceof RefusedPlan) return refusedResult(ran, output);
    const { report, declined } = ran;
    // A plan without requests changes the inventory.
    if (report.outcomes.length > 0 && !declined) begin();
    const shown = output.redactor.value({ ...report, plan: forView(report.plan) });
    const json = () => output.redactor.text(jsonText(reportJson(shown)));
    // Changes have been made: a report that cannot be written is reported, and the result is still printed.
    const unwritten =
      reportPath === null || declined ? [] : await diagnosticsOf(writeAtomic(reportPath, json()));
    const complete = isComplete(report) && unwritten.length === 0;
    const failed = report.interrupted ? exitCode.interrupted : exitCode.incomplete;
    return {
      exit: declined ? exitCode.error : complete ? exitCode.fine : failed,
      diagnostics: [...report.diagnostics.slice(report.plan.diagnostics.length), ...unwritten],
      render: { json, text: (style) => (declined ? '' : reportText(shown, style, flags)) },
    };
  });
}

function refusedPlan(failure: unknown): RefusedPlan {
  if (failure instanceof RefusedPlan) return failure;
  throw failure;
}

/** A CI job sees what was refused without a second run. In text, the plan has been shown. */
function refusedResult({ plan, diagnostics }: RefusedPlan, { redactor }: Output): CommandResult<string> {
  const shown = redactor.value({ plan: forView(plan), diagnostics });
  return {
    exit: exitCodeFor(diagnostics),
    diagnostics,
    render: { json: () => jsonText(refusedJson(shown.plan, shown.diagnostics)), text: () => '' },
  };
}

function applyOptions(
  addresses: readonly string[],
  flags: ApplyFlags,
  { host }: CommandContext,
): ApplyOptions {
  const options = planOptions(addresses, flags);
  const lockTimeoutMilliseconds = chooseLockTimeout(flags);
  const expect = chooseDigest(flags);
  const { plan, resume, verify = true } = flags;
  if (resume === true && expect === undefined && plan === undefined)
    throw problem('usage', '--resume needs --expect or --plan', 'Pass the plan to resume.');
  const saved = plan === undefined ? undefined : readSavedPlan(resolve(host.cwd, plan), plan);
  if (!isConfirmed(flags) && !host.stdinIsTerminal) {
    const help = 'Use `--yes`, or `--expect DIGEST` with the digest of the reviewed plan.';
    throw problem('not-confirmed', 'there is no terminal to ask for confirmation', help);
  }
  return { ...options, lockTimeoutMilliseconds, expect, resume, saved, verify };
}

/** A plan that was reviewed elsewhere needs no confirmation: `--expect` and `--plan` name it. */
function isConfirmed({ yes, expect, plan }: ApplyFlags): boolean {
  return yes === true || expect !== undefined || plan !== undefined;
}

function callbacksOf(
  flags: CarryOutFlags,
  context: CommandContext,
  ask: CarryOutCommand['ask'],
  begin: () => void,
): ApplyCallbacks {
  const reporter = new RunReporter(context, begin);
  return {
    ...reporter.callbacks,
    onPlan(plan) {
      showPlan(plan, flags, context, ask === null);
      reporter.expect(plan);
    },
    ...(ask == null ? {} : { confirm: ask }),
  };
}

function showPlan(plan: Plan, flags: CarryOutFlags, context: CommandContext, isConfirmed: boolean): void {
  const { host, output } = context;
  const json = flags.format === 'json';
  // With JSON on stdout, the plan is shown only if it has to be confirmed.
  if (json && isConfirmed) return;
  printDiagnostics(plan.diagnostics, flags, context);
  if (isEmpty(plan) && plan.objections.length === 0) return;
  // Why it is refused follows as errors.
  const shown = { ...forView(plan), objections: [] };
  const text = `${planText(output.redactor.value(shown), renderOptions(flags, host))}\n`;
  if (json) output.err(text);
  else output.out(text);
}
