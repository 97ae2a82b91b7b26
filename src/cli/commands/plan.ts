import {
  addresses,
  again,
  allowAccountChange,
  carriedOut,
  define,
  deletingFromService,
  flag,
  guards,
  policyFiles,
  pruning,
  reading,
  selection,
  service,
} from '../command/command.js';

const guarded = 'The plan was refused, and nothing was changed';
export const planCommand = define({
  name: 'plan',
  summary: 'Show the difference between the manifests and the service',
  about:
    'Show the difference between the manifests and the service, and whether apply would refuse it. Changes nothing.',
  arguments: [addresses],
  options: [
    ...selection,
    ...guards,
    policyFiles,
    flag('--destroy', 'Plan to delete everything that the inventory owns, as `roster destroy` would'),
    flag('--detailed-exitcode', 'Exit with code 2 if there are changes'),
    flag('--summary', 'Show one line for each change'),
    flag('--out <file>', 'Save the plan for `apply --plan`'),
    flag(
      '--snapshot <file>',
      'Plan against a file saved by `roster snapshot`, without an API key or network access',
    ),
    flag(
      '--rehearse',
      'Apply the plan to a copy of the service in this process, also with lost answers, rate limits and kills',
    ),
    flag('--link-base <url>', 'URL of the commit that Markdown links point to'),
    flag('--page-link <url>', 'URL of the HTML page; a comment that had to be cut links to it'),
  ],
  shared: pruning,
  does: reading,
  page: 'plan',
  formats: ['text', 'json', 'markdown', 'html', 'github', 'gitlab'],
  examples: [
    ['Show what an apply would change', 'roster plan'],
    ['Plan only the schedules', "roster plan 'schedule/*'"],
    [
      'Plan without an API key, and write a comment for the pull request',
      'roster plan --snapshot roster.snapshot.json --write markdown=plan.md --write html=plan.html',
    ],
  ],
  exits: {
    0: 'Success, with or without changes',
    1: 'An error',
    2: 'There are changes, with `--detailed-exitcode`',
    4: 'Apply would refuse this plan',
  },
  docs: 'docs/pull-requests.md',
});

export const applyCommand = define({
  name: 'apply',
  summary: 'Make the service match the manifests',
  about:
    'Show the plan, ask for confirmation, and make the service match the manifests. To apply a plan that was reviewed elsewhere, pass its digest: any other plan is refused.',
  arguments: [addresses],
  options: [
    ...selection,
    ...guards,
    policyFiles,
    flag('-y, --yes', 'Do not ask for confirmation'),
    flag('--plan <file>', 'Apply only if the current plan equals this saved plan'),
    flag('--expect <digest>', 'Apply only if the current plan has this digest'),
    flag(
      '--resume',
      'With --expect or --plan, also apply the rest of that plan if an earlier apply was interrupted or partly failed',
    ),
    ...carriedOut,
  ],
  shared: pruning,
  does: deletingFromService,
  interruptEnds: 'steps',
  afterStop: again,
  formats: ['text', 'json'],
  examples: [
    ['Show the plan and ask for confirmation', 'roster apply'],
    ['Apply exactly the plan that was reviewed', 'roster apply --expect "$DIGEST"'],
    ['Apply without confirmation, with at most 10 deletes', 'roster apply --yes --allow-deletes 10'],
  ],
  exits: {
    0: 'The service matches the manifests',
    1: 'An error, and nothing was changed',
    3: 'Not finished or not verified: the report shows what was done',
    4: guarded,
    130: 'Interrupted',
  },
  docs: 'docs/recovery.md',
});

export const destroyCommand = define({
  name: 'destroy',
  summary: 'Delete everything that the inventory owns',
  about:
    'Show the plan to delete everything that the inventory owns, ask for the name of the project, and carry it out. Objects that are external or not managed here stay. Protected objects stop it. The manifests stay, too: the next apply creates everything again.',
  arguments: [addresses],
  options: [
    ...selection,
    flag('-y, --yes', 'With --expect, do not ask for confirmation'),
    flag('--expect <digest>', 'Destroy only if the plan of `roster plan --destroy` has this digest'),
    flag('--allow-self-revoke', 'Allow a plan that revokes the API key that roster uses'),
    allowAccountChange,
    ...carriedOut,
  ],
  shared: service,
  does: deletingFromService,
  interruptEnds: 'steps',
  afterStop: again,
  formats: ['text', 'json'],
  examples: [
    ['Show what would be deleted, and its digest', 'roster plan --destroy'],
    ['Delete everything in an environment, after confirmation', 'roster destroy -e staging'],
    ['Delete exactly what was reviewed', 'roster destroy --yes --expect "$DIGEST"'],
  ],
  exits: {
    0: 'Everything in the plan was deleted',
    1: 'An error, and nothing was changed',
    3: 'Not finished or not verified: the report shows what was done',
    4: guarded,
    130: 'Interrupted',
  },
  docs: 'docs/inventory.md',
});
