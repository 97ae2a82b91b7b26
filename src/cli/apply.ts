import { resolve } from 'node:path';
import { type ApplyCallbacks, type ApplyOptions, apply, RefusedPlan } from '../engine/apply.js';
import { readSavedPlan } from '../engine/saved-plan.js';
import { isEverything } from '../engine/selectors.js';
import { type SessionOptions, withSession } from '../engine/session.js';
import { checkWritable, writeAtomic } from '../files/atomic.js';
import { diagnosticsOf, problem } from '../model/diagnostic.js';
import { isDiagnostic, isRefusal } from '../model/finding.js';
import { forView, isEmpty, type Plan } from '../model/plan.js';
import { isComplete } from '../model/report.js';
import { jsonText } from '../view/json/diagnostics-json.js';
import { refusedJson, reportJson } from '../view/json/plan-json.js';
import { planTextPieces } from '../view/text/plan-text.js';
import { applyQuestion } from '../view/text/question-text.js';
import { reportText } from '../view/text/report-text.js';
import type { CommandResult, FlagsOf, Implementation, RunContext } from './command/command.js';
import { exitCode, exitCodeFor } from './command/exit.js';
import { chooseDigest, chooseLockTimeout, planOptions, sessionOptions } from './command/flags.js';
import { RunReporter } from './command/progress.js';
import { printDiagnostics, renderOptions } from './command/run-command.js';
import type { applyCommand, destroyCommand } from './commands/plan.js';
import { confirm } from './host/confirm.js';
import type { CommandContext } from './host/host.js';
import type { LongText, Output } from './host/output.js';

export type ApplyFlags = FlagsOf<typeof applyCommand>;
type DestroyFlags = FlagsOf<typeof destroyCommand>;

/** What differs between the commands that carry out a plan. */
export interface CarryOutCommand {
  readonly session: SessionOptions;
  readonly options: ApplyOptions;
  /** Null when the flags confirm the plan. */
  readonly ask: ApplyCallbacks['confirm'] | null;
}

/** `roster apply`: plans, shows the plan, asks, and carries out exactly that plan. */
export const runApply: Implementation<typeof applyCommand> = async (addresses, flags, context) => {
  const session = sessionOptions(flags, context);
  const options = applyOptions(addresses, flags, context);
  return carryOut(flags, context, {
    session: { ...session, without: isEverything(options) ? undefined : 'entries' },
    options,
    ask: isConfirmed(flags)
      ? null
      : ({ changes, service }) =>
          confirm(
            `${context.output.redactor.text(applyQuestion({ changes, service }))}\nOnly 'yes' will be accepted: `,
          ),
  });
};

/** `roster destroy`: deletes what the inventory owns, after its user has typed the name of the project. */
export const runDestroy: Implementation<typeof destroyCommand> = async (addresses, flags, context) =>
  carryOut(flags, context, {
    session: sessionOptions(flags, context),
    options: destroyOptions(addresses, flags, context),
    ask: isDestroyConfirmed(flags) ? null : (plan) => confirm(destroyQuestion(plan, context), plan.project),
  });

/** Plans, shows the plan, asks, carries out exactly that plan, and reports. */
async function carryOut(
  flags: DestroyFlags,
  context: RunContext,
  { session, options, ask }: CarryOutCommand,
): Promise<CommandResult<'text' | 'json'>> {
  const { host, output } = context;
  const reportPath = flags.report === undefined ? null : resolve(host.cwd, flags.report);
  if (reportPath !== null) checkWritable(reportPath);
  const ran = await withSession(session, (opened) =>
    apply(opened, options, callbacksOf(flags, context, ask)),
  ).catch(refusedPlan);
  if (ran instanceof RefusedPlan) return refusedResult(ran, output);
  const { report, declined } = ran;
  // A plan without requests changes the inventory.
  if (report.outcomes.length > 0 && !declined) context.begin();
  const shown = output.redactor.value({ ...report, plan: forView(report.plan) });
  const json = () => output.redactor.text(jsonText(reportJson(shown)));
  // Changes have been made: a report that cannot be written is reported, and the result is still printed.
  const unwritten =
    reportPath === null || declined ? [] : await diagnosticsOf(writeAtomic(reportPath, json()));
  const complete = isComplete(report) && unwritten.length === 0;
  const failed = report.interrupted ? exitCode.interrupted : exitCode.incomplete;
  return {
    exit: declined ? exitCode.error : complete ? exitCode.fine : failed,
    diagnostics: [
      ...report.diagnostics.slice(report.plan.findings.filter(isDiagnostic).length),
      ...unwritten,
    ],
    render: { json, text: (style) => (declined ? '' : reportText(shown, style, flags)) },
  };
}

