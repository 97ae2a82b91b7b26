import { Argument, type Command, InvalidArgumentError, Option } from './commander.js';
import { type CommandName, declarations } from './declarations.js';
import { fullName } from './full-name.js';

const COMMON = 'Common options:';

type Parse = (value: string, before: unknown) => unknown;

/** A flag with a fixed set of values. The command itself, not commander, reports any other value. */
export function choice(flags: string, description: string, values: readonly string[]): Option {
  const option = new Option(flags, description);
  option.argChoices = [...values];
  return option;
}

/** An argument with a fixed set of values. */
export function choiceArgument(name: string, description: string, values: readonly string[]): Argument {
  const argument = new Argument(name, description);
  argument.argChoices = [...values];
  return argument;
}

/** For every command that compares with the inventory: most of what it names may have been deleted. */
export function accountChangeFlag(): Option {
  return new Option(
    '--allow-account-change',
    'Allow the inventory to belong to another service or account, or most of its objects to be deleted',
  );
}

/** Flags of the commands whose plan the guards look at. */
export function guarded(added: Command): Command {
  return added
    .option('--allow-deletes <n>', 'Allow a plan with up to this many deletes')
    .option('--allow-self-revoke', 'Allow a plan that revokes the API key that roster uses')
    .option('--allow-empty', 'Allow a project that declares no resources')
    .addOption(accountChangeFlag())
    .option(
      '--allow-stale-checkout',
      'Allow deletes from a checkout that does not contain the commit last applied',
    );
}

/** Flags of the commands that carry out a plan. */
export function carriedOut(added: Command): Command {
  return locking(
    added
      .option('--report <file>', 'Save the report as JSON')
      .option('--no-verify', 'Do not verify the result at the end'),
  );
}

export function locking(added: Command): Command {
  return added.option(
    '--lock-timeout <time>',
    'How long to wait for another run to release the lock, such as 90s or 5m (default: 0s)',
  );
}

/** The flags that several commands share, each only where it does something. */
export function addSharedFlags(command: Command): void {
  const name = fullName(command) as CommandName;
  if (name === 'help') return;
  command.optionsGroup(COMMON);
  sharedFlags[name]?.(command);
  const { formats } = declarations[name];
  // There, `--write` allows a request that writes.
  if (sharedFlags[name] !== undefined && name !== 'api') {
    const what = 'Also write the result to a file, in this format (repeatable)';
    command.addOption(choice('--write <format=file>', what, formats).argParser(collect));
  }
  command
    .addOption(choice('--format <format>', 'Format of the result (default: text)', formats))
    .option('--no-color', 'Do not use colors');
  if (!withoutDetails.has(name)) command.option('-v, --verbose', 'Show more details');
  command.addHelpOption(new Option('-h, --help', 'Show help').helpGroup(COMMON));
}

/** They print one thing, and send no requests that could be logged. */
const withoutDetails: ReadonlySet<CommandName> = new Set(['completion', 'version']);

const sharedFlags: Readonly<Partial<Record<CommandName, (added: Command) => Command>>> = {
  validate: common,
  plan: pruning,
  apply: pruning,
  destroy: service,
  hold: service,
  resume: service,
  data: service,
  'data preview': service,
  'data query': service,
  'data get': service,
  'data lineage': account,
  'data share': account,
  'data rm': account,
  'data queries': account,
  'data queries save': service,
  'data queries run': account,
  'data queries rm': account,
  drift: service,
  pull: service,
  list: service,
  api: account,
  why: pruning,
  run: service,
  wait: service,
  status: service,
  runs: service,
  'runs show': service,
  'runs refresh': account,
  'runs stop': account,
  'runs retry': account,
  'runs ack': account,
  'runs rm': account,
  snapshot: service,
  calendar: common,
  graph: common,
  log: inventoried,
  fmt: project,
  schema: account,
  unlock: inventoried,
};

function project(added: Command): Command {
  return added.option('-f, --file <file>', 'Project file (default: roster.yaml here or in a parent folder)');
}

function common(added: Command): Command {
  return project(added)
    .option('-e, --env <name>', 'Environment (default: ROSTER_ENV)', filled)
    .option(
      '--var <name=value>',
      'Value of a variable, in place of the one under `vars` (repeatable)',
      collect,
    );
}

function inventoried(added: Command): Command {
  return common(added).option(
    '--inventory <where>',
    'Location of the inventory: a file or git:REF@REMOTE (default: ROSTER_INVENTORY, else `inventory` in roster.yaml)',
    filled,
  );
}

function service(added: Command): Command {
  return connected(inventoried(added));
}

/** For commands about the account: what the project owns plays no part. */
function account(added: Command): Command {
  return connected(common(added));
}

/** Which service, and how to reach it. */
function connected(added: Command): Command {
  return added
    .option('--url <url>', 'URL of the service (default: ROSTER_URL, else service.url)', filled)
    .option(
      '--allow-service-mismatch',
      'Allow `--url` or ROSTER_URL to name a service other than the one that the manifest declares',
    )
    .option('--concurrency <n>', 'Number of concurrent requests, 1 to 100 (default: 10)')
    .option('--timeout <time>', 'Timeout of each request: 30, 30s or 500ms (default: 30s)')
    .option(
      '--deadline <time>',
      'How long rate limits may hold requests back in all: 90, 90s, 30m or 2h (default: 30m)',
    );
}

/** The flag for undeclared objects. */
function pruning(added: Command): Command {
  const what = 'Which undeclared objects to delete (default: `prune` in roster.yaml)';
  return service(added).addOption(choice('--prune <mode>', what, ['owned', 'all', 'never']));
}

/** `--env "$NAME"` with an unset NAME would select the wrong environment. */
function filled(value: string): string {
  if (value === '')
    throw new InvalidArgumentError('The value is empty. Check that the shell variable is set.');
  return value;
}

export function collect(value: string, before: unknown): unknown {
  return [...(Array.isArray(before) ? before : []), value];
}

/** Refuses what commander would silently accept: two values for a flag that takes one, and a flag in place of a value. */
export function refuseAmbiguous(command: Command): void {
  for (const option of command.options) {
    if (!option.required) continue;
    const parse: Parse = option.parseArg ?? ((value) => value);
    const isFlag = (value: string) => command.options.some(({ long }) => long === value);
    option.argParser((value: string, before: unknown) => {
      if (isFlag(value)) throw new InvalidArgumentError('It is a flag: the value is missing.');
      const parsed = parse(value, before);
      if (before !== undefined && !Array.isArray(parsed) && parsed !== before)
        throw new InvalidArgumentError(`The value was already set to '${before}'.`);
      return parsed;
    });
  }
}
