import {
  account,
  argument,
  define,
  deleting,
  deletingFromService,
  flag,
  inventoried,
  offline,
} from '../command/command.js';
export const apiCommand = define({
  name: 'api',
  summary: 'Send one request to the service',
  about:
    'Send one request to the service, for operations that have no command, and print the `data` of the response as JSON. The API key goes to the service of the project only. GET, PUT and DELETE are retried; POST and PATCH are never sent twice.',
  arguments: [
    argument('<request...>', 'The method (default: GET) and the path, such as `/api/search-groups`'),
  ],
  options: [
    flag('--data <json>', 'Body of the request: JSON, or @FILE'),
    flag('--all', 'Read every page of a list, and print its items'),
    flag('--write', 'Allow a method other than GET'),
  ],
  shared: account,
  // Most requests read. With ROSTER_READ_ONLY, the client refuses the others.
  does: { ...deletingFromService, changesService: false },
  formats: ['text', 'json'],
  examples: [
    ['Count the runs in progress', 'roster api /api/scraper-agents/runs/active-count'],
    ['Read all failed jobs', "roster api '/api/scraper-agents/jobs?state=failed' --all"],
    [
      'Create a group',
      'roster api POST /api/search-groups --data \'{"name":"Retail","description":"","agentIds":[]}\' --write',
    ],
  ],
  exits: {
    0: 'Success',
    1: 'An error; if the request was to write, it was not carried out',
    3: 'A request to write has failed, and may have taken effect',
  },
  docs: 'docs/library.md#roster-api',
});

export const unlockCommand = define({
  name: 'unlock',
  summary: 'Remove the lock that a killed command left behind',
  about:
    'Remove the inventory lock that a killed command left behind. First make sure that it is no longer running: two commands must not write at the same time.',
  options: [flag('-y, --yes', 'Do not ask for confirmation')],
  shared: inventoried,
  does: deleting,
  formats: ['text', 'json'],
  examples: [
    ['Show who holds the lock, and ask before removing it', 'roster unlock'],
    ['Remove the lock without confirmation', 'roster unlock -e staging --yes'],
  ],
  exits: {
    0: 'The inventory is no longer locked',
    1: 'An error, or the lock was not removed',
    4: 'Another command took the lock in the meantime',
  },
  docs: 'docs/inventory.md',
});

export const explainCommand = define({
  name: 'explain',
  summary: 'Explain the code of an error',
  about: 'Explain what the code of an error, a warning or a note means, and what to do about it.',
  arguments: [argument('[code...]', 'Codes of errors, warnings and notes (default: list all of them)')],
  does: offline,
  formats: ['text', 'json'],
  examples: [
    ['Explain an error', 'roster explain unknown-agent'],
    ['List all codes', 'roster explain'],
  ],
  exits: { 0: 'Success', 1: 'An error' },
  docs: 'docs/diagnostics.md',
});

export const sandboxCommand = define({
  name: 'sandbox',
  summary: 'Run a local instance of the service',
  about:
    'Run a local instance of the service until it is stopped. It prints its URL and an API key that only it accepts.',
  options: [
    flag('--port <number>', 'Port to listen on; 0 selects any free port (default: 4010)'),
    flag('--host <address>', 'Address to listen on, such as 0.0.0.0 in a container (default: 127.0.0.1)'),
    flag('--now <time>', 'Initial time, such as 2026-12-01T06:00:00Z (default: the current time)'),
    flag('--speed <factor>', 'Simulated seconds per real second (default: 1)'),
    flag(
      '--seed <file>',
      'JSON or YAML file with the initial agents, groups, pipelines, schedules, keys and past starts',
    ),
    flag('--data <file>', 'File that keeps the state from one start to the next'),
    flag('--faults <file>', 'JSON or YAML file with the failures to simulate'),
  ],
  does: offline,
  interruptEnds: 'service',
  formats: ['text', 'json'],
  examples: [
    ['Run it on a free port', 'roster sandbox --port 0'],
    ['Keep its state from one start to the next', 'roster sandbox --data sandbox.json'],
    ['Let a day pass in a minute', 'roster sandbox --now 2026-12-01T06:00:00Z --speed 1440'],
  ],
  exits: { 0: 'The sandbox was stopped', 1: 'An error' },
  docs: 'docs/sandbox.md',
});

export const schemaCommand = define({
  name: 'schema',
  summary: 'Print a JSON Schema',
  about:
    'Print the JSON Schema of a file format or a JSON result. With `--live`, read the agents of the account, and add them and their inputs, so that editors offer them; only `--live` needs the service and an API key.',
  arguments: [
    argument('[name]', 'Name of the schema (default: project)', [
      'project',
      'manifest',
      'policies',
      'plan',
      'report',
      'runs',
      'status',
      'inventory',
      'snapshot',
      'seed',
    ]),
  ],
  options: [
    flag('--live', 'Add the agents of the account and their inputs, for editors: project and manifest only'),
  ],
  shared: account,
  does: offline,
  formats: ['text', 'json'],
  keyFor: '--live',
  examples: [
    ['Print the schema of roster.yaml', 'roster schema'],
    ['Complete the agents of your account in an editor', 'roster schema --live > roster.schema.json'],
    ['Print the schema of `plan --format json`', 'roster schema plan'],
  ],
  exits: {
    0: 'Success',
    1: 'An error',
    4: 'With `--live`: refused, because the inventory belongs to another service or account',
  },
  docs: 'docs/library.md#the-json-plan',
});

export const completionCommand = define({
  name: 'completion',
  summary: 'Print a completion script for a shell',
  about:
    'Print a script that completes commands, flags and their values, environments, and addresses of the project. Completion never contacts the service.',
  arguments: [argument('<shell>', 'The shell', ['bash', 'zsh', 'fish'])],
  does: offline,
  hasDetails: false,
  formats: ['text', 'json'],
  examples: [
    ['For bash, in ~/.bashrc', 'source <(roster completion bash)'],
    ['For zsh, in ~/.zshrc after `compinit`', 'source <(roster completion zsh)'],
    ['For fish', 'roster completion fish > ~/.config/fish/completions/roster.fish'],
  ],
  exits: { 0: 'Success', 1: 'An error' },
  docs: 'docs/support.md#completion',
});

export const versionCommand = define({
  name: 'version',
  summary: 'Print the version',
  does: offline,
  hasDetails: false,
  formats: ['text', 'json'],
  examples: [
    ['Print the version', 'roster version'],
    ['Print it as JSON', 'roster version --format json'],
  ],
  exits: { 0: 'Success', 1: 'An error' },
  docs: 'CHANGELOG.md',
});

export const helpCommand = define({
  name: 'help',
  summary: 'Show help for a command',
  arguments: [argument('[command...]', 'The command (default: all of them)')],
  does: offline,
  formats: ['text'],
  examples: [
    ['List the commands', 'roster help'],
    ['Show the flags and examples of a command', 'roster help plan'],
  ],
  exits: { 0: 'Success', 1: 'An error' },
  docs: 'docs/commands.md',
});
