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
  : F extends `${string}--${infer N} <${string}`
    ? N
    : F extends `${string}--${infer N}`
      ? N
      : never;
type ValueOf<E extends Flag> = E['flags'] extends `${string}<${string}`
  ? E extends Flag<string, true>
    ? readonly string[]
    : string
  : boolean;

/** The values of flags, as commander returns them: `{ dryRun?: boolean; env?: string; var?: readonly string[] }`. */
export type ValuesOf<E extends Flag> = { readonly [K in E as Camel<Long<K['flags']>>]?: ValueOf<K> };

export const allowAccountChange = flag(
  '--allow-account-change',
  'Allow the inventory to belong to another service or account, or most of its objects to be deleted',
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
] as const;

export const lockTimeout = flag(
  '--lock-timeout <time>',
  'How long to wait for another run to release the lock, such as 90s or 5m (default: 0s)',
);

/** Flags of the commands that carry out a plan. */
export const carriedOut = [
  flag('--report <file>', 'Save the report as JSON'),
  flag('--no-verify', 'Do not verify the result at the end'),
  lockTimeout,
] as const;

export const project = [
  flag('-f, --file <file>', 'Project file (default: roster.yaml here or in a parent folder)'),
] as const;

export const common = [
  ...project,
  filled('-e, --env <name>', 'Environment (default: ROSTER_ENV)'),
  repeatable('--var <name=value>', 'Value of a variable, in place of the one under `vars` (repeatable)'),
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
  flag(
    '--deadline <time>',
    'How long rate limits may hold requests back in all: 90, 90s, 30m or 2h (default: 30m)',
  ),
] as const;

export const service = [...inventoried, ...connected] as const;

/** For commands about the account: what the project owns plays no part. */
export const account = [...common, ...connected] as const;

/** With the flag for undeclared objects. */
export const pruning = [
  ...service,
  choice('--prune <mode>', 'Which undeclared objects to delete (default: `prune` in roster.yaml)', [
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

export const noColor = flag('--no-color', 'Do not use colors');
export const verbose = flag('-v, --verbose', 'Show more details');
