import {
  about,
  type CiFacts,
  deploymentsOf,
  ending,
  fillTemplate,
  generatedFile,
  listed,
  shellFile,
  type Values,
  verifyFlag,
  workflowOf,
} from './ci-facts.js';
import { installCommand, installFiles, rosterCommand } from './install-files.js';
import { type NewFile, yamlWord } from './project-files.js';
import call from './templates/github/call.yml?raw';
import main from './templates/github/roster.yml?raw';
import environment from './templates/github/roster-environment.yml?raw';
import plan from './templates/github/roster-plan.yml?raw';

export function githubFiles(facts: CiFacts): readonly NewFile[] {
  const values = valuesOf(facts);
  const name = values['NAME'] ?? '';
  return [
    generatedFile(
      `.github/workflows/${name}.yml`,
      fillTemplate(main, { ...values, CALLS: callsOf(facts, values) }),
    ),
    generatedFile(
      `.github/workflows/${name}-plan.yml`,
      fillTemplate(plan, { ...values, ...matrixOf(facts) }),
    ),
    generatedFile(`.github/workflows/${name}-environment.yml`, fillTemplate(environment, values)),
    ...installFiles(facts.install, 'github'),
  ];
}

function valuesOf(facts: CiFacts): Values {
  const { install, planWith, verify, branch, folder, project, environments } = facts;
  const isImage = install.from === 'image';
  const deployed = environments.length === 0 ? '' : '_${{ inputs.environment }}';
  const prefix = project === null ? '' : `${project}_`;
  return {
    NAME: workflowOf(facts),
    // `!`, `+` and `]` are the special characters of branch filters that a branch name may contain.
    BRANCH: yamlWord(branch.replace(/[!+\]]/g, '\\$&')),
    FILE: shellFile(folder),
    CONTAINER: isImage ? `container: ${install.image}` : '',
    ROSTER: rosterCommand(install, 'github'),
    INSTALL: isImage ? '' : `- run: ${installCommand('github')}`,
    OF: `${ending(facts)}${deployed}`,
    APPLY_TO: environments.length === 0 ? `${prefix}production` : `${prefix}\${{ inputs.environment }}`,
    SETTINGS: `ROSTER_API_KEY: "\${{ secrets.ROSTER_API_KEY }}", ${environments.length === 0 ? '' : 'ROSTER_ENV: "${{ inputs.environment }}", '}ROSTER_URL: "\${{ vars.ROSTER_URL }}"`,
    INPUTS: environments.length === 0 ? '' : 'environment: { type: string, required: true }',
    VERIFY: verifyFlag(verify),
    VARIABLES: variables,
    ABOUT: about(facts),
    ...promotionOf(facts),
    ...settingsOf(facts),
    ...(planWith === 'key' ? liveValues : snapshotValues),
  };
}

function settingsOf(facts: CiFacts): Values {
  const { reading, applying } = deploymentsOf(facts);
  const { environments } = facts;
  return {
    APPLY_ENVIRONMENTS: `# The environments ${listed([...reading, ...applying])} need the secret ROSTER_API_KEY and the variable
# ROSTER_URL. Restrict them to the default branch, and add required reviewers to ${listed(applying)}.
# What manifests use as \${env.NAME} goes into \`env\` of the steps with ROSTER_API_KEY, like ROSTER_INVENTORY and ROSTER_POLICIES.`,
    ENVIRONMENT_INPUT:
      environments.length === 0
        ? ''
        : `environment:
  description: Environment
  required: true
  type: choice
  options: [${environments.map(yamlWord).join(', ')}]`,
  };
}

function promotionOf({ promote }: CiFacts): Values {
  const order = `# Environments are applied in the order ${promote.join(', ')}: each one only if the previous one has nothing left to apply.`;
  return { PROMOTION: promote.length === 0 ? '' : order };
}

