import type { CommandName } from '../command/declarations.js';

export interface HelpText {
  /** For the list of commands: without a period. */
  readonly summary: string;
  /** What its help begins with. Default: the summary. */
  readonly about?: string;
  /** Command lines with what they are for. Tests run each of them. */
  readonly examples: readonly (readonly [purpose: string, line: string])[];
  /** What its exit codes mean. */
  readonly exits: Readonly<Record<number, string>>;
  /** The page that says more. */
  readonly page: string;
}

const success = 'Success';
const failed = 'An error';
const elsewhere = 'Refused, for example because the inventory belongs to another service or account';
const refused = 'A guard refused the plan, and nothing was changed';

export const helpTexts: Readonly<Record<CommandName, HelpText>> = {
  init: {
    summary: 'Create a project with CI pipelines',
    about: 'Create a project with editor settings and CI pipelines. Existing files are never changed.',
    examples: [
      ['Create a project for the host of the git remote', 'roster init'],
      ['Create a project for GitLab', 'roster init --ci gitlab --url https://collect.example.com'],
      ['Apply to staging before production in CI', 'roster init --promote staging,production'],
    ],
    exits: { 0: success, 1: failed },
    page: 'docs/ci.md',
  },
  validate: {
    summary: 'Check the manifests offline',
    about: 'Check the manifests offline and report all errors at once.',
    examples: [
      ['Check the project in this folder or a parent folder', 'roster validate'],
      ['Check it with the settings of an environment', 'roster validate -e staging'],
      [
        'Annotate the lines of a pull request on GitHub, in a job without secrets',
        'roster validate --all-environments --allow-missing-env --format github',
      ],
    ],
    exits: { 0: 'The manifests are valid', 1: 'The manifests have errors, or cannot be read' },
    page: 'docs/manifests.md',
  },
  plan: {
    summary: 'Show the difference between the manifests and the service',
    about:
      'Show the difference between the manifests and the service, and whether an apply would be refused. Changes nothing.',
    examples: [
      ['Show what an apply would change', 'roster plan'],
      ['Plan only the schedules', "roster plan 'schedule/*'"],
      [
        'Plan without an API key, and write a comment for the pull request',
        'roster plan --snapshot roster.snapshot.json --write markdown=plan.md',
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
  drift: {
    summary: 'Show what was changed outside roster since the last apply',
    about:
      'Show what was changed outside roster since the last apply, regardless of what the manifests declare now.',
    examples: [
      ['Show what was changed', 'roster drift'],
      ['Show only that of schedules', "roster drift 'schedule/*'"],
      ['Also save the result as JSON', 'roster drift --write json=drift.json'],
    ],
    exits: {
      0: 'Nothing was changed',
      1: failed,
      2: 'Something was changed',
      4: elsewhere,
    },
    page: 'docs/inventory.md',
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
      1: 'An error, or something could not be written: the rest was',
      4: elsewhere,
    },
    page: 'docs/pull.md',
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
  calendar: {
    summary: 'Show when agents start over the next days, offline',
    about: 'Show when agents start over the next days, and how many, from the manifests alone.',
    examples: [
      ['Show the next week', 'roster calendar'],
      ['Show a month in a time zone', 'roster calendar --days 31 --from 2026-12-01 --zone Europe/Berlin'],
      ['Draw a picture', 'roster calendar --write svg=calendar.svg'],
    ],
    exits: { 0: success, 1: failed },
    page: 'docs/manifests.md',
  },
  graph: {
    summary: 'Show the dependency graph, offline',
    about: 'Show which schedules start which agents, groups and pipelines, from the manifests alone.',
    examples: [
      ['Show the whole graph', 'roster graph'],
      ['Show what leads to a group, and what it leads to', 'roster graph group/retail-prices'],
      ['Write a diagram for a Markdown page', 'roster graph --format mermaid'],
    ],
    exits: { 0: success, 1: failed },
    page: 'docs/manifests.md',
  },
  fmt: {
    summary: 'Format the manifests; comments are kept',
    about: 'Format all manifests of the project. Comments, anchors and the order of entries are kept.',
    examples: [
      ['Format the manifests', 'roster fmt'],
      ['Fail in CI when a file is not formatted', 'roster fmt --check'],
    ],
    exits: { 0: success, 1: failed, 2: 'A file is not formatted, with `--check`' },
    page: 'docs/manifests.md',
  },
  unlock: {
    summary: 'Remove the inventory lock of a run that has died',
    about:
      'Remove the lock of a run that has died. First, make sure that it has: two runs must not write at the same time.',
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
  sandbox: {
    summary: 'Run a local instance of the service',
    about:
      'Run a local instance of the service until it is stopped. It prints its URL and an API key that only it accepts.',
    examples: [
      ['Run it on a free port', 'roster sandbox --port 0'],
      ['Keep its state between runs', 'roster sandbox --data sandbox.json'],
      ['Let a day pass in a minute', 'roster sandbox --now 2026-12-01T06:00:00Z --speed 1440'],
    ],
    exits: { 0: 'The sandbox was stopped', 1: failed },
    page: 'docs/sandbox.md',
  },
  schema: {
    summary: 'Print a JSON Schema',
    about: 'Print the JSON Schema of a file format or a JSON result.',
    examples: [
      ['Print the schema of roster.yaml', 'roster schema'],
      ['Print the schema of `plan --format json`', 'roster schema plan'],
    ],
    exits: { 0: success, 1: failed },
    page: 'docs/plan-json.md',
  },
  completion: {
    summary: 'Print a completion script for a shell',
    about:
      'Print a script that completes commands, flags and their values, environments, and addresses of the project. Completion never contacts the service.',
    examples: [
      ['For bash, in ~/.bashrc', 'source <(roster completion bash)'],
      ['For zsh, in ~/.zshrc after `compinit`', 'source <(roster completion zsh)'],
      ['For fish', 'roster completion fish > ~/.config/fish/completions/roster.fish'],
    ],
    exits: { 0: success, 1: failed },
    page: 'docs/completion.md',
  },
  version: {
    summary: 'Print the version',
    examples: [
      ['Print the version', 'roster version'],
      ['Print it as JSON', 'roster version --format json'],
    ],
    exits: { 0: success, 1: failed },
    page: 'CHANGELOG.md',
  },
  help: {
    summary: 'Show help for a command',
    examples: [
      ['List the commands', 'roster help'],
      ['Show the flags and examples of a command', 'roster help plan'],
    ],
    exits: { 0: success, 1: failed },
    page: 'docs/commands.md',
  },
};
