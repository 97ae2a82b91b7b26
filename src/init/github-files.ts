import {
  about,
  applyEnvironment,
  type CiFacts,
  deploymentsOf,
  ending,
  environmentsOf,
  fillTemplate,
  generatedFile,
  installScript,
  listed,
  promotedFrom,
  type Values,
} from './ci-facts.js';
import { type NewFile, yamlWord } from './project-files.js';
import applyJobs from './templates/github/apply-jobs.yml?raw';
import check from './templates/github/check.yml?raw';
import gitToken from './templates/github/git-token.yml?raw';
import planFromSnapshot from './templates/github/plan-from-snapshot.yml?raw';
import planJobs from './templates/github/plan-jobs.yml?raw';
import planWithKey from './templates/github/plan-with-key.yml?raw';
import tool from './templates/github/roster.mjs?raw';
import apply from './templates/github/roster-apply.yml?raw';
import driftTool from './templates/github/roster-drift.mjs?raw';
import drift from './templates/github/roster-drift.yml?raw';
import hostTool from './templates/github/roster-host.mjs?raw';
import plan from './templates/github/roster-plan.yml?raw';
import validate from './templates/github/roster-validate.yml?raw';
import setup from './templates/github/setup.yml?raw';
import snapshotJob from './templates/github/snapshot-job.yml?raw';
import verifyStep from './templates/github/verify.yml?raw';
import requestTool from './templates/request.mjs?raw';

export function githubFiles(facts: CiFacts): readonly NewFile[] {
  const values = { ...valuesOf(facts), ...environmentValues(facts) };
  const jobs = (template: string): Values => ({ ...values, JOBS: jobsOf(template, facts, values) });
  const workflows = {
    validate: fillTemplate(validate, values),
    plan: fillTemplate(plan, jobs(planJobs)),
    apply: fillTemplate(apply, jobs(applyJobs)),
    drift: fillTemplate(drift, { ...values, ...matrixValues(facts) }),
  };
  return [
    ...Object.entries(workflows).map(([name, text]) =>
      generatedFile(`.github/workflows/roster-${name}${ending(facts)}.yml`, text),
    ),
    generatedFile('.github/roster.mjs', tool),
    generatedFile('.github/roster-drift.mjs', driftTool),
    generatedFile('.github/roster-host.mjs', hostTool),
    generatedFile('.github/roster-request.mjs', requestTool),
  ];
}

/** Each environment has its own jobs, because the outputs of matrix jobs overwrite each other. */
function jobsOf(template: string, facts: CiFacts, values: Values): string {
  const filled = environmentsOf(facts).map((each) => {
    const own = each === null ? projectJobs(facts) : environmentJobs(facts, each);
    return fillTemplate(template, { ...values, ...own });
  });
  return filled.join('\n');
}

function valuesOf({ install, planWith, verify, branch, folder, project }: CiFacts): Values {
  const isImage = install.from === 'image';
  return {
    // `!`, `+` and `]` are the special characters of branch filters that a branch name may contain.
    BRANCH: yamlWord(branch.replace(/[!+\]]/g, '\\$&')),
    REF: refOf(branch),
    FOLDER: yamlWord(folder),
    PROPOSED: yamlWord(folder === '.' ? 'proposed' : `proposed/${folder}`),
    TITLE: project === null ? '' : ` ${project}`,
    OF_PROJECT: ending({ project }),
    CONTAINER: isImage ? `container: ${install.image}` : '',
    SETUP: isImage ? '' : setup,
    INSTALL: isImage ? '' : installScript(install, '$GITHUB_WORKSPACE'),
    GIT_TOKEN: gitToken,
    GIT_CONFIG_COUNT: isImage ? '2' : '1',
    GIT_OWNER: isImage ? gitOwner(1) : '',
    CHECKOUT_OWNER: isImage ? `GIT_CONFIG_COUNT: 1\n${gitOwner(0)}` : '',
    CHECK: check,
    VERIFY: verify ? verifyStep : '',
    VARIABLES: variables,
    ...(planWith === 'key' ? liveValues : snapshotValues),
  };
}

function environmentValues(facts: CiFacts): Values {
  const { reading, applying } = deploymentsOf(facts);
  const [which, needs] = reading.length === 1 ? ['environment', 'needs'] : ['environments', 'need'];
  return {
    ABOUT: about(facts),
    READ_ENVIRONMENTS: `# The ${which} ${listed(reading)} ${needs} the secret ROSTER_API_KEY and the variable ROSTER_URL.`,
    APPLY_ENVIRONMENTS: `# The environments ${listed([...reading, ...applying])} need the secret ROSTER_API_KEY and the variable
# ROSTER_URL. Restrict them to the default branch, and add required reviewers to ${listed(applying)}: they approve
# after the first job has shown the plan.${promotion(facts)}`,
    ENVIRONMENT_INPUT: facts.environments.length === 0 ? '' : environmentInput(facts.environments),
  };
}

