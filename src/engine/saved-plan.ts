import { readRegular } from '../files/atomic.js';
import { type Diagnostic, problem } from '../model/diagnostic.js';
import { canonical, isJsonObject, type Json, parseJson } from '../model/json.js';
import type { Plan } from '../model/plan.js';
import type { Redactor } from '../redact/redactor.js';
import { planJson } from '../view/json/plan-json.js';
import { planDifference } from './plan-difference.js';
import { version } from './version.js';

/**
 * The text of `plan --out FILE`: what the digest covers, and the version that planned, without secrets. It holds nothing
 * that depends on the time or the machine, so that a new plan can be compared with it byte by byte.
 */
export function savedPlan(plan: Plan, redactor: Redactor): string {
  const { changes, ...rest } = JSON.parse(JSON.stringify(planJson(redactor.value(plan)))) as {
    changes: Record<string, Json>[];
  } & Record<string, Json>;
  const lasting = changes.map(({ nextRuns: _runs, risks: _risks, source: _source, ...change }) => change);
  const { diagnostics: _diagnostics, risks: _planRisks, serviceOverride: _override, ...head } = rest;
  const all = { ...head, account: redactor.value(plan.account), roster: version, changes: lasting };
  return redactor.text(`${canonical(all)}\n`);
}

/** A file of `plan --out`, as it was when the run began. */
export interface SavedPlan {
  readonly file: string;
  readonly text: string;
}

/** How the current plan differs from the saved one; empty when it is the same. The file itself is never trusted. */
export function compareWithSaved(
  plan: Plan,
  { file, text: saved }: SavedPlan,
  redactor: Redactor,
  resume = false,
): readonly Diagnostic[] {
  const current = savedPlan(plan, redactor);
  if (saved === current) return [];
  const difference = planDifference(saved, current);
  const what = difference === '' ? '' : `: ${difference}`;
  return [stale(`the current plan differs from the one in ${file}${what}`, plan, resume)];
}

/** The digest that a saved plan states. A saved plan is only compared with the current plan, never trusted. */
export function savedDigest({ text }: SavedPlan): string | undefined {
  const data = parseJson(text);
  const digest = data !== undefined && isJsonObject(data) ? data['digest'] : undefined;
  return typeof digest === 'string' ? digest : undefined;
}

export function compareWithDigest(plan: Plan, expected: string, resume = false): readonly Diagnostic[] {
  return plan.digest === expected
    ? []
    : [stale(`the current plan does not have the digest ${expected}`, plan, resume)];
}

/** `file` is how messages name the path. Throws a Problem when there is no such file. */
export function readSavedPlan(path: string, file: string): SavedPlan {
  const text = readRegular(path, `the plan ${file}`);
  if (text !== null) return { file, text };
  throw problem('unreadable-file', `there is no plan ${file}`, 'Save one with `roster plan --out FILE`.');
}

function stale(message: string, plan: Plan, resume: boolean): Diagnostic {
  const why = resume
    ? 'It is not the rest of that plan either: a manifest or the service has changed since the review, or a change was made only in part.'
    : 'A manifest or the service has changed since the review.';
  const command = plan.destroy === true ? 'roster destroy --yes' : 'roster apply';
  const help = `${why} Review the current plan, then pass its digest: \`${command} --expect DIGEST\`.`;
  return {
    severity: 'error',
    code: 'stale-plan',
    message: `${message}; the current digest is ${plan.digest}`,
    help,
  };
}
