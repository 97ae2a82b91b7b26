import { shellWord } from '../model/words.js';
import {
  about,
  applyEnvironment,
  type CiFacts,
  deploymentsOf,
  ending,
  environmentsOf,
  fillTemplate,
  generatedFile,
  type Install,
  installScript,
  listed,
  promotedFrom,
  readEnvironment,
  type Values,
} from './ci-facts.js';
import type { NewFile } from './project-files.js';
import gitlabCi from './templates/gitlab/gitlab-ci.yml?raw';
import environmentJobs from './templates/gitlab/jobs.yml?raw';
import planFromSnapshot from './templates/gitlab/plan-from-snapshot.sh?raw';
import tool from './templates/gitlab/roster.mjs?raw';
import jobs from './templates/gitlab/roster.yml?raw';
import requestTool from './templates/request.mjs?raw';

export function gitlabFiles(facts: CiFacts): readonly NewFile[] {
  const values = valuesOf(facts);
  const name = `roster${ending(facts)}.yml`;
  const filled = environmentsOf(facts).map((each) =>
    fillTemplate(environmentJobs, { ...values, ...jobValues(facts, each) }),
  );
  const include = `local: .gitlab/${name}`;
  return [
    {
      path: '.gitlab-ci.yml',
      at: 'repository',
      text: fillTemplate(gitlabCi, { NAME: name }),
      missingFrom: (existing) =>
        existing.includes(`.gitlab/${name}`) ? null : `add \`${include}\` to its \`include\``,
    },
    generatedFile(`.gitlab/${name}`, fillTemplate(jobs, { ...values, JOBS: filled.join('\n') })),
    generatedFile('.gitlab/roster.mjs', fillTemplate(tool, values)),
    generatedFile('.gitlab/roster-request.mjs', requestTool),
  ];
}

function valuesOf(facts: CiFacts): Values {
  const { install, planWith, verify, branch, folder, remoteHost } = facts;
  const { applying } = deploymentsOf(facts);
  return {
    ABOUT: about(facts),
    OF_PROJECT: ending(facts),
    SCOPES: scopes(facts),
    APPLY_ENVIRONMENTS: `${applying.length === 1 ? 'environment' : 'environments'} ${listed(applying)}`,
    BRANCH_STRING: JSON.stringify(branch),
    CD_FOLDER: /^[\w.][\w./-]*$/.test(folder) ? `cd ${folder}` : JSON.stringify(`cd ${shellWord(folder)}`),
    API: gitlabApi(remoteHost),
    IMAGE: install.from === 'image' ? install.image : 'node:24',
    INSTALL_STEP: installStep(install),
    SET_URL: setUrl(facts),
    VERIFY: verify ? 'roster status -f roster.yaml__SELECT__ --check --since apply' : '',
    ...(planWith === 'key' ? liveValues : snapshotValues),
  };
}

/** Each environment has its own service. */
function setUrl({ url, environments }: CiFacts): string {
  // Whoever may start a pipeline with variables of their own must not decide where the key is sent.
  if (url !== null && environments.length === 0) return `export ROSTER_URL=${shellWord(url)}`;
  return ': "${ROSTER_URL:?is not set. Set this CI/CD variable to the URL of the service}"';
}

function scopes(facts: CiFacts): string {
  if (facts.environments.length === 0) return '';
  const pairs = facts.environments.map(
    (each) => `${readEnvironment(facts, each)} and ${applyEnvironment(facts, each)}`,
  );
  return `# Set ROSTER_API_KEY and ROSTER_URL in each of these environment scopes: ${pairs.join(', ')}.${promotion(facts)}`;
}

function promotion({ promote }: CiFacts): string {
  if (promote.length === 0) return '';
  return `\n# Environments are applied in the order ${promote.join(', ')}: each one is planned after the previous one was applied.`;
}

function jobValues(facts: CiFacts, environment: string | null): Values {
  const before = promotedFrom(facts, environment);
  const reads = hasOwn(facts, environment)
    ? `environment:\n  name: ${readEnvironment(facts, environment)}\n  action: verify`
    : '';
  return {
    OF: ending(facts, environment),
    SELECT: environment === null ? '' : ` -e ${environment}`,
    APPLY_TO: applyEnvironment(facts, environment),
    ALLOW_FAILURE: mayFail(facts, environment)
      ? 'allow_failure: true'
      : '# A failure stops the jobs that need this one.',
    READS: reads,
    PLAN_READS: facts.planWith === 'key' ? reads : '',
    PREPARE_STAGE:
      before === null ? 'stage: test' : `stage: deploy\nneeds: [roster-apply${ending(facts, before)}]`,
  };
}

/** If a job that may fail has failed, GitLab runs the jobs that need it: production after a failed staging. */
function mayFail({ verify, promote }: CiFacts, environment: string | null): boolean {
  const isPromoted = environment !== null && promote.slice(0, -1).includes(environment);
  return !verify && !isPromoted;
}

/** Whether its variables have an environment scope, because there are other projects or environments. */
function hasOwn({ project }: CiFacts, environment: string | null): boolean {
  return project !== null || environment !== null;
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
  if (install.from === 'image' || install.from === 'nowhere') return '';
  const script = installScript(install, '$PWD').replace(/^(?=.)/gm, '  ');
  return `- |\n${script}`;
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
