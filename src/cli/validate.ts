import { exposedKeyWarnings } from '../engine/key-files.js';
import { validate } from '../engine/validate.js';
import type { Project } from '../model/resource.js';
import { count } from '../model/words.js';
import { jsonText } from '../view/json/diagnostics-json.js';
import { validateJson } from '../view/json/plan-json.js';
import type { Implementation } from './command/command.js';
import { exitCode } from './command/exit.js';
import { projectOptions } from './command/flags.js';
import type { validateCommand } from './commands/project.js';
import { fromRepositoryRoot } from './host/repository.js';

/** `roster validate`: offline, every error at once. */
export const runValidate: Implementation<typeof validateCommand> = async (flags, context) => {
  const { host, output } = context;
  const { allEnvironments, allowMissingEnv } = flags;
  const options = projectOptions(flags, context);
  const { valid, projects, ...read } = await validate({ ...options, allEnvironments, allowMissingEnv });
  const exposed = await exposedKeyWarnings(projects, host.env);
  const diagnostics = output.redactor.value([...read.diagnostics, ...exposed]);
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
      gitlab: async () => {
        const { codeQuality } = await import('../view/ci/gitlab.js');
        const all = fromRepositoryRoot(diagnostics, host);
        return jsonText(codeQuality(all, projects[0]?.file ?? 'roster.yaml'));
      },
      junit: async () => {
        const { diagnosticsJunit } = await import('../view/ci/junit.js');
        return diagnosticsJunit(diagnostics, projects[0]?.file ?? 'roster.yaml');
      },
      sarif: async () => {
        const { sarifText } = await import('./command/failure.js');
        return sarifText(diagnostics, flags, context);
      },
    },
  };
};

function validText(projects: readonly Project[]): string {
  const [first] = projects;
  const counts = projects.map((each) => ({ environment: each.environment, count: countOf(each) }));
  if (counts.length === 1) return `${first?.file} is valid: ${counts[0]?.count}.`;
  const each = counts.map(({ environment, count }) => `${environment} (${count})`);
  return `${first?.file} is valid in ${counts.length} environments: ${each.join(', ')}.`;
}

function countOf({ entries, elsewhere = [] }: Project): string {
  const counted = count(entries.length, 'resource');
  if (entries.length > 0 || elsewhere.length === 0) return counted;
  const all = elsewhere.length === 1 ? 'the only one' : `all ${elsewhere.length}`;
  return `${counted}, because \`environments:\` leaves out ${all}`;
}
