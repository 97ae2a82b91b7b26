import { randomUUID } from 'node:crypto';
import { appendFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { reasonOf } from '../files/errno.js';
import { type Diagnostic, type Place, problem } from '../model/diagnostic.js';
import { isEmpty, type Plan, summarise } from '../model/plan.js';
import { planMarkdown } from '../view/markdown/plan-markdown.js';
import type { Output } from './output.js';
import type { Host } from './settings.js';

/** GitHub drops the whole summary of a step that is longer, in bytes. */
const summaryLimit = 1_048_576;
/** With less room than this left there is nothing worth saying. */
const leastRoom = 20_000;

/**
 * What a GitHub workflow gets of a plan besides its output, where the runner has named the files for it: outputs for
 * the steps to come, and the plan as the job's summary. Answers what could not be told.
 */
export function writeWorkflowFiles(
  plan: Plan,
  urlOf: (place: Place) => string | null,
  { cwd, env }: Pick<Host, 'cwd' | 'env'>,
  output: Output,
): readonly Diagnostic[] {
  const { GITHUB_OUTPUT: outputs, GITHUB_STEP_SUMMARY: summary } = env;
  if (outputs) append(resolve(cwd, outputs), output.redact(outputsOf(plan)), 'GITHUB_OUTPUT');
  if (!summary) return [];
  const path = resolve(cwd, summary);
  const limit = summaryLimit - sizeOf(path);
  if (limit < leastRoom) return [noRoom];
  const measure = (text: string) => Buffer.byteLength(output.redact(text));
  append(path, output.redact(planMarkdown(plan, { urlOf, limit, measure })), 'GITHUB_STEP_SUMMARY');
  return [];
}

const noRoom: Diagnostic = {
  severity: 'warning',
  code: 'limit-exceeded',
  message: 'the job summary is full: the plan is not in it',
  help: 'Plan in a step of its own.',
};

/** A delimiter that nobody can know beforehand: no value can end itself and begin an output of its own. */
function outputsOf(plan: Plan): string {
  const values = { has_changes: !isEmpty(plan), ...summarise(plan.changes), digest: plan.digest };
  return Object.entries(values)
    .map(([name, value]) => {
      const delimiter = `roster_${randomUUID()}`;
      return `${name}<<${delimiter}\n${value}\n${delimiter}\n`;
    })
    .join('');
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

function append(path: string, text: string, variable: string): void {
  try {
    appendFileSync(path, text.endsWith('\n') ? text : `${text}\n`);
  } catch (failure) {
    const help = 'Unset the variable, or let it name a file that can be written.';
    throw problem(
      'unwritable-file',
      `cannot write the file that ${variable} names: ${reasonOf(failure)}`,
      help,
    );
  }
}
