import { type NewFile, yamlWord } from './project-files.js';
import githubApply from './templates/github/roster-apply.yml?raw';
import githubDrift from './templates/github/roster-drift.yml?raw';
import githubPlan from './templates/github/roster-plan.yml?raw';
import githubValidate from './templates/github/roster-validate.yml?raw';
import gitlabCi from './templates/gitlab/gitlab-ci.yml?raw';
import gitlabTool from './templates/gitlab/roster.mjs?raw';
import gitlabJobs from './templates/gitlab/roster.yml?raw';

export type CiHost = 'github' | 'gitlab';

export interface CiFacts {
  /** The version of roster that the pipelines install. */
  readonly version: string;
  /** The branch that is applied from. */
  readonly branch: string;
  /** The folder of roster.yaml, relative to the root of the repository; `.` for the root itself. */
  readonly folder: string;
}

/** The CI files of a host, which go to the root of the repository. */
export function ciFiles(host: CiHost, facts: CiFacts): readonly NewFile[] {
  return host === 'github' ? githubFiles(facts) : gitlabFiles(facts);
}

function githubFiles(facts: CiFacts): readonly NewFile[] {
  const workflows = { validate: githubValidate, plan: githubPlan, apply: githubApply, drift: githubDrift };
  return Object.entries(workflows).map(([name, text]) =>
    template(`.github/workflows/roster-${name}.yml`, filled(text, facts)),
  );
}

function gitlabFiles(facts: CiFacts): readonly NewFile[] {
  return [
    {
      path: '.gitlab-ci.yml',
      at: 'repository',
      text: gitlabCi,
      missingFrom: (existing) =>
        existing.includes('.gitlab/roster.yml') ? null : 'add `local: .gitlab/roster.yml` to its `include`',
    },
    template('.gitlab/roster.yml', filled(gitlabJobs, facts)),
    template('.gitlab/roster.mjs', gitlabTool),
  ];
}

function template(path: string, text: string): NewFile {
  const missingFrom = (existing: string) =>
    existing === text
      ? null
      : 'it differs from what this version writes. To replace it, move it away and run `roster init` again';
  return { path, at: 'repository', text, missingFrom };
}

/** Escapes `!`, `+` and `]`, the special characters of GitHub's branch filters that a branch name may contain. */
function filled(template: string, { version, branch, folder }: CiFacts): string {
  const values: Readonly<Record<string, string>> = {
    __PACKAGE__: `roster@${version}`,
    __BRANCH__: yamlWord(branch.replace(/[!+\]]/g, '\\$&')),
    __FOLDER__: yamlWord(folder),
  };
  return template.replace(/__[A-Z]+__/g, (name) => values[name] ?? name);
}
