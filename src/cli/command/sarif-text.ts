import { readable } from '../../engine/outline.js';
import { diagnosticPage, version } from '../../engine/version.js';
import type { Diagnostic } from '../../model/diagnostic.js';
import { sarif } from '../../view/ci/sarif.js';
import { jsonText } from '../../view/json/json-text.js';
import type { CommandContext } from '../host/host.js';
import { fromRepositoryRoot } from '../host/repository-paths.js';
import { type CommonFlags, projectOptions } from './flags.js';

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
