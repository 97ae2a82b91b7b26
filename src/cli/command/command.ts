import type { Diagnostic } from '../../model/diagnostic.js';
import type { CommandContext } from '../host/host.js';
import type { LinkOf } from '../host/links.js';
import type { LongText } from '../host/output.js';

/** A flag of a command line, as `-i, --input <key=value>`. */
export interface Flag<F extends string = string, Repeats extends boolean = boolean> {
  readonly flags: F;
  readonly text: string;
  /** The values that it can have. The command itself, not commander, reports any other. */
  readonly values?: readonly string[];
  readonly isRepeatable: Repeats;
  /** `--env "$NAME"` with an unset NAME would select the wrong environment. */
  readonly refusesEmpty?: true;
}

export function flag<const F extends string>(flags: F, text: string): Flag<F, false> {
  return { flags, text, isRepeatable: false };
}

export function choice<const F extends string>(
  flags: F,
  text: string,
  values: readonly string[],
): Flag<F, false> {
  return { flags, text, values, isRepeatable: false };
}

export function repeatable<const F extends string>(flags: F, text: string): Flag<F, true> {
  return { flags, text, isRepeatable: true };
}

function filled<const F extends string>(flags: F, text: string): Flag<F, false> {
  return { flags, text, isRepeatable: false, refusesEmpty: true };
}

type Camel<S extends string> = S extends `${infer A}-${infer B}` ? `${A}${Capitalize<Camel<B>>}` : S;
/** `--no-verify` is `verify`, which is true by default. */
type Long<F extends string> = F extends `${string}--no-${infer N}`
  ? N
  : F extends `${string}--${infer N} ${'<' | '['}${string}`
    ? N
    : F extends `${string}--${infer N}`
      ? N
      : never;
/** `--verify [how]` is true without a value. */
type ValueOf<E extends Flag> = E['flags'] extends `${string}<${string}`
  ? E extends Flag<string, true>
    ? readonly string[]
    : string
  : E['flags'] extends `${string}[${string}`
    ? string | true
    : boolean;

/** The values of flags, as commander returns them: `{ dryRun?: boolean; env?: string; var?: readonly string[] }`. */
export type ValuesOf<E extends Flag> = { readonly [K in E as Camel<Long<K['flags']>>]?: ValueOf<K> };

export const allowAccountChange = flag(
  '--allow-account-change',
  'Accept an inventory that was written for another service or account, or whose objects have mostly disappeared',
);

/** Flags of the commands whose plan the guards look at. */
export const guards = [
  flag('--allow-deletes <n>', 'Allow a plan with up to this many deletes'),
  flag('--allow-self-revoke', 'Allow a plan that revokes the API key that roster uses'),
  flag('--allow-empty', 'Allow a project that declares no resources'),
  allowAccountChange,
  flag(
    '--allow-stale-checkout',
    'Allow deletes from a checkout that does not contain the commit last applied',
  ),
  flag(
    '--allow-edited-inventory',
    'Allow deletes with an inventory file that may have been edited since the last apply',
  ),
  flag('--allow-exposed-key', 'Allow a new key to be delivered to a file that git does not ignore'),
  repeatable(
    '--allow-policy <name>',
    'Apply although entries break this policy of the project; needs --reason (repeatable)',
  ),
  flag('--reason <text>', 'Reason for `--allow-policy`, shown in the plan and in `roster log`'),
] as const;

/** For commands that judge what is declared. */
export const policyFiles = repeatable(
  '--policies <path>',
  'File or glob of policies that no file of the project can remove or allow, in addition to those of ROSTER_POLICIES (repeatable)',
);

export const lockTimeout = flag(
  '--lock-timeout <time>',
  'How long to wait for another command to release the lock, such as 90s or 5m (default: 0s)',
);

/** Flags of the commands that carry out a plan. */
export const carriedOut = [
  flag('--report <file>', 'Save the report as JSON'),
  flag('--no-verify', 'Do not verify the result at the end'),
  lockTimeout,
] as const;

export const project = [
  flag(
    '-f, --file <file>',
    'Project file (default: ROSTER_FILE, else roster.yaml here or in a parent folder)',
  ),
] as const;

export const common = [
  ...project,
  filled('-e, --env <name>', 'Environment (default: ROSTER_ENV)'),
  repeatable('--var <name=value>', 'Override a variable from `vars` (repeatable)'),
] as const;

export const inventoried = [
  ...common,
  filled(
    '--inventory <where>',
    'Location of the inventory: a file or git:REF@REMOTE (default: ROSTER_INVENTORY, else `inventory` in roster.yaml)',
  ),
] as const;