function refusedPlan(failure: unknown): RefusedPlan {
  if (failure instanceof RefusedPlan) return failure;
  throw failure;
}

/** A CI job sees what was refused without a second run. In text, the plan has been shown. */
function refusedResult(
  { plan, diagnostics }: RefusedPlan,
  { redactor }: Output,
): CommandResult<'text' | 'json'> {
  const shown = redactor.value({ plan: forView(plan), diagnostics });
  return {
    exit: exitCodeFor(diagnostics),
    diagnostics,
    render: { json: () => jsonText(refusedJson(shown.plan, shown.diagnostics)), text: () => '' },
  };
}

/** Throws a Problem when the flags contradict each other, or nobody can confirm. */
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

/** `--yes` alone is not enough: nobody may have seen what it deletes. */
function isDestroyConfirmed({ yes, expect }: DestroyFlags): boolean {
  return yes === true && expect !== undefined;
}

/** Throws a Problem when the flags contradict each other, or nobody can confirm. */
function destroyOptions(
  addresses: readonly string[],
  flags: DestroyFlags,
  { host }: CommandContext,
): ApplyOptions {
  const options = planOptions(addresses, flags);
  const lockTimeoutMilliseconds = chooseLockTimeout(flags);
  const expect = chooseDigest(flags);
  if (!isDestroyConfirmed(flags) && (flags.yes === true || !host.stdinIsTerminal)) {
    const message =
      flags.yes === true
        ? '`roster destroy --yes` requires `--expect`'
        : 'there is no terminal to ask for confirmation';
    const help =
      'Review `roster plan --destroy`, and pass its digest: `roster destroy --yes --expect DIGEST`.';
    throw problem('not-confirmed', message, help);
  }
  return { ...options, destroy: true, lockTimeoutMilliseconds, expect, verify: flags.verify !== false };
}

function destroyQuestion({ service, project, changes }: Plan, { output }: CommandContext): string {
  const count = changes.filter(({ action }) => action === 'delete').length;
  const what = count === 1 ? 'this object' : `these ${count} objects`;
  const where = output.redactor.value(service);
  return `Delete ${what} from ${where}? This cannot be undone.\nEnter the name of the project, ${project}, to confirm: `;
}

function callbacksOf(flags: DestroyFlags, context: RunContext, ask: CarryOutCommand['ask']): ApplyCallbacks {
  const reporter = new RunReporter(context, context.begin);
  return {
    ...reporter.callbacks,
    onPlan(plan) {
      showPlan(plan, flags, context, ask === null);
      reporter.expect(plan);
    },
    confirm: ask ?? undefined,
  };
}

function showPlan(plan: Plan, flags: DestroyFlags, context: CommandContext, isConfirmed: boolean): void {
  const { host, output } = context;
  const json = flags.format === 'json';
  // With JSON on stdout, the plan is shown only if it has to be confirmed.
  if (json && isConfirmed) return;
  printDiagnostics(plan.findings.filter(isDiagnostic), flags, context);
  if (isEmpty(plan) && !plan.findings.some(isRefusal)) return;
  // Why it is refused follows as errors.
  const shown = { ...forView(plan), findings: plan.findings.filter((each) => !isRefusal(each)) };
  const print = (text: LongText) => (json ? output.err(text) : output.out(text));
  print(planTextPieces(output.redactor.value(shown), renderOptions(flags, host)));
  print('\n');
}
