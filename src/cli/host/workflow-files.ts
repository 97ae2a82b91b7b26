import { randomUUID } from 'node:crypto';
import { appendFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { reasonOf } from '../../files/errno.js';
import { type Diagnostic, problem } from '../../model/diagnostic.js';
import { isEmpty, type Plan, summaryOf } from '../../model/plan.js';
import type { Redactor } from '../../redact/redactor.js';
import type { MarkdownOptions } from '../../view/markdown/page-parts.js';
import { planMarkdown } from '../../view/markdown/plan-markdown.js';
import type { Host } from './host.js';

/** In bytes. GitHub drops the whole summary of a step that is longer. */
const summaryLimit = 1_048_576;
/** In bytes. With less space left, no useful summary fits. */
const leastSpace = 20_000;

/**
 * What a GitHub workflow gets from a plan besides its output, if the runner has named the files for it: outputs for
 * later steps, and the plan as the summary of the job. Returns a warning for what could not be written.
 */
export function writeWorkflowFiles(
  plan: Plan,
  links: Pick<MarkdownOptions, 'urlOf' | 'pageUrl'>,
  { cwd, env }: Pick<Host, 'cwd' | 'env'>,
  redactor: Redactor,
): readonly Diagnostic[] {
  const { GITHUB_OUTPUT: outputs, GITHUB_STEP_SUMMARY: summary } = env;
  if (outputs) append(resolve(cwd, outputs), redactor.text(outputsOf(plan)), 'GITHUB_OUTPUT');
  if (!summary) return [];
  const path = resolve(cwd, summary);
  const limit = summaryLimit - sizeOf(path);
  if (limit < leastSpace) return [noSpace];
  const measure = (text: string) => Buffer.byteLength(redactor.text(text));
  append(path, redactor.text(planMarkdown(plan, { ...links, limit, measure })), 'GITHUB_STEP_SUMMARY');
  return [];
}

const noSpace: Diagnostic = {
  severity: 'warning',
  code: 'limit-exceeded',
  message: 'the job summary is full and does not include the plan',
  help: 'Run `roster plan` in a separate step.',
};

/** A random delimiter: no value can end its own output and begin another one. */
function outputsOf(plan: Plan): string {
  const values = { has_changes: !isEmpty(plan), ...summaryOf(plan), digest: plan.digest };
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
    const help = 'Unset the variable, or set it to a file that can be written.';
    throw problem('unwritable-file', `cannot write the file in ${variable}: ${reasonOf(failure)}`, help);
  }
}
