import { resolve } from 'node:path';
import { type ApplyCallbacks, type ApplyOptions, apply } from '../engine/apply/apply.js';
import { readSavedPlan } from '../engine/saved-plan.js';
import { withSession } from '../engine/session.js';
import { checkWritable, writeAtomic } from '../files/atomic.js';
import { diagnosticsOf, problem } from '../model/diagnostic.js';
import type { LockInfo } from '../model/inventory.js';
import { isEmpty, type Plan } from '../model/plan.js';
import { forView } from '../model/plan-view.js';
import { isComplete } from '../model/report.js';
import { escapeControls } from '../view/escape.js';
import { jsonText } from '../view/json/json-text.js';
import { reportJson } from '../view/json/plan-json.js';
import { planText } from '../view/text/plan-text.js';
import { reportText } from '../view/text/report-text.js';
import type { CommandResult, FlagsOf, Implementation, RunContext } from './command/command.js';
import { exitCode } from './command/exit.js';
import { chooseDigest, chooseLockTimeout, planOptions, sessionOptions } from './command/flags.js';
import { type ProgressPrinter, progressOf } from './command/progress.js';
import { printDiagnostics, renderOptions } from './command/run-command.js';
import type { applyCommand, destroyCommand } from './commands/plan.js';
import { confirm } from './host/confirm.js';
import type { CommandContext } from './host/host.js';

export type ApplyFlags = FlagsOf<typeof applyCommand>;
type DestroyFlags = FlagsOf<typeof destroyCommand>;

/** What differs between the commands that carry out a plan. */
export interface CarryOutCommand {
  /** @throws Problem when the flags contradict each other, or nobody can confirm. */
  options(): ApplyOptions;
  /** Null when the flags confirm the plan. */
  readonly ask: ApplyCallbacks['confirm'] | null;
}

/** `roster apply`: plans, shows the plan, asks, and carries out exactly that plan. */
export const runApply: Implementation<typeof applyCommand> = (addresses, flags, context) =>
  carryOut(flags, context, {
    options: () => applyOptions(addresses, flags, context),
    ask: isConfirmed(flags)
      ? null
      : ({ service }) =>
          confirm(
            `Apply this plan to ${context.output.redactor.value(service)}?\nOnly 'yes' will be accepted: `,
          ),
  });

/** `roster destroy`: deletes what the inventory owns, after its user has typed the name of the project. */
export const runDestroy: Implementation<typeof destroyCommand> = (addresses, flags, context) =>
  carryOut(flags, context, {
    options: () => destroyOptions(addresses, flags, context),
    ask: isDestroyConfirmed(flags) ? null : (plan) => confirm(destroyQuestion(plan, context), plan.project),
  });

/** Plans, shows the plan, asks, carries out exactly that plan, and reports. */
async function carryOut(
  flags: DestroyFlags,
  context: RunContext,
  { options: readOptions, ask }: CarryOutCommand,
): Promise<CommandResult<'text' | 'json'>> {
  const { host, output } = context;
  const options = readOptions();
  const reportPath = flags.report === undefined ? null : resolve(host.cwd, flags.report);
  if (reportPath !== null) checkWritable(reportPath);
  const { report, declined } = await withSession(sessionOptions(flags, context), (session) =>
    apply(session, options, callbacksOf(flags, context, ask)),
  );
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
    diagnostics: [...report.diagnostics.slice(report.plan.diagnostics.length), ...unwritten],
    render: { json, text: (style) => (declined ? '' : reportText(shown, style, flags)) },
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

/** `--yes` alone is not enough: nobody may have seen what it deletes. */
function isDestroyConfirmed({ yes, expect }: DestroyFlags): boolean {
  return yes === true && expect !== undefined;
}

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
  const { host, output } = context;
  let progress: ProgressPrinter | undefined;
  let waitedFor: string | null = null;
  return {
    onPlan(plan) {
      showPlan(plan, flags, context, ask === null);
      progress = progressOf(plan, host, output);
    },
    onWait(holder) {
      // Each run is reported once.
      if (waitedFor === holder.name) return;
      waitedFor = holder.name;
      output.err(output.redactor.value(`${waitText(holder)}\n`));
    },
    onStep(event) {
      context.begin();
      progress?.onStep(event);
    },
    onStepsEnded: () => progress?.end(),
    ...(ask == null ? {} : { confirm: ask }),
  };
}

export function waitText({ name, since, takeOverMs }: LockInfo): string {
  const minutes = Math.ceil(takeOverMs / 60_000);
  return escapeControls(
    `Waiting for ${name}, which has held the lock since ${since}. If the lock is not renewed for ${minutes} min, this run takes it over. To remove it now, run \`roster unlock\`.`,
  );
}

function showPlan(plan: Plan, flags: DestroyFlags, context: CommandContext, isConfirmed: boolean): void {
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
