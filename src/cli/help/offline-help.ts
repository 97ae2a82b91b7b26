import { failed, type HelpText, success } from './help-text.js';

/** The help of the commands that need neither the service nor the inventory. */
export const offlineHelp = {
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
      ['Show what starts a group, and what the group starts', 'roster graph group/retail-prices'],
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
      ['Show what would change, and change nothing', 'roster fmt --diff'],
      ['Fail in CI when a file is not formatted, and show why', 'roster fmt --check --diff'],
    ],
    exits: { 0: success, 1: failed, 2: 'A file is not formatted, with `--check`' },
    page: 'docs/manifests.md',
  },
  explain: {
    summary: 'Explain the code of an error',
    about: 'Explain what the code of an error, a warning or a note means, and what to do about it.',
    examples: [
      ['Explain an error', 'roster explain unknown-agent'],
      ['List all codes', 'roster explain'],
    ],
    exits: { 0: success, 1: failed },
    page: 'docs/diagnostics.md',
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
    about:
      'Print the JSON Schema of a file format or a JSON result. With `--live`, read the agents of the account, and add them and their inputs, so that editors offer them; only `--live` needs the service and an API key.',
    examples: [
      ['Print the schema of roster.yaml', 'roster schema'],
      ['Complete the agents of your account in an editor', 'roster schema --live > roster.schema.json'],
      ['Print the schema of `plan --format json`', 'roster schema plan'],
    ],
    keyFor: '--live',
    exits: {
      0: success,
      1: failed,
      4: 'With `--live`: refused, because the inventory belongs to another service or account',
    },
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
} as const satisfies Readonly<Record<string, HelpText>>;
