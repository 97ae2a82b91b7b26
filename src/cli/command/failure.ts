import { readable } from '../../engine/outline.js';
import { mayWrite } from '../../engine/project.js';
import { diagnosticPage, version } from '../../engine/version.js';
import { checkWritable, writeAtomic } from '../../files/atomic.js';
import { removeIfPossible } from '../../files/new-file.js';
import { type Diagnostic, diagnosticsOf } from '../../model/diagnostic.js';
import { diagnosticsGithub } from '../../view/ci/github.js';
import { sarif } from '../../view/ci/sarif.js';
import { failureHtml } from '../../view/html/page.js';
import { failureJson, jsonText } from '../../view/json/diagnostics-json.js';
import { failureMarkdown } from '../../view/markdown/failure-markdown.js';
import { diagnosticsText } from '../../view/text/diagnostics-text.js';
import { type CommandContext, defaultWidth } from '../host/host.js';
import { fromRepositoryRoot } from '../host/repository.js';
import type { CommonFlags, RunContext } from './command.js';
import { projectOptions } from './flags.js';

/** A command that ended without a result. */
export interface FailedCommand {
  readonly flags: CommonFlags;
  readonly context: RunContext;
  readonly diagnostics: readonly Diagnostic[];
}

/** A failure in a format that includes diagnostics; null for the others. */
export function failureIn(format: string | undefined, failure: FailedCommand): string | null {
  const { host, output } = failure.context;
  const diagnostics = output.redactor.value(failure.diagnostics);
  if (format === 'json') return jsonText(failureJson(diagnostics));
  if (format === 'github') return diagnosticsGithub(fromRepositoryRoot(diagnostics, host));
  if (format === 'sarif') return sarifText(diagnostics, failure.flags, failure.context);
  if (format === 'html') return failureHtmlPage({ ...failure, diagnostics });
  return format === 'markdown' ? failurePage({ ...failure, diagnostics }) : null;
}

function failurePage({ flags, context, diagnostics }: FailedCommand): string | null {
  const { page, output } = context;
  if (page === undefined || page === 'calendar') return null;
  const about = output.redactor.value(readable(projectOptions(flags, context)));
  const measure = (text: string) => output.redactor.text(text).length;
  return failureMarkdown(page, { ...about, diagnostics }, measure);
}

function failureHtmlPage({ flags, context, diagnostics }: FailedCommand): string {
  const about = context.output.redactor.value(readable(projectOptions(flags, context)));
  return failureHtml({ what: context.page === 'calendar' ? 'Calendar' : 'Plan', ...about, diagnostics });
}

/**
 * Replaces the results of an earlier run, which would pass for those of this one. Of a format that cannot tell a failure,
 * no file is left. Returns what could not be written.
 */
export async function writeFailure(
  files: readonly { readonly format: string; readonly path: string }[],
  failure: FailedCommand,
): Promise<readonly Diagnostic[]> {
  const { flags, context, diagnostics } = failure;
  // The failure may be that a file of the project was named, or may have come before that was checked.
  if (files.length === 0 || !mayWrite(projectOptions(flags, context))) return [];
  const known = new Set(diagnostics.map((each) => each.message));
  const unwritten: Diagnostic[] = [];
  for (const { format, path } of files)
    unwritten.push(...(await diagnosticsOf(replace(path, textFor(format, failure)))));
  return unwritten.filter((each) => !known.has(each.message));
}

function textFor(format: string, failure: FailedCommand): string | null {
  const { redactor } = failure.context.output;
  const plain = { color: false, width: defaultWidth };
  const text =
    format === 'text'
      ? diagnosticsText(redactor.value(failure.diagnostics), plain)
      : failureIn(format, failure);
  return text === null ? null : redactor.text(text);
}

async function replace(path: string, text: string | null): Promise<void> {
  if (text !== null) return writeAtomic(path, text);
  checkWritable(path);
  removeIfPossible(path);
}

type SarifFlags = CommonFlags & { readonly allEnvironments?: boolean };

/** Diagnostics as a SARIF log. Those of an invalid project are under the same category as those of a valid one. */
export function sarifText(
  diagnostics: readonly Diagnostic[],
  flags: SarifFlags,
  context: CommandContext,
): string {
  const { project, environment } = context.output.redactor.value(readable(projectOptions(flags, context)));
  const run = {
    version,
    helpUri: diagnosticPage,
    project,
    environment: flags.allEnvironments === true ? '*' : environment,
  };
  return jsonText(sarif(fromRepositoryRoot(diagnostics, context.host), run));
}
