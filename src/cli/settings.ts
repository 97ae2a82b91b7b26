import { type Diagnostic, problem } from '../model/diagnostic.js';
import type { Prune } from '../model/resource.js';

/** Flags that every command takes, as commander hands them over. */
export interface CommonFlags {
  readonly file?: string;
  readonly env?: string;
  readonly url?: string;
  readonly format?: string;
  readonly color?: boolean;
  readonly prune?: string;
  readonly concurrency?: string;
  readonly timeout?: string;
  readonly verbose?: boolean;
  readonly write?: readonly string[];
}

export interface ApplyFlags extends CommonFlags {
  readonly yes?: boolean;
  readonly plan?: string;
  readonly expect?: string;
  readonly report?: string;
  readonly allowDeletes?: string;
  readonly allowSelfRevoke?: boolean;
  readonly allowEmpty?: boolean;
  readonly allowAccountChange?: boolean;
  readonly verify?: boolean;
  readonly lockTimeout?: string;
}

export interface PlanFlags extends CommonFlags {
  readonly detailedExitcode?: boolean;
  readonly linkBase?: string;
  readonly out?: string;
  readonly snapshot?: string;
  readonly allowDeletes?: string;
  readonly allowSelfRevoke?: boolean;
  readonly allowEmpty?: boolean;
  readonly allowAccountChange?: boolean;
}

/** What commands need of the process, so that it can be handed in. */
export interface Host {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdinIsTerminal: boolean;
  readonly stderrIsTerminal: boolean;
  readonly stdoutIsTerminal: boolean;
  readonly columns: number | null;
  /** How to wait; in real time unless given. */
  readonly sleep?: ((milliseconds: number) => Promise<void>) | undefined;
  /** The clock; the machine's unless given. */
  readonly now?: (() => Date) | undefined;
}

export const defaults = { concurrency: 10, timeoutMilliseconds: 30_000, width: 80 } as const;

/** The environment's name: the flag, else ROSTER_ENV, else none. An empty variable is none. */
export function environmentName(flags: CommonFlags, host: Host): string | null {
  const name = flags.env ?? host.env['ROSTER_ENV'] ?? '';
  return name === '' ? null : name;
}

export function colourWanted(flags: CommonFlags, host: Host, terminal: boolean): boolean {
  if (flags.color === false || (host.env['NO_COLOR'] ?? '') !== '') return false;
  return terminal && host.env['TERM'] !== 'dumb';
}

export function chooseFormat<F extends string>(flags: CommonFlags, known: readonly F[]): F {
  return formatNamed(flags.format ?? 'text', known, '--format');
}

function formatNamed<F extends string>(name: string, known: readonly F[], where: string): F {
  const found = known.find((each) => each === name);
  if (found !== undefined) return found;
  throw problem('usage', `${where}: "${name}" is no format of this command`, `One of: ${known.join(', ')}.`);
}

/** `--write FORMAT=FILE`, repeatable. */
export function furtherOutputs<F extends string>(
  flags: CommonFlags,
  known: readonly F[],
): { format: F; file: string }[] {
  return (flags.write ?? []).map((each) => {
    const at = each.indexOf('=');
    if (at < 1 || at === each.length - 1) {
      throw problem('usage', `--write: "${each}" is not FORMAT=FILE`, 'For example: --write json=plan.json');
    }
    const file = each.slice(at + 1);
    if (file === '-') {
      throw problem('usage', '--write: "-" is no file', `Use --format ${each.slice(0, at)} for stdout.`);
    }
    return { format: formatNamed(each.slice(0, at), known, '--write'), file };
  });
}

export function choosePrune(flags: CommonFlags, declared: Prune): Prune {
  const { prune } = flags;
  if (prune === undefined) return declared;
  if (prune === 'owned' || prune === 'all' || prune === 'never') return prune;
  throw problem('usage', `--prune: "${prune}" is not known`, 'One of: owned, all, never.');
}

export function chooseConcurrency(flags: CommonFlags): number {
  return flags.concurrency === undefined
    ? defaults.concurrency
    : wholeNumber(flags.concurrency, '--concurrency', 1, 100);
}

/** `30`, `30s` or `500ms`, for each request. */
export function chooseTimeout(flags: CommonFlags): number {
  if (flags.timeout === undefined) return defaults.timeoutMilliseconds;
  const [, digits, unit] = /^(\d{1,7})(ms|s)?$/.exec(flags.timeout) ?? [];
  const milliseconds = Number(digits) * (unit === 'ms' ? 1 : 1000);
  if (digits !== undefined && milliseconds >= 1 && milliseconds <= 3_600_000) return milliseconds;
  throw problem(
    'usage',
    `--timeout: "${flags.timeout}" is no length of time`,
    'Write 30, 30s or 500ms; at most an hour.',
  );
}

/** `0`, `90s` or `5m`: how long to wait for another run to give its lock back. */
export function chooseLockTimeout(flags: ApplyFlags): number {
  if (flags.lockTimeout === undefined) return 0;
  const [, digits, unit] = /^(\d{1,5})(s|m)?$/.exec(flags.lockTimeout) ?? [];
  const milliseconds = Number(digits) * (unit === 'm' ? 60_000 : 1000);
  if (digits !== undefined && milliseconds <= 86_400_000) return milliseconds;
  throw problem(
    'usage',
    `--lock-timeout: "${flags.lockTimeout}" is no length of time`,
    'Write 90, 90s or 5m; at most a day.',
  );
}

export function allowancesOf(flags: PlanFlags | ApplyFlags) {
  return {
    deletes:
      flags.allowDeletes === undefined
        ? null
        : wholeNumber(flags.allowDeletes, '--allow-deletes', 0, 1_000_000),
    selfRevoke: flags.allowSelfRevoke === true,
    empty: flags.allowEmpty === true,
    accountChange: flags.allowAccountChange === true,
  };
}

/** commander hands over the raw text: `abc`, `-1` and `1e3` end here. */
export function wholeNumber(text: string, flag: string, least: number, most: number): number {
  const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= least && value <= most) return value;
  throw problem('usage', `${flag}: "${text}" is not a whole number from ${least} to ${most}`);
}

export function usage(message: string, help?: string): Diagnostic {
  return { severity: 'error', code: 'usage', message, ...(help === undefined ? {} : { help }) };
}
