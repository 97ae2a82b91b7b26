import { resolve } from 'node:path';
import { type PlanMade, type PlanOptions, planned } from '../engine/plan.js';
import { savedPlan } from '../engine/saved-plan.js';
import { isEverything } from '../engine/selectors.js';
import { type SessionOptions, withReadSession } from '../engine/session.js';
import { checkWritable, writeAtomic } from '../files/atomic.js';
import { hasErrors, Problem } from '../model/diagnostic.js';
import { isDiagnostic, isRefusal, refusalError } from '../model/finding.js';
import { forView, isEmpty, type Plan } from '../model/plan.js';
import { planGithub } from '../view/ci/github.js';
import { planHtml } from '../view/html/plan-html.js';
import { jsonText } from '../view/json/diagnostics-json.js';
import { planGitlab, planJson } from '../view/json/plan-json.js';
import { planMarkdown } from '../view/markdown/plan-markdown.js';
import { planTextPieces } from '../view/text/plan-text.js';
import type { CommandResult, FlagsOf, RunContext } from './command/command.js';
import { exitCode, exitCodeFor } from './command/exit.js';
import { planOptions, sessionOptions, usage, wantsFormat } from './command/flags.js';
import type { planCommand } from './commands/plan.js';
import type { CommandContext, Host } from './host/host.js';
import { changesFromRepositoryRoot, fromRepositoryRoot, pageLink, sourceLinks } from './host/repository.js';
import { writeWorkflowFiles } from './host/workflow-files.js';

export type PlanFlags = FlagsOf<typeof planCommand>;
type PlanFormat = (typeof planCommand.formats)[number];

/** `roster plan`: what apply would do, and whether it would refuse. Writes nothing except `--out` and `--write`. */
export async function runPlan(
  addresses: readonly string[],
  flags: PlanFlags,
  context: RunContext,
  /** A plan of more calls is not rehearsed. */
  mostRehearsed = Number.POSITIVE_INFINITY,
): Promise<CommandResult<PlanFormat>> {
  const { host, output } = context;
  const calendar = wantsFormat(flags, 'html');
  const options = { ...planOptions(addresses, flags), destroy: chooseDestroy(flags), calendar };
  const links = { urlOf: sourceLinks(flags, host), pageUrl: pageLink(flags) };
  if (flags.summary === true && ![undefined, 'text'].includes(flags.format)) throw new Problem(noSummary);
  const out = flags.out === undefined ? null : resolve(host.cwd, flags.out);
  if (out !== null) checkWritable(out);
  const made = await makePlan(flags, options, context, mostRehearsed);
  const shown = output.redactor.value(forView(made));
  if (out !== null) await writeAtomic(out, savedPlan(made, output.redactor), 0o600);
  const warnings = writeWorkflowFiles(shown, links, host, output.redactor);
  return {
    exit: exitOf(made, flags.detailedExitcode === true),
    diagnostics: [...made.findings.filter(isDiagnostic), ...warnings],
    render: {
      text: (style) => planTextPieces(shown, { ...style, summary: flags.summary }),
      json: () => jsonText(planJson(shown)),
      markdown: ({ verbose }) =>
        planMarkdown(shown, { ...links, verbose, measure: (text) => output.redactor.text(text).length }),
      html: ({ verbose }) => planHtml(shown, { ...links, verbose }),
      github: () => planGithub(inRepositoryPlan(shown, host)),
      gitlab: () => jsonText(planGitlab(shown)),
    },
  };
}

function chooseDestroy({ destroy = false, out, allowDeletes, allowEmpty, prune }: PlanFlags): boolean {
  if (!destroy) return false;
  const given = Object.entries({
    '--out': out,
    '--allow-deletes': allowDeletes,
    '--allow-empty': allowEmpty,
    '--prune': prune,
  });
  const useless = given.find(([, value]) => value !== undefined);
  if (useless === undefined) return true;
  const help =
    useless[0] === '--out'
      ? 'Run `roster destroy --yes --expect DIGEST` with the digest of this plan.'
      : 'Leave it out: the plan deletes everything that the inventory owns, and nothing else.';
  throw new Problem(usage(`\`${useless[0]}\` cannot be used with \`--destroy\``, help));
}

/** Against the service, or against a snapshot of it. */
async function makePlan(
  flags: PlanFlags,
  options: PlanOptions,
  context: CommandContext,
  mostRehearsed: number,
): Promise<Plan> {
  const { snapshot, out } = flags;
  // A plan of everything needs every variable: that is found out before anything is read.
  const isDestroy = options.destroy === true;
  const ofPart = isEverything(options) ? undefined : 'entries';
  const session: SessionOptions = {
    ...sessionOptions(flags, context),
    without: isDestroy ? 'values' : ofPart,
  };
  const isRehearsed = ({ plan: { findings, steps } }: PlanMade) =>
    flags.rehearse === true && steps.length <= mostRehearsed && !findings.some(isRefusal);
  const rehearsed = async (made: PlanMade) => (isRehearsed(made) ? rehearsedPlan(made, options) : made.plan);
  if (snapshot === undefined)
    return withReadSession(session, async (opened) => rehearsed(await planned(opened, options)));
  if (out !== undefined) throw new Problem(noPlanToApply);
  const { plannedFromSnapshot } = await import('../engine/snapshot.js');
  return rehearsed(await plannedFromSnapshot(snapshot, session, options));
}

/** With what came of applying it to a copy of the service. */
async function rehearsedPlan({ plan, session, observation }: PlanMade, options: PlanOptions): Promise<Plan> {
  const { rehearsalFailures, rehearse } = await import('../operate/rehearse/rehearse.js');
  const rehearsal = await rehearse({ session, ...observation }, plan, options);
  const failures = rehearsal === null ? [] : rehearsalFailures(rehearsal);
  return { ...plan, rehearsal, findings: [...plan.findings, ...failures] };
}

const noPlanToApply = usage(
  '`--out` cannot be used with `--snapshot`, because `roster apply` plans against the service',
  'To save the plan that is shown, use `--write json=FILE`.',
);

const noSummary = usage(
  '`--summary` cannot be used with `--format`, because it shortens only the text output',
  'Leave out one of them. JSON has the counts in `summary`.',
);

function inRepositoryPlan(made: Plan, host: Host): Plan {
  const others = made.findings.filter((each) => !isDiagnostic(each));
  const diagnostics = fromRepositoryRoot(made.findings.filter(isDiagnostic), host);
  const changes = changesFromRepositoryRoot(made.changes, host);
  return { ...made, changes, findings: [...others, ...diagnostics] };
}

/** When apply would refuse the plan, the exit code is that of apply. */
function exitOf(made: Plan, detailed: boolean): number {
  const refusals = made.findings.filter(isRefusal);
  if (refusals.length > 0) return exitCodeFor(refusals.map((each) => refusalError(each)));
  if (hasErrors(made.findings.filter(isDiagnostic))) return exitCode.error;
  return detailed && !isEmpty(made) ? exitCode.changes : exitCode.fine;
}
