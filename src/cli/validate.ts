import { validate } from '../engine/validate.js';
import type { Project } from '../model/resource.js';
import { jsonText } from '../view/json/json-text.js';
import { validateJson } from '../view/json/plan-json.js';
import { declarations } from './command/declarations.js';
import { exitCode } from './command/exit.js';
import { type CommonFlags, projectOptions } from './command/flags.js';
import { runCommand } from './command/run-command.js';
import type { CommandContext } from './host/host.js';
import { fromRepositoryRoot } from './host/repository-paths.js';

interface ValidateFlags extends CommonFlags {
  readonly allEnvironments?: boolean;
  readonly allowMissingEnv?: boolean;
}

/** `roster validate`: offline, every error at once. */
export function validateCommand(flags: ValidateFlags, context: CommandContext): Promise<number> {
  return runCommand(flags, declarations.validate.formats, context, async () => {
    const { host, output } = context;
    const { allEnvironments, allowMissingEnv } = flags;
    const { valid, projects, ...read } = validate({
      ...projectOptions(flags, context),
      allEnvironments,
      allowMissingEnv,
    });
    const diagnostics = output.redactor.value(read.diagnostics);
    return {
      exit: valid ? exitCode.fine : exitCode.error,
      diagnostics,
      render: {
        text: () => (valid ? `${validText(projects)}\n` : ''),
        json: () => jsonText(validateJson(diagnostics)),
        github: async () => {
          const { diagnosticsGithub } = await import('../view/ci/github.js');
          return diagnosticsGithub(fromRepositoryRoot(diagnostics, host));
        },
        sarif: async () => {
          const { sarifText } = await import('./command/sarif-text.js');
          return sarifText(diagnostics, flags, context);
        },
      },
    };
  });
}

function validText(projects: readonly Project[]): string {
  const [first] = projects;
  const counts = projects.map((each) => ({ environment: each.environment, count: countOf(each) }));
  if (counts.length === 1) return `${first?.file} is valid: ${counts[0]?.count}.`;
  const each = counts.map(({ environment, count }) => `${environment} (${count})`);
  return `${first?.file} is valid in ${counts.length} environments: ${each.join(', ')}.`;
}

function countOf({ entries, elsewhere = [] }: Project): string {
  // Without the layout of texts, which takes as long to load as reading a small file.
  const counted = `${entries.length} resource${entries.length === 1 ? '' : 's'}`;
  if (entries.length > 0 || elsewhere.length === 0) return counted;
  const all = elsewhere.length === 1 ? 'the only one' : `all ${elsewhere.length}`;
  return `${counted}, because \`environments:\` leaves out ${all}`;
}
