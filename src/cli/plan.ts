import { resolve } from 'node:path';
import { checkWritable, writeAtomic } from '../files/atomic.js';
import { type Diagnostic, hasErrors, Problem } from '../model/diagnostic.js';
import { isEmpty, type Objection, type Plan } from '../model/plan.js';
import { planGitlab } from '../view/ci/gitlab.js';
import { planGithub } from '../view/ci/plan-github.js';
import { jsonText } from '../view/json/json-text.js';
import { planJson } from '../view/json/plan-json.js';
import { planMarkdown } from '../view/markdown/plan-markdown.js';
import { planText } from '../view/text/plan-text.js';
import { selectorsOf } from './addresses.js';
import { exitCode, exitCodeFor } from './exit.js';
import { inFileOrder } from './file-order.js';
import type { Output } from './output.js';
import { changesFromRepositoryRoot, fromRepositoryRoot } from './repository-paths.js';
import { runCommand } from './run-command.js';
import { savedPlan } from './saved-plan.js';
import { makePlan, openSession, type PlanOptions } from './session.js';
import { allowancesOf, type Host, type PlanFlags } from './settings.js';
import type { Planned } from './snapshot-plan.js';
import { sourceLinks } from './source-links.js';
import { writeWorkflowFiles } from './workflow-files.js';

/** `roster plan`: the difference, and whether apply would accept it. Writes nothing but `--out` and `--write`. */
export function plan(
  addresses: readonly string[],
  flags: PlanFlags,
  host: Host,
  output: Output,
): Promise<number> {
  const formats = ['text', 'json', 'markdown', 'github', 'gitlab'] as const;
  return runCommand({ flags, formats, host, output }, async () => {
    const allow = allowancesOf(flags);
    const selectors = selectorsOf(addresses);
    const urlOf = sourceLinks(flags, host);
    if (flags.out !== undefined) checkWritable(resolve(host.cwd, flags.out));
    const { reconciled, diagnostics } = await planned(flags, host, output, { allow, selectors });
    if (reconciled.plan === null || hasErrors(diagnostics)) throw new Problem(diagnostics);
    const made: Plan = output.hidden({ ...reconciled.plan, diagnostics });
    if (flags.out !== undefined)
      await writeAtomic(resolve(host.cwd, flags.out), output.redact(savedPlan(made)), 0o600);
    const untold = writeWorkflowFiles(made, urlOf, host, output);
    return {
      exit: exitOf(made, flags.detailedExitcode === true),
      diagnostics: [...diagnostics, ...untold],
      began: false,
      render(format, look) {
        switch (format) {
          case 'text':
            return planText(made, look);
          case 'json':
            return jsonText(planJson(made));
          case 'markdown':
            return planMarkdown(made, { urlOf, measure: (text) => output.redact(text).length });
          case 'github':
            return planGithub(inRepositoryPlan(made, host));
          case 'gitlab':
            return jsonText(planGitlab(made));
          default:
            return format satisfies never;
        }
      },
    };
  });
}

/** Against the service, or against a saved state of it. */
async function planned(
  flags: PlanFlags,
  host: Host,
  output: Output,
  options: Pick<PlanOptions, 'allow' | 'selectors'>,
): Promise<Planned> {
  if (flags.snapshot !== undefined) {
    const { planFromSnapshot } = await import('./snapshot-plan.js');
    return planFromSnapshot(flags.snapshot, flags, host, output, options);
  }
  const session = openSession(flags, host, output);
  try {
    const { reconciled } = await makePlan(session, { ...options, proveDeliveries: false, previews: true });
    return {
      reconciled,
      diagnostics: inFileOrder(session.project, session.warnings, reconciled.diagnostics),
    };
  } finally {
    await session.client.close();
  }
}

function inRepositoryPlan(made: Plan, host: Host): Plan {
  return {
    ...made,
    changes: changesFromRepositoryRoot(made.changes, host),
    diagnostics: fromRepositoryRoot(made.diagnostics, host),
  };
}

/** A plan that apply would refuse ends as apply would. */
function exitOf(made: Plan, detailed: boolean): number {
  if (made.objections.length > 0) return exitCodeFor(made.objections.map(asDiagnostic));
  return detailed && !isEmpty(made) ? exitCode.changes : exitCode.fine;
}

export function asDiagnostic({ code, message, help }: Objection): Diagnostic {
  return { severity: 'error', code, message, help };
}