/** The calls of the workflow that applies: one for each environment that waits for another, and one for all others. */
function callsOf(facts: CiFacts, values: Values): string {
  const { environments, promote, branch } = facts;
  const onBranch = `github.ref == ${refOf(branch)}`;
  const of = (own: Values) =>
    fillTemplate(call, { ...values, NEEDS: '', MATRIX: '', WITH: '', SUFFIX: '', ...own });
  if (environments.length === 0) return of({ CALL: 'project', IF: onBranch });
  const promoted = promote.map((each, index) => {
    const before = promote[index - 1];
    const asked = `(github.event_name != 'workflow_dispatch' || ${isAsked(promote.slice(index))})`;
    const own = { CALL: `to-${each}`, WITH: `environment: ${yamlWord(each)}`, SUFFIX: `_${each}` };
    if (before === undefined) return of({ ...own, IF: `${onBranch} && ${asked}` });
    // Without a status function, GitHub skips it if any job before it failed: drift is checked all the same.
    const due = `(github.event_name == 'schedule' || needs.to-${before}.result == 'success')`;
    return of({
      ...own,
      NEEDS: `needs: to-${before}`,
      IF: `\${{ !cancelled() && ${onBranch} && ${asked} && ${due} }}`,
    });
  });
  const others = environments.filter((each) => !promote.includes(each));
  if (others.length === 0) return promoted.join('\n');
  return [
    ...promoted,
    of({
      CALL: 'each',
      IF: `${onBranch} && (github.event_name != 'workflow_dispatch' || ${isAsked(others)})`,
      MATRIX: matrix(others),
      SUFFIX: '_${{ matrix.environment }}',
      WITH: 'environment: ${{ matrix.environment }}',
    }),
  ].join('\n');
}

/** A manual run is for one environment, and checks those that come before it. */
function isAsked(environments: readonly string[]): string {
  return environments.map((each) => `inputs.environment == '${each}'`).join(' || ');
}

function refOf(branch: string): string {
  return `'refs/heads/${branch.replaceAll("'", "''")}'`;
}

function matrix(environments: readonly string[]): string {
  return `strategy: { fail-fast: false, matrix: { environment: [${environments.map(yamlWord).join(', ')}] } }`;
}

function matrixOf(facts: CiFacts): Values {
  const { environments } = facts;
  const token = 'GITHUB_TOKEN: "${{ github.token }}"';
  if (environments.length === 0)
    return {
      MATRIX: '',
      MATRIX_ENV: '',
      SHOW_SETTINGS: token,
      READ: `roster-plan${ending(facts)}`,
      OUTPUTS: `artifact: "\${{ ${uploaded} }}"`,
      ARTIFACTS: '${{ needs.plan.outputs.artifact }}',
    };
  // All jobs of a matrix have the same outputs, of which each sets its own.
  const own = environments.map((each): [string, string] => [`artifact-${each}`, each]);
  return {
    OUTPUTS: own
      .map(([name, each]) => `${name}: "\${{ matrix.environment == '${each}' && ${uploaded} || '' }}"`)
      .join(', '),
    ARTIFACTS: own.map(([name]) => `\${{ needs.plan.outputs.${name} }}`).join(' '),
    MATRIX: matrix(environments),
    MATRIX_ENV: 'ROSTER_ENV: ${{ matrix.environment }}',
    SHOW_SETTINGS: `${token}, ROSTER_ENV: "\${{ matrix.environment }}"`,
    READ: `roster-plan${ending(facts)}_\${{ matrix.environment }}`,
  };
}

/** The id of an artifact: its name is the same in all attempts of a run. */
const uploaded = 'steps.upload.outputs.artifact-id';

const variables = `# Add here what manifests use as \${env.NAME} (without an API key, any value will do), ROSTER_INVENTORY and ROSTER_POLICIES.`;

const snapshotValues: Values = {
  LIVE: '',
  KEY: '',
  PLAN_ENVIRONMENT: '',
  AND_OWN_BRANCH: '',
  PLAN_NOTE:
    '# Forks are planned like any other branch: the job has no API key, and uses the snapshot of the last run of __NAME__.yml.',
};

const liveValues: Values = {
  LIVE: ' --live',
  KEY: 'ROSTER_API_KEY: ${{ secrets.ROSTER_API_KEY }}\nROSTER_URL: ${{ vars.ROSTER_URL }}',
  PLAN_ENVIRONMENT: 'environment: __READ__',
  AND_OWN_BRANCH: ' && github.event.workflow_run.head_repository.full_name == github.repository',
  PLAN_NOTE:
    '# Plans with the API key of the environment `roster-plan`. Pull requests from forks get no plan.',
};