/** Which service, and how to reach it. */
const connected = [
  filled('--url <url>', 'URL of the service (default: ROSTER_URL, else service.url)'),
  flag(
    '--allow-service-mismatch',
    'Allow `--url` or ROSTER_URL to name a service other than the one that the manifest declares',
  ),
  flag('--concurrency <n>', 'Number of concurrent requests, 1 to 100 (default: 10)'),
  flag('--timeout <time>', 'Timeout of each request: 30, 30s or 500ms (default: 30s)'),
  flag('--deadline <time>', 'Longest total time to wait for rate limits: 90, 90s, 30m or 2h (default: 30m)'),
] as const;

export const service = [...inventoried, ...connected] as const;

/** For commands about the account: what the project owns plays no part. */
export const account = [...common, ...connected] as const;

/** With the flag for undeclared objects. */
export const pruning = [
  ...service,
  choice('--prune <mode>', 'Which objects without an entry to delete (default: `prune` in roster.yaml)', [
    'owned',
    'all',
    'never',
  ]),
] as const;

/** Flags of every command that has flags in common with others, unless it has its own `--write`. */
export function writeFlag(formats: readonly string[]): Flag<'--write <format=file>', true> {
  const text = 'Also write the result to a file, in this format (repeatable)';
  return { ...repeatable('--write <format=file>', text), values: formats };
}

export function formatFlag(formats: readonly string[]): Flag<'--format <format>', false> {
  return choice('--format <format>', 'Format of the result (default: text)', formats);
}

/** As in `git -C` and `make -C`. */
export const startFolder = filled('-C, --chdir <folder>', 'Run as if started in this folder');

/** Whether the result is wanted as JSON, for failures outside of any command. */
export function asksForJson(argv: readonly string[]): boolean {
  return argv.includes('--format=json') || argv[argv.indexOf('--format') + 1] === 'json';
}

export const noColor = flag('--no-color', 'Do not use colors');
export const verbose = flag('-v, --verbose', 'Show more details');

/** A command in words and facts. Program, help, docs, man page and completion are made from it; commands.ts says what runs it. */
export interface Definition {
  /** `plan`, or `runs show` for a subcommand. */
  readonly name: string;
  /** For the list of commands: without a period. */
  readonly summary: string;
  /** The first paragraph of the help. Default: the summary. */
  readonly about?: string;
  readonly arguments?: readonly Argument[];
  /** Its own flags. */
  readonly options?: readonly Flag[];
  /** The flags that it has in common with other commands. */
  readonly shared?: readonly Flag[];
  readonly does: Effects;
  /** What an interrupt ends. `steps`: the requests in flight are finished. `service`: it runs until it is interrupted. Default: the process. */
  readonly interruptEnds?: 'steps' | 'service';
  /** What to do after a second interrupt, which finishes nothing. */
  readonly afterStop?: string;
  /** Which page it has in Markdown or HTML. A page about a failure takes its place. */
  readonly page?: 'plan' | 'drift' | 'calendar';
  /** False for a command that prints one thing, and sends no requests that could be logged: it has no `--verbose`. */
  readonly hasDetails?: false;
  /** For a command with subcommands and an address: an address, and the subcommand for a single id. */
  readonly without?: { readonly address: string; readonly withId: string };
  /** The values of `--format`, the default first. */
  readonly formats: readonly ['text', ...string[]];
  /** The only flag that needs the API key, for commands that need none otherwise. */
  readonly keyFor?: string;
  /** Command lines with what they are for. Tests run each of them. */
  readonly examples: readonly (readonly [purpose: string, line: string])[];
  /** What its exit codes mean. */
  readonly exits: Readonly<Record<number, string>>;
  /** The page that says more. */
  readonly docs: string;
}

/** What a command does; tests hold the commands to it. */
export interface Effects {
  /** Changes nothing on the service or in the inventory, and writes only files that its flags name. Gets a session that cannot write. */
  readonly readOnly: boolean;
  /** May delete something that it cannot restore. */
  readonly destructive: boolean;
  /** Sends requests to the service, with the API key. */
  readonly needsKey: boolean;
  /** Is there to change the service, the inventory or its lock: refused with ROSTER_READ_ONLY. */
  readonly changesService: boolean;
}

export const offline: Effects = {
  readOnly: true,
  destructive: false,
  needsKey: false,
  changesService: false,
};
export const reading: Effects = { readOnly: true, destructive: false, needsKey: true, changesService: false };
export const writing: Effects = {
  readOnly: false,
  destructive: false,
  needsKey: false,
  changesService: false,
};
/** Writes files of the project from what is on the service. */
export const importing: Effects = {
  readOnly: false,
  destructive: false,
  needsKey: true,
  changesService: false,
};
export const deleting: Effects = {
  readOnly: false,
  destructive: true,
  needsKey: false,
  changesService: true,
};
export const writingToService: Effects = {
  readOnly: false,
  destructive: false,
  needsKey: true,
  changesService: true,
};
export const deletingFromService: Effects = {
  readOnly: false,
  destructive: true,
  needsKey: true,
  changesService: true,
};

