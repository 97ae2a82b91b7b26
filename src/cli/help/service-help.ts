import { failed, type HelpText, success } from './help-text.js';

const elsewhere = 'Refused, for example because the inventory belongs to another service or account';
const refused = 'A guard refused the plan, and nothing was changed';

/** The help of the commands that need the service or the inventory. */
export const serviceHelp = {
  plan: {
    summary: 'Show the difference between the manifests and the service',
    about:
      'Show the difference between the manifests and the service, and whether an apply would be refused. Changes nothing.',
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
      1: failed,
      2: 'There are changes, with `--detailed-exitcode`',
      4: 'An apply would be refused by a guard',
    },
    page: 'docs/pull-requests.md',
  },
  apply: {
    summary: 'Make the service match the manifests',
    about:
      'Show the plan, ask for confirmation, and make the service match the manifests. To apply a plan that was reviewed elsewhere, pass its digest: any other plan is refused.',
    examples: [
      ['Show the plan and ask for confirmation', 'roster apply'],
      ['Apply exactly the plan that was reviewed', 'roster apply --expect "$DIGEST"'],
      ['Apply without confirmation, with at most 10 deletes', 'roster apply --yes --allow-deletes 10'],
    ],
    exits: {
      0: 'The service matches the manifests',
      1: 'An error, and nothing was changed',
      3: 'Not finished or not verified: the report says what was done',
      4: refused,
      130: 'Interrupted',
    },
    page: 'docs/recovery.md',
  },
  destroy: {
    summary: 'Delete everything that the inventory owns',
    about:
      'Show the plan to delete everything that the inventory owns, ask for the name of the project, and carry it out. External and unmanaged objects stay. Protected objects stop it. The manifests stay, too: the next apply creates everything again.',
    examples: [
      ['Show what would be deleted, and its digest', 'roster plan --destroy'],
      ['Delete everything in an environment, after confirmation', 'roster destroy -e staging'],
      ['Delete exactly what was reviewed', 'roster destroy --yes --expect "$DIGEST"'],
    ],
    exits: {
      0: 'Everything in the plan was deleted',
      1: 'An error, and nothing was changed',
      3: 'Not finished or not verified: the report says what was done',
      4: refused,
      130: 'Interrupted',
    },
    page: 'docs/inventory.md',
  },
  drift: {
    summary: 'Show what was changed outside roster since the last apply',
    about:
      'Show what was changed outside roster since the last apply, regardless of what the manifests declare now.',
    examples: [
      ['Show what was changed', 'roster drift'],
      ['Show only changes to schedules', "roster drift 'schedule/*'"],
      ['Also save the result as JSON', 'roster drift --write json=drift.json'],
    ],
    exits: {
      0: 'Nothing was changed',
      1: failed,
      2: 'Something was changed',
      4: elsewhere,
    },
    page: 'docs/drift.md',
  },
  pull: {
    summary: 'Write manifests for what exists on the service',
    about:
      'Write manifests for objects that nothing declares, so that an apply adopts them. With the addresses of declared resources, write the remote values into the existing files instead: only the lines that differ change.',
    examples: [
      ['Import everything that is not declared', 'roster pull --yes'],
      ['Show what was changed outside roster as a patch', "roster pull 'schedule/*' --format diff"],
      [
        'Import some groups into one file',
        "roster pull 'group/*' --match 'Retail*' --into teams/retail.yaml",
      ],
    ],
    exits: {
      0: success,
      1: 'An error, or some objects or values could not be written; the others were',
      4: elsewhere,
    },
    page: 'docs/pull.md',
  },
  list: {
    summary: 'List what exists on the service',
    about:
      'List the agents, groups, pipelines, schedules and API keys on the service, with the addresses of those that the project declares. Works without a project, too, with `--url` or ROSTER_URL.',
    examples: [
      ['List everything', 'roster list'],
      ['List what the project does not manage', 'roster list --unmanaged'],
      ['Show the inputs that agents accept', 'roster list agents --inputs'],
    ],
    exits: { 0: success, 1: failed, 4: 'The URL is not the one that the manifest declares' },
    page: 'docs/list.md',
  },
  api: {
    summary: 'Send one request to the service',
    about:
      'Send one request to the service, for what has no command, and print the `data` of the response as JSON. The API key goes to the service of the project only. GET, PUT and DELETE are retried; POST and PATCH are never sent twice.',
    examples: [
      ['Count the runs in progress', 'roster api /api/scraper-agents/runs/active-count'],
      ['Read all failed jobs', "roster api '/api/scraper-agents/jobs?state=failed' --all"],
      [
        'Create a group',
        `roster api POST /api/search-groups --data '{"name":"Retail","description":"","agentIds":[]}' --write`,
      ],
    ],
    exits: {
      0: success,
      1: 'An error; if the request was to write, it was not carried out',
      3: 'A request to write has failed, and may have taken effect',
    },
    page: 'docs/api.md',
  },
  why: {
    summary: 'Explain which remote object matches a resource',
    about:
      'Explain which remote object matches a resource, by which rule, what differs, and what is ignored.',
    examples: [
      ['Explain a group', 'roster why group/retail-prices'],
      ['Explain all groups', "roster why 'group/*'"],
      ['Explain a schedule of an environment', 'roster why schedule/nightly -e staging'],
    ],
    exits: { 0: success, 1: failed, 4: elsewhere },
    page: 'docs/inventory.md',
  },
  snapshot: {
    summary: 'Save the state of the service, without secrets',
    about:
      'Save the state of the service, without secrets, so that `roster plan --snapshot` can plan without an API key.',
    examples: [
      ['Save the state', 'roster snapshot --out roster.snapshot.json'],
      ['Plan against it', 'roster plan --snapshot roster.snapshot.json'],
    ],
    exits: { 0: success, 1: failed, 4: elsewhere },
    page: 'docs/forks.md',
  },
  log: {
    summary: 'Show the history of the inventory',
    about:
      'Show who changed what this project owns, when, and with which result: each apply, destroy, hold and resume, from the inventory in git. Needs no API key.',
    examples: [
      ['Show the latest entries', 'roster log'],
      ['Show each change of the first entry', 'roster log 1'],
      ['Show the entries of an environment as JSON', 'roster log -e staging --limit 100 --format json'],
    ],
    exits: { 0: success, 1: failed, 4: elsewhere },
    page: 'docs/inventory.md',
  },
  unlock: {
    summary: 'Remove the inventory lock of a run that has died',
    about:
      'Remove the lock of a run that has died. First make sure that the run is no longer active: two runs must not write at the same time.',
    examples: [
      ['Show who holds the lock, and ask before removing it', 'roster unlock'],
      ['Remove the lock without confirmation', 'roster unlock -e staging --yes'],
    ],
    exits: {
      0: 'The inventory is no longer locked',
      1: 'An error, or the lock was not removed',
      4: 'Another run took the lock in the meantime',
    },
    page: 'docs/inventory.md',
  },
} as const satisfies Readonly<Record<string, HelpText>>;
