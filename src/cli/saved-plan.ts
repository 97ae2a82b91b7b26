import { readRegular } from '../files/atomic.js';
import { type Diagnostic, problem } from '../model/diagnostic.js';
import { canonical, type Json } from '../model/json.js';
import type { Plan } from '../model/plan.js';
import { planJson } from '../view/json/plan-json.js';
import type { Output } from './output.js';
import { planDifference } from './plan-difference.js';
import { version } from './version.js';

/**
 * The text of `plan --out FILE`: what the digest covers, and the version that planned. It holds nothing that changes
 * with time or place, so that a plan that is computed again can be compared with it byte by byte.
 */
export function savedPlan(plan: Plan): string {
  const { changes, ...rest } = JSON.parse(JSON.stringify(planJson(plan))) as {
    changes: Record<string, Json>[];
  } & Record<string, Json>;
  const lasting = changes.map(({ nextRuns: _runs, risks: _risks, source: _source, ...change }) => change);
  const { diagnostics: _diagnostics, ...head } = rest;
  return `${canonical({ ...head, account: plan.account, roster: version, changes: lasting })}\n`;
}

/** A file of `plan --out`, as it was when the command began. */
export interface SavedPlan {
  readonly file: string;
  readonly text: string;
}

/** Tells how the plan of now differs from the saved one; empty when it is the same. The file itself is never trusted. */
export function compareWithSaved(
  plan: Plan,
  { file, text: saved }: SavedPlan,
  output: Pick<Output, 'hidden' | 'redact'>,
): readonly Diagnostic[] {
  const now = output.redact(savedPlan(output.hidden(plan)));
  if (saved === now) return [];
  const difference = planDifference(saved, now);
  return [
    stale(`the plan of now is not the one in ${file}${difference === '' ? '' : `: ${difference}`}`, plan),
  ];
}

export function compareWithDigest(plan: Plan, expected: string): readonly Diagnostic[] {
  return plan.digest === expected
    ? []
    : [stale(`the plan of now is not the one with the digest ${expected}`, plan)];
}

/** Throws a Problem when there is no such file. */
export function readSavedPlan(path: string, file: string): SavedPlan {
  const text = readRegular(path, `the plan ${file}`);
  if (text !== null) return { file, text };
  throw problem('unreadable-file', `there is no plan ${file}`, 'Make one with `roster plan --out FILE`.');
}

function stale(message: string, plan: Plan): Diagnostic {
  const help =
    'A manifest or the service has changed since it was made: review the plan above, then apply that one.';
  return { severity: 'error', code: 'stale-plan', message: `${message}; its digest is ${plan.digest}`, help };
}
