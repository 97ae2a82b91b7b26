import { resolve } from 'node:path';
import { checkWritable, writeAtomic } from '../inventory/atomic.js';
import { type Diagnostic, hasErrors, Problem } from '../model/diagnostic.js';
import { isEmpty, type Objection, type Plan } from '../model/plan.js';
import { planGitlab } from '../view/gitlab.js';
import { jsonText } from '../view/json-text.js';
import { planGithub } from '../view/plan-github.js';
import { planJson } from '../view/plan-json.js';
import { planMarkdown } from '../view/plan-markdown.js';
import { planText } from '../view/plan-text.js';
import { selectorsOf } from './addresses.js';
import { exitCode, exitCodeFor } from './exit.js';
import { inFileOrder } from './file-order.js';
import type { Output } from './output.js';
import { present } from './present.js';
import { changesFromRepositoryRoot, fromRepositoryRoot } from './repository-paths.js';
import { savedPlan } from './saved-plan.js';
import { makePlan, openSession, type PlanOptions } from './session.js';
import { allowancesOf, type PlanFlags, type Surroundings } from './settings.js';
import type { Planned } from './snapshot-plan.js';
import { sourceLinks } from './source-links.js';
import { tellWorkflow } from './workflow-files.js';

/** `roster plan`: the difference, and whether apply would accept it. Writes nothing but `--out` and `--write`. */
export function plan(
  addresses: readonly string[],
  flags: PlanFlags,
  around: Surroundings,
  output: Output,
): Promise<number> {
  const formats = ['text', 'json', 'markdown', 'github', 'gitlab'] as const;
  return present({ flags, formats, around, output }, async () => {
    const allow = allowancesOf(flags);
    const selectors = selectorsOf(addresses);
    const urlOf = sourceLinks(flags, around);
    if (flags.out !== undefined) checkWritable(resolve(around.cwd, flags.out));
    const { reconciled, diagnostics } = await planned(flags, around, output, { allow, selectors });
    if (reconciled.plan === null || hasErrors(diagnostics)) throw new Problem(diagnostics);
    const made: Plan = output.hidden({ ...reconciled.plan, diagnostics });
    if (flags.out !== undefined)
      await writeAtomic(resolve(around.cwd, flags.out), output.redact(savedPlan(made)), 0o600);
    const untold = tellWorkflow(made, urlOf, around, output);
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
            return planGithub(inRepositoryPlan(made, around));
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
  around: Surroundings,
  output: Output,
  options: Pick<PlanOptions, 'allow' | 'selectors'>,
): Promise<Planned> {
  if (flags.snapshot !== undefined) {
    const { planFromSnapshot } = await import('./snapshot-plan.js');
    return planFromSnapshot(flags.snapshot, flags, around, output, options);
  }
  const session = openSession(flags, around, output);
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

function inRepositoryPlan(made: Plan, around: Surroundings): Plan {
  return {
    ...made,
    changes: changesFromRepositoryRoot(made.changes, around),
    diagnostics: fromRepositoryRoot(made.diagnostics, around),
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
