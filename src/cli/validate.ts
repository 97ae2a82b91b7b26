import { readProject } from '../engine/project.js';
import { version } from '../engine/version.js';
import { hasErrors } from '../model/diagnostic.js';
import { diagnosticsGithub } from '../view/ci/github.js';
import { sarif } from '../view/ci/sarif.js';
import { jsonText } from '../view/json/json-text.js';
import { validateJson } from '../view/json/plan-json.js';
import { declarations } from './command/declarations.js';
import { exitCode } from './command/exit.js';
import { type CommonFlags, projectOptions } from './command/flags.js';
import { runCommand } from './command/run-command.js';
import type { CommandContext } from './host/host.js';
import { fromRepositoryRoot } from './host/repository-paths.js';

/** `roster validate`: offline, every error at once. */
export function validateCommand(flags: CommonFlags, context: CommandContext): Promise<number> {
  return runCommand(flags, declarations.validate.formats, context, async () => {
    const { host, output } = context;
    const { project, ...read } = readProject(projectOptions(flags, context));
    const diagnostics = output.redactor.value(read.diagnostics);
    const valid = project !== null && !hasErrors(diagnostics);
    return {
      exit: valid ? exitCode.fine : exitCode.error,
      diagnostics,
      render: {
        text: () => (valid ? `${project.file} is valid: ${countOf(project.entries.length)}.\n` : ''),
        json: () => jsonText(validateJson(diagnostics)),
        github: () => diagnosticsGithub(fromRepositoryRoot(diagnostics, host)),
        sarif: () => jsonText(sarif(fromRepositoryRoot(diagnostics, host), version)),
      },
    };
  });
}

function countOf(entries: number): string {
  return entries === 1 ? '1 resource' : `${entries} resources`;
}