function promotion({ promote }: CiFacts): string {
  if (promote.length === 0) return '';
  return `
# Environments are applied in the order ${promote.join(', ')}: each one only if the previous one has nothing left to apply.`;
}

function environmentInput(environments: readonly string[]): string {
  return `environment:
  description: Environment to apply
  required: true
  type: choice
  options: [${environments.map(yamlWord).join(', ')}]`;
}

/** The jobs of a project without environments. */
function projectJobs(facts: CiFacts): Values {
  return {
    JOB: '',
    OF: ending(facts),
    APPLY_TO: applyEnvironment(facts, null),
    ENVIRONMENT: '${{ vars.ROSTER_ENV }}',
    NAMES: facts.project === null ? '' : `OF_PROJECT: ${facts.project}`,
    SELECTED: '',
    AFTER: '',
    SNAPSHOT: '',
    APPLY_DUE: "needs.plan.outputs.has_changes == 'true'",
    APPLY_IF: `github.ref == ${refOf(facts.branch)}`,
    MATRIX: '',
  };
}

function environmentJobs(facts: CiFacts, environment: string): Values {
  const before = promotedFrom(facts, environment);
  const started = `github.ref == ${refOf(facts.branch)} && ${isAsked(facts, environment)}`;
  const own = projectJobs(facts);
  const plan = `needs.plan-${environment}`;
  const isDue = `${plan}.outputs.has_changes == 'true'`;
  return {
    ...own,
    JOB: `-${environment}`,
    OF: ending(facts, environment),
    APPLY_TO: applyEnvironment(facts, environment),
    ENVIRONMENT: yamlWord(environment),
    NAMES: `${own['NAMES']}\nOF_ENVIRONMENT: ${yamlWord(environment)}`.trim(),
    SELECTED: 'SELECTED: ${{ inputs.environment }}',
    SNAPSHOT: isAwaited(facts, environment) ? snapshotJob : '',
    ...(before === null
      ? { APPLY_IF: started, APPLY_DUE: isDue }
      : {
          AFTER: `needs: [plan-${before}, apply-${before}]`,
          APPLY_IF: evenIfSkipped(`${started} && ${isApplied(before)}`),
          APPLY_DUE: evenIfSkipped(`${plan}.result == 'success' && ${isDue}`),
        }),
  };
}

/** Whether another environment waits for it, and with it the workflow that saves snapshots after each run. */
function isAwaited({ promote, planWith }: CiFacts, environment: string): boolean {
  return planWith === 'snapshot' && promote.slice(0, -1).includes(environment);
}

/** Without a status function, GitHub skips a job if an earlier job was skipped, as an apply without changes is. */
function evenIfSkipped(condition: string): string {
  return `\${{ !cancelled() && ${condition} }}`;
}

/** As a string of an expression. */
function refOf(branch: string): string {
  return `'refs/heads/${branch.replaceAll("'", "''")}'`;
}

/** A manual run is for one environment, and checks those that come before it. */
function isAsked({ promote }: CiFacts, environment: string): string {
  const at = promote.indexOf(environment);
  const later = at === -1 ? [environment] : promote.slice(at);
  const names = later.map((each) => `inputs.environment == '${each}'`);
  return `(github.event_name == 'push' || ${names.join(' || ')})`;
}

function isApplied(environment: string): string {
  const [plan, apply] = [`needs.plan-${environment}`, `needs.apply-${environment}`];
  return `${plan}.result == 'success' && (${apply}.result == 'success' || ${plan}.outputs.has_changes == 'false')`;
}

/** The drift workflow has no outputs, so one matrix job covers all environments. */
function matrixValues(facts: CiFacts): Values {
  const { environments } = facts;
  if (environments.length === 0) return projectJobs(facts);
  return {
    ...projectJobs(facts),
    OF: `${ending(facts)}_\${{ matrix.environment }}`,
    ENVIRONMENT: '${{ matrix.environment }}',
    MATRIX: `strategy:
  fail-fast: false
  matrix:
    environment: [${environments.map(yamlWord).join(', ')}]`,
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
    '# Pull requests from forks are planned like any other: this job has no API key, and uses the snapshot of the last run of roster-drift__OF_PROJECT__.yml.',
};

const liveValues: Values = {
  PLAN: planWithKey,
  PLAN_ENVIRONMENT: 'environment: roster-plan__OF__',
  AND_OWN_BRANCH: ' && github.event.workflow_run.head_repository.full_name == github.repository',
  PLAN_NOTE: `# Plans with the secret ROSTER_API_KEY and the variable ROSTER_URL of the environment. Pull requests from forks get no plan.`,
};