/** Keeps the types of arguments, flags and formats, from which those of the function that runs it derive. */
export function define<const D extends Definition>(definition: D): D {
  return definition;
}

/** `<id>`, `[id]`, `<ids...>` or `[ids...]`. */
export interface Argument<T extends string = string> {
  readonly term: T;
  readonly text: string;
  /** The values that it can have. The command itself reports any other. */
  readonly values?: readonly string[];
}

export function argument<const T extends string>(
  term: T,
  text: string,
  values?: readonly string[],
): Argument<T> {
  return values === undefined ? { term, text } : { term, text, values };
}

export const addresses = argument(
  '[addresses...]',
  'Addresses or globs, such as `group/retail-prices` or `schedule/*` (default: all resources)',
);

/** Flags of the commands that can be about a part of the project, beside addresses. */
export const selection = [
  repeatable(
    '--owner <owner>',
    'Also select the resources of files that CODEOWNERS gives this owner (repeatable)',
  ),
  repeatable('--in <file>', 'Also select the resources that this manifest declares (repeatable)'),
  repeatable('--exclude <address>', 'Leave out this address or glob (repeatable)'),
] as const;

/** What many commands say of an exit code. */
export const elsewhere = 'Refused, for example because the inventory belongs to another service or account';

/** What to do when requests to write were cut off, and when runs were. */
export const again = 'Stopped at once. Run it again: it finishes what was begun.';
export const active = 'Stopped at once. Runs may still be active: `roster runs --state active` lists them.';

/** A command: its words, and what runs it. */
export interface Command extends Definition {
  /** Under which heading the help lists it. */
  readonly group: string;
  /** Loads what runs it, so that help and other commands do not. Null for `help`, which is the program's own. */
  readonly load: (() => Promise<Runner>) | null;
}

/** Takes the arguments of the command, its flags and the context. */
export type Runner = (...given: readonly unknown[]) => Promise<CommandResult<string>>;

/** The function that runs a command. Returns the result, in each of its formats. */
export type Implementation<D extends Definition> = (
  ...given: [...ArgumentsOf<D>, flags: FlagsOf<D>, context: RunContext]
) => Promise<CommandResult<FormatOf<D>>>;

export type FormatOf<D extends Definition> = D['formats'][number];

type ArgumentsOf<D extends Definition> = D extends { readonly arguments: infer A extends readonly object[] }
  ? { -readonly [K in keyof A]: A[K] extends { readonly term: infer T } ? ArgumentValue<T> : never }
  : [];

type ArgumentValue<T> = T extends `${string}...${string}`
  ? readonly string[]
  : T extends `<${string}`
    ? string
    : string | undefined;

type OwnFlags<D extends Definition> = D extends { readonly options: readonly (infer E extends Flag)[] }
  ? E
  : never;
type SharedFlags<D extends Definition> = D extends { readonly shared: readonly (infer E extends Flag)[] }
  ? E
  : never;
type AnyFlag = ReturnType<typeof formatFlag> | typeof noColor | typeof startFolder | typeof verbose;
type WriteFlag<D extends Definition> = '--write' extends OwnFlags<D>['flags']
  ? never
  : ReturnType<typeof writeFlag>;

/** The flags of a command. */
export type FlagsOf<D extends Definition> = ValuesOf<OwnFlags<D> | SharedFlags<D> | AnyFlag | WriteFlag<D>>;

/** The flags that commands have in common. */
export type CommonFlags = ValuesOf<(typeof pruning)[number] | AnyFlag | ReturnType<typeof writeFlag>>;

export interface RunContext extends CommandContext {
  readonly page: Definition['page'];
  /** To be called once something may have been changed: any failure after that ends with exit code 3, unless it is an interrupt. */
  begin(): void;
}

/** The result of a command: its exit code, and its text in every format. */
export interface CommandResult<F extends string> {
  /** Default: what the diagnostics say. */
  readonly exit?: number | undefined;
  /** Printed on stderr, unless the format includes them. */
  readonly diagnostics?: readonly Diagnostic[];
  /** For errors about what the text shows: a person sees its rows, and then what is wrong with them. Default: they are first. */
  readonly diagnosticsLast?: true;
  /** Its text in each format. */
  readonly render: Readonly<Record<F, (options: RenderOptions) => LongText | Promise<string>>>;
}

export interface RenderOptions {
  readonly color: boolean;
  readonly width: number;
  readonly verbose: boolean;
  readonly breaksRows: boolean;
  readonly linkOf?: LinkOf;
}
