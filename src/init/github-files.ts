import type { CiFacts } from './ci-facts.js';
import { fillTemplate, generatedFile, type Values } from './fill-template.js';
import { installScript } from './install.js';
import { type NewFile, yamlWord } from './project-files.js';
import check from './templates/github/check.yml?raw';
import gitToken from './templates/github/git-token.yml?raw';
import planFromSnapshot from './templates/github/plan-from-snapshot.yml?raw';
import planWithKey from './templates/github/plan-with-key.yml?raw';
import tool from './templates/github/roster.mjs?raw';
import apply from './templates/github/roster-apply.yml?raw';
import drift from './templates/github/roster-drift.yml?raw';
import plan from './templates/github/roster-plan.yml?raw';
import validate from './templates/github/roster-validate.yml?raw';
import setup from './templates/github/setup.yml?raw';

export function githubFiles(facts: CiFacts): readonly NewFile[] {
  const values = valuesOf(facts);
  const workflows = Object.entries({ validate, plan, apply, drift }).map(([name, text]) =>
    generatedFile(`.github/workflows/roster-${name}.yml`, fillTemplate(text, values)),
  );
  return [...workflows, generatedFile('.github/roster.mjs', tool)];
}

function valuesOf({ install, planWith, branch, folder }: CiFacts): Values {
  const isImage = install.from === 'image';
  return {
    // `!`, `+` and `]` are the special characters of branch filters that a branch name may contain.
    BRANCH: yamlWord(branch.replace(/[!+\]]/g, '\\$&')),
    REF: `'refs/heads/${branch.replaceAll("'", "''")}'`,
    FOLDER: yamlWord(folder),
    PROPOSED: yamlWord(folder === '.' ? 'proposed' : `proposed/${folder}`),
    CONTAINER: isImage ? `container: ${install.image}` : '',
    SETUP: isImage ? '' : setup,
    INSTALL: isImage ? '' : installScript(install, '$GITHUB_WORKSPACE'),
    GIT_TOKEN: gitToken,
    GIT_CONFIG_COUNT: isImage ? '2' : '1',
    GIT_OWNER: isImage ? gitOwner(1) : '',
    CHECKOUT_OWNER: isImage ? `GIT_CONFIG_COUNT: 1\n${gitOwner(0)}` : '',
    CHECK: check,
    VARIABLES: variables,
    ...(planWith === 'key' ? liveValues : snapshotValues),
  };
}

/** The runner, which checks out, and the container are different users. */
const gitOwner = (index: number) => `GIT_CONFIG_KEY_${index}: safe.directory\nGIT_CONFIG_VALUE_${index}: '*'`;

const variables = `# Add here what manifests use as \${env.NAME} (without an API key, any value will do), and ROSTER_INVENTORY.`;

const snapshotValues: Values = {
  PLAN: planFromSnapshot,
  PLAN_ENVIRONMENT: '',
  AND_OWN_BRANCH: '',
  PLAN_NOTE:
    '# Pull requests of forks are planned like any other: there is no API key here, but the snapshot of the last roster-drift.yml.',
};

const liveValues: Values = {
  PLAN: planWithKey,
  PLAN_ENVIRONMENT: 'environment: roster-plan',
  AND_OWN_BRANCH: ' && github.event.workflow_run.head_repository.full_name == github.repository',
  PLAN_NOTE: `# Plans with the secret ROSTER_API_KEY and the variable ROSTER_URL of the environment. Pull requests from forks get no plan.`,
};
