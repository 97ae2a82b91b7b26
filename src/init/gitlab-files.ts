import type { CiFacts } from './ci-facts.js';
import { fillTemplate, generatedFile, type Values } from './fill-template.js';
import { type Install, installScript } from './install.js';
import { type NewFile, yamlWord } from './project-files.js';
import gitlabCi from './templates/gitlab/gitlab-ci.yml?raw';
import planFromSnapshot from './templates/gitlab/plan-from-snapshot.sh?raw';
import tool from './templates/gitlab/roster.mjs?raw';
import jobs from './templates/gitlab/roster.yml?raw';

export function gitlabFiles(facts: CiFacts): readonly NewFile[] {
  const values = valuesOf(facts);
  return [
    {
      path: '.gitlab-ci.yml',
      at: 'repository',
      text: gitlabCi,
      missingFrom: (existing) =>
        existing.includes('.gitlab/roster.yml') ? null : 'add `local: .gitlab/roster.yml` to its `include`',
    },
    generatedFile('.gitlab/roster.yml', fillTemplate(jobs, values)),
    generatedFile('.gitlab/roster.mjs', fillTemplate(tool, values)),
  ];
}

function valuesOf(facts: CiFacts): Values {
  const { install, planWith, branch, folder, url, remoteHost } = facts;
  return {
    BRANCH_STRING: JSON.stringify(branch),
    CD_FOLDER: /^[\w.][\w./-]*$/.test(folder) ? `cd ${folder}` : JSON.stringify(`cd ${shellWord(folder)}`),
    API: gitlabApi(remoteHost),
    FOLDER: yamlWord(folder),
    IMAGE: install.from === 'image' ? install.image : 'node:24',
    INSTALL_STEP: installStep(install),
    SET_URL:
      url === null
        ? ': "${ROSTER_URL:?is not set. Set this CI/CD variable to the URL of the service}"'
        : `export ROSTER_URL=${shellWord(url)}`,
    ...(planWith === 'key' ? liveValues : snapshotValues),
  };
}

/**
 * The address that gets ROSTER_GITLAB_TOKEN. Empty for a host that may be no GitLab: the repository may be on GitHub, or
 * the name an alias of the user's ssh settings.
 */
export function gitlabApi(remoteHost: string | null): string {
  if (remoteHost === null || remoteHost === '') return 'https://gitlab.com/api/v4';
  return /^(?=.*gitlab)[\w-]+(\.[\w-]+)+(:\d+)?$/.test(remoteHost) ? `https://${remoteHost}/api/v4` : '';
}

function installStep(install: Install): string {
  if (install.from === 'image') return '';
  const script = installScript(install, '$PWD').replace(/^(?=.)/gm, '  ');
  return `- |\n${script}`;
}

function shellWord(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

const snapshotValues: Values = {
  KEY_PROTECTION: 'and protected, so that only the default branch can read it',
  PLAN_NOTE:
    '# Plans against the snapshot of the last apply or scheduled pipeline, without a key: branches and forks alike.',
  AND_OWN_BRANCH: '',
  PLAN_FROM: planFromSnapshot,
};

const liveValues: Values = {
  KEY_PROTECTION: 'but not protected: everybody who can push a branch can read it',
  PLAN_NOTE: '# Plans with the API key. Merge requests from forks have no access to it and get no plan.',
  AND_OWN_BRANCH: ' && $CI_MERGE_REQUEST_SOURCE_PROJECT_ID == $CI_MERGE_REQUEST_PROJECT_ID',
  PLAN_FROM: '__SET_URL__\nsnapshot=',
};
