import { hasErrors } from '../model/diagnostic.js';
import { diagnosticsGithub } from '../view/diagnostics-github.js';
import { jsonText } from '../view/json-text.js';
import { validateJson } from '../view/plan-json.js';
import { sarif } from '../view/sarif.js';
import { exitCode } from './exit.js';
import { load } from './load.js';
import type { Output } from './output.js';
import { present } from './present.js';
import { fromRepositoryRoot } from './repository-paths.js';
import type { CommonFlags, Surroundings } from './settings.js';
import { version } from './version.js';

/** `roster validate`: offline, every error at once. */
export function validate(flags: CommonFlags, around: Surroundings, output: Output): Promise<number> {
  const formats = ['text', 'json', 'github', 'sarif'] as const;
  return present({ flags, formats, around, output }, async () => {
    const { project, diagnostics: found } = load(flags, around, output);
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
            return diagnosticsGithub(fromRepositoryRoot(diagnostics, around));
          case 'sarif':
            return jsonText(sarif(fromRepositoryRoot(diagnostics, around), version));
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
