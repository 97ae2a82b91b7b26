import { type HoldCallbacks, type HoldOptions, hold, parseUntil } from '../engine/hold.js';
import { isEverything, type ProjectPart } from '../engine/selectors.js';
import { withSession } from '../engine/session.js';
import { type Diagnostic, problem } from '../model/diagnostic.js';
import type { HoldPlan } from '../model/report.js';
import { jsonText } from '../view/json/diagnostics-json.js';
import { holdJson } from '../view/json/plan-json.js';
import { holdPlanText, holdReportText } from '../view/text/hold-text.js';
import type { CommandResult, FlagsOf, Implementation, RunContext } from './command/command.js';
import { exitCode } from './command/exit.js';
import { chooseLockTimeout, chosenSelection, sessionOptions } from './command/flags.js';
import { RunReporter } from './command/progress.js';
import { chooseReason } from './command/reason.js';
import { printDiagnostics, renderOptions } from './command/run-command.js';
import type { holdCommand, resumeCommand } from './commands/watch.js';
import { confirmOrRefuse } from './host/confirm.js';
import type { CommandContext } from './host/host.js';

type ResumeFlags = FlagsOf<typeof resumeCommand>;

/** `roster hold`: pauses schedules now, and records who did, why and until when. */
export const runHold: Implementation<typeof holdCommand> = async (addresses, flags, context) => {
  const selected = chooseSelection(addresses, flags);
  const until = flags.until === undefined ? null : parseUntil(flags.until);
  return carryOut(selected, { reason: chooseReason(flags.reason), until }, flags, context);
};

/** `roster resume`: enables again what a hold has paused. */
export const runResume: Implementation<typeof resumeCommand> = async (addresses, flags, context) =>
  carryOut(chooseSelection(addresses, flags), null, flags, context);

async function carryOut(
  selected: ProjectPart,
  asked: HoldOptions['hold'],
  flags: ResumeFlags,
  context: RunContext,
): Promise<CommandResult<'text' | 'json'>> {
  const { output, host } = context;
  const options: HoldOptions = {
    ...selected,
    hold: asked,
    lockTimeoutMilliseconds: chooseLockTimeout(flags),
    env: host.env,
    allowAccountChange: flags.allowAccountChange,
    direct: flags.direct,
  };
  const printed = new Set<Diagnostic>();
  const report = await withSession(sessionOptions(flags, context, 'settings'), (session) =>
    hold(session, options, callbacksOf(flags, context, printed)),
  );
  const shown = output.redactor.value(report);
  const failed = report.interrupted ? exitCode.interrupted : exitCode.incomplete;
  return {
    exit: report.converged ? exitCode.fine : failed,
    diagnostics: report.diagnostics.filter((each) => !printed.has(each)),
    render: {
      json: () => output.redactor.text(jsonText(holdJson(shown))),
      text: (style) => holdReportText(shown, style),
    },
  };
}

/** `--exclude` alone does not say what is meant. */
function chooseSelection(addresses: readonly string[], flags: ResumeFlags): ProjectPart {
  const { all = false, exclude } = flags;
  const chosen = chosenSelection(addresses, flags);
  const isNamed = !isEverything({ ...chosen, exclude: [] });
  if (all && isNamed)
    throw problem(
      'usage',
      '`--all` cannot be used with addresses, `--owner` or `--in`',
      'Leave out one of them.',
    );
  if (!all && !isNamed)
    throw problem(
      'usage',
      exclude === undefined ? 'no address is given' : '`--exclude` alone does not select anything',
      'Pass addresses such as `group/retail-prices` or `schedule/*`, or `--all`.',
    );
  return chosen;
}

function callbacksOf(flags: ResumeFlags, context: RunContext, printed: Set<Diagnostic>): HoldCallbacks {
  const isConfirmed = flags.yes === true;
  const reporter = new RunReporter(context, context.begin);
  return {
    ...reporter.callbacks,
    onPlan(made, diagnostics) {
      if (flags.format !== 'json') {
        for (const each of diagnostics) printed.add(each);
        printDiagnostics(diagnostics, flags, context);
      }
      showPlan(made, flags, context);
      reporter.expect(made.plan);
    },
    confirm: isConfirmed ? undefined : async (made) => confirmOrRefuse(question(made, context), context.host),
  };
}

/** With JSON on stdout, it is shown only if it has to be confirmed. */
function showPlan(made: HoldPlan, flags: ResumeFlags, { host, output }: CommandContext): void {
  const json = flags.format === 'json';
  if (json && flags.yes === true) return;
  const text = `${holdPlanText(output.redactor.value(made), renderOptions(flags, host))}\n`;
  if (json) output.err(text);
  else output.out(text);
}

function question({ action, plan }: HoldPlan, { output }: CommandContext): string {
  const what = action === 'hold' ? 'Hold these schedules' : 'Resume these schedules';
  return `${what} on ${output.redactor.value(plan.service)}?`;
}
