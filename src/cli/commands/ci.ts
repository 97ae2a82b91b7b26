import { choice, common, define, type Effects, flag, project } from '../command/command.js';

/** They act by the environment of a job, and do nothing elsewhere. */
const inJob: Effects = { readOnly: false, destructive: false, needsKey: false, changesService: false };

const url = flag('--url <url>', 'URL of the service (default: ROSTER_URL)');
const api = flag('--api <url>', 'On GitLab: address of the API, if runners clone from another host');
const shared = [...common, url, api] as const;
const live = flag('--live', 'Plan against the service with the API key, instead of against the snapshot');
const verify = choice(
  '--verify [how]',
  'After the apply, fail if anything declared is failing; `start` first starts what was applied once',
  ['status', 'start'],
);

export const ciCommand = define({
  name: 'ci',
  summary: 'Run one step of a CI job',
  about: `The steps of the CI jobs that \`roster init\` writes for GitHub Actions and GitLab CI, in order:

  roster validate    a pull or merge request: offline, without secrets
  roster ci plan     plan it against the snapshot, without an API key
  roster ci record   on GitHub: record which plan is shown
  roster ci show     show the plan: a check and a comment, or a note
  roster ci review   after the merge: plan again; on GitHub, compare
  roster ci apply    apply exactly that plan
  roster ci drift    then and every night: the snapshot, an issue on drift
  roster ci pull     on request: a pull request that accepts the drift

\`roster ci doctor\` checks the settings of the repository that they need.`,
  options: [],
  shared: [],
  does: inJob,
  hasDetails: false,
  formats: ['text'],
  examples: [
    ['Show which CI this job runs in', 'roster ci'],
    ['Show the sequence of the commands', 'roster ci --help'],
  ],
  exits: { 0: 'Success', 1: 'Not in a CI job' },
  docs: 'docs/ci.md',
});

const exits = { 0: 'Success', 1: 'An error, or refused: the log says why' } as const;
const planExits = { ...exits, 4: 'Apply would refuse this plan' } as const;

export const ciPlanCommand = define({
  name: 'ci plan',
  summary: 'Plan a pull request',
  about:
    'Plan the pull or merge request of this job against the newest snapshot of the default branch. Its files are data: none is run, and no API key is needed.',
  options: [live],
  shared,
  does: inJob,
  formats: ['text'],
  examples: [
    ['Plan the pull request whose validation has ended', 'roster ci plan'],
    ['Plan it for an environment', 'roster ci plan -e staging'],
  ],
  exits: planExits,
  docs: 'docs/ci.md',
});

export const ciRecordCommand = define({
  name: 'ci record',
  summary: 'Record which plan a pull request shows',
  about:
    'On GitHub, prepare the artifact that records the plan of this job, or that it failed. The next step uploads it, then `roster ci show` shows the plan. For each pull request and commit, only the newest record counts.',
  options: [flag('--artifacts <ids>', 'IDs of the artifacts that the jobs with `ci plan` have uploaded')],
  shared,
  does: inJob,
  formats: ['text'],
  examples: [
    ['Record the plan that an earlier job has made', 'roster ci record --artifacts "$ARTIFACTS"'],
    [
      'Record the plan of a project in a folder',
      'roster ci record -f prices/roster.yaml --artifacts "$ARTIFACTS"',
    ],
  ],
  exits,
  docs: 'docs/ci.md',
});

export const ciShowCommand = define({
  name: 'ci show',
  summary: 'Show a plan in the pull request',
  about:
    'Show the plan of this job: on GitHub, once it is recorded, in a check and a comment; on GitLab in a note.',
  options: [flag('--recorded <result>', 'On GitHub: result of the step that uploaded the record')],
  shared,
  does: inJob,
  formats: ['text'],
  examples: [
    ['Show the plan that an earlier job has made', 'roster ci show'],
    ['Show it once it is recorded, on GitHub', 'roster ci show --recorded "$RECORDED"'],
  ],
  exits,
  docs: 'docs/ci.md',
});

export const ciReviewCommand = define({
  name: 'ci review',
  summary: 'Plan the merged commit, and check that the plan was reviewed',
  about:
    'Plan the merged commit and show the plan. On GitHub, fail unless it is the plan that the pull request showed before the merge, or its digest was given by hand. On GitLab, whoever starts the apply job reads the plan first.',
  shared,
  does: inJob,
  formats: ['text'],
  examples: [
    ['Plan the merged commit', 'roster ci review'],
    ['Plan it for an environment', 'roster ci review -e staging'],
  ],
  exits: planExits,
  docs: 'docs/ci.md',
});

export const ciApplyCommand = define({
  name: 'ci apply',
  summary: 'Apply exactly the plan that was reviewed',
  about:
    'Apply exactly the plan of `roster ci review`, or nothing, and only for the last commit of the branch. It also finishes an interrupted apply.',
  options: [flag('--expect <digest>', 'On GitHub: digest of the plan. GitLab passes the plan on'), verify],
  shared,
  does: { ...inJob, changesService: true },
  interruptEnds: 'steps',
  formats: ['text'],
  examples: [
    ['Apply the plan that an earlier job has checked', 'roster ci apply --expect "$DIGEST"'],
    ['Then fail if anything declared is failing', 'roster ci apply --expect "$DIGEST" --verify'],
  ],
  exits: {
    ...planExits,
    3: 'The apply began and is not finished: run the job again',
    5: 'Applied, but something declared is failing (with `--verify`)',
  },
  docs: 'docs/ci.md',
});

export const ciDriftCommand = define({
  name: 'ci drift',
  summary: 'Save the snapshot, and keep an issue open while there is drift or unmet data',
  about:
    'Save the snapshot for plans, and keep an issue open while there is drift or data does not meet `expect`. The issue lists the drift, the unmet expectations and the status, grouped by owner if CODEOWNERS names several.',
  options: [
    flag(
      '--applied <result>',
      'On GitHub: result of the job that applied. The comment then shows the result of the plan',
    ),
  ],
  shared,
  does: inJob,
  formats: ['text'],
  examples: [
    ['Check every night', 'roster ci drift'],
    ['Check after an apply, and show its result in the comment', 'roster ci drift --applied "$RESULT"'],
  ],
  exits,
  docs: 'docs/ci.md',
});

export const ciDoctorCommand = define({
  name: 'ci doctor',
  summary: 'Check the settings of the repository that CI needs',
  about:
    'Check which environment, secret, variable, protection, webhook or schedule is missing, one line each with the page where it is set. Runs in a job or on a laptop, with a token in GITHUB_TOKEN or GH_TOKEN, or in GITLAB_TOKEN, that may read the settings.',
  shared: project,
  does: inJob,
  formats: ['text', 'json'],
  examples: [
    ['Check on a laptop', 'GITHUB_TOKEN=$(gh auth token) roster ci doctor'],
    ['Check the project in a folder', 'roster ci doctor -f prices/roster.yaml'],
  ],
  exits: { 0: 'Nothing is missing', 1: 'Something is missing, or an error' },
  docs: 'docs/ci.md',
});

export const ciPullCommand = define({
  name: 'ci pull',
  summary: 'Open a pull request that accepts the drift',
  shared,
  does: inJob,
  formats: ['text'],
  examples: [
    ['Propose to accept what was changed outside roster', 'roster ci pull'],
    ['Propose it for an environment', 'roster ci pull -e staging'],
  ],
  exits,
  docs: 'docs/ci.md',
});
