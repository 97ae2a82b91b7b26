import type { NewFile } from './new-file.js';
import githubApply from './templates/github/roster-apply.yml?raw';
import githubDrift from './templates/github/roster-drift.yml?raw';
import githubPlan from './templates/github/roster-plan.yml?raw';
import githubValidate from './templates/github/roster-validate.yml?raw';
import gitlabCi from './templates/gitlab/gitlab-ci.yml?raw';
import gitlabTool from './templates/gitlab/roster.mjs?raw';
import gitlabJobs from './templates/gitlab/roster.yml?raw';
import { yamlWord } from './yaml-word.js';

export type CiHost = 'github' | 'gitlab';

export interface CiFacts {
  /** Of roster, which the pipelines install. */
  readonly version: string;
  /** What is merged into, and applied from. */
  readonly branch: string;
  /** The folder of roster.yaml, from the root of the repository; `.` for the root itself. */
  readonly folder: string;
}

/** The pipelines of a host, which live at the root of the repository. */
export function ciFiles(host: CiHost, facts: CiFacts): readonly NewFile[] {
  return host === 'github' ? githubFiles(facts) : gitlabFiles(facts);
}

function githubFiles(facts: CiFacts): readonly NewFile[] {
  const workflows = { validate: githubValidate, plan: githubPlan, apply: githubApply, drift: githubDrift };
  return Object.entries(workflows).map(([name, text]) =>
    whole(`.github/workflows/roster-${name}.yml`, filled(text, facts)),
  );
}

function gitlabFiles(facts: CiFacts): readonly NewFile[] {
  return [
    {
      path: '.gitlab-ci.yml',
      at: 'repository',
      text: gitlabCi,
      wanting: (existing) =>
        existing.includes('.gitlab/roster.yml') ? null : 'add `local: .gitlab/roster.yml` to its `include`',
    },
    whole('.gitlab/roster.yml', filled(gitlabJobs, facts)),
    whole('.gitlab/roster.mjs', gitlabTool),
  ];
}

function whole(path: string, text: string): NewFile {
  const wanting = (existing: string) =>
    existing === text
      ? null
      : 'it is not what this version writes: to get that, move it away and run `roster init` again';
  return { path, at: 'repository', text, wanting };
}

/** `[!+]` and a closing bracket mean something in the filters of GitHub; what else does cannot be in the name of a branch. */
function filled(template: string, { version, branch, folder }: CiFacts): string {
  const words: Readonly<Record<string, string>> = {
    __PACKAGE__: `roster@${version}`,
    __BRANCH__: yamlWord(branch.replace(/[!+\]]/g, '\\$&')),
    __FOLDER__: yamlWord(folder),
  };
  return template.replace(/__[A-Z]+__/g, (name) => words[name] ?? name);
}
