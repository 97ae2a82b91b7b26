import { hasErrors } from '../model/diagnostic.js';
import { diagnosticsGithub } from '../view/ci/diagnostics-github.js';
import { sarif } from '../view/ci/sarif.js';
import { jsonText } from '../view/json/json-text.js';
import { validateJson } from '../view/json/plan-json.js';
import { exitCode } from './exit.js';
import { load } from './load.js';
import type { Output } from './output.js';
import { fromRepositoryRoot } from './repository-paths.js';
import { runCommand } from './run-command.js';
import type { CommonFlags, Host } from './settings.js';
import { version } from './version.js';

/** `roster validate`: offline, every error at once. */
export function validate(flags: CommonFlags, host: Host, output: Output): Promise<number> {
  const formats = ['text', 'json', 'github', 'sarif'] as const;
  return runCommand({ flags, formats, host, output }, async () => {
    const { project, diagnostics: found } = load(flags, host, output);
    const diagnostics = output.hidden(found);
    const valid = project !== null && !hasErrors(diagnostics);
    return {
      exit: valid ? exitCode.fine : exitCode.error,
      diagnostics,
      began: false,
      render(format) {
        switch (format) {
          case 'text':
            return valid ? `${project.file} is valid: ${countOf(project.entries.length)}.\n` : '';
          case 'json':
            return jsonText(validateJson(diagnostics));
          case 'github':
            return diagnosticsGithub(fromRepositoryRoot(diagnostics, host));
          case 'sarif':
            return jsonText(sarif(fromRepositoryRoot(diagnostics, host), version));
          default:
            return format satisfies never;
        }
      },
    };
  });
}

function countOf(entries: number): string {
  return entries === 1 ? '1 resource' : `${entries} resources`;
}
