import { resolve } from 'node:path';
import type { OutputFile } from '../../engine/output-files.js';
import type { PlanOptions } from '../../engine/plan.js';
import type { ProjectOptions } from '../../engine/project.js';
import type { ProjectPart } from '../../engine/selectors.js';
import type { SessionOptions } from '../../engine/session.js';
import { type Diagnostic, problem } from '../../model/diagnostic.js';
import type { Prune, Without } from '../../model/resource.js';
import { readDuration } from '../../model/words.js';
import { findApiKeys } from '../../redact/redactor.js';
import type { CommandContext } from '../host/host.js';
import type { CommonFlags, guards, selection, ValuesOf } from './command.js';
import { requestLog } from './progress.js';
import { chooseReason } from './reason.js';

type SelectionFlags = ValuesOf<(typeof selection)[number]>;
type GuardFlags = ValuesOf<(typeof guards)[number]> & SelectionFlags;

/** Every flag that names a file to write. */
interface OutputFlags extends CommonFlags {
  readonly out?: string;
  readonly report?: string;
  /** Of `roster list`, whether to judge by them. */
  readonly policies?: readonly string[] | boolean;
}

export function projectOptions(flags: OutputFlags, { host, output }: CommandContext): ProjectOptions {
  const { cwd, env, now, sleep, policiesFrom } = host;
  return {
    cwd,
    env,
    now,
    sleep,
    file: flags.file,
    environment: flags.env,
    vars: givenVariables(flags),
    inventory: flags.inventory,
    policies: typeof flags.policies === 'object' ? flags.policies : undefined,
    policiesFrom,
    outputs: outputsOf(flags),
    redactor: output.redactor,
  };
}

/** `without`: the parts that the command may do without. An unset value is an error only of the entries that use it. */
export function sessionOptions(
  flags: OutputFlags,
  context: CommandContext,
  without: Without = 'values',
): SessionOptions {
  return {
    ...projectOptions(flags, context),
    without,
    url: flags.url,
    allowServiceMismatch: flags.allowServiceMismatch,
    prune: choosePrune(flags),
    concurrency: chooseConcurrency(flags),
    timeoutMilliseconds: chooseTimeout(flags),
    deadlineMilliseconds: chooseDeadline(flags),
    ...requestLog(flags, context),
    signal: context.signal,
  };
}

/** Flags about a project need one. */
export function needsNoProject({ file, env, inventory, var: vars }: CommonFlags): boolean {
  return [file, env, inventory, vars].every((each) => each === undefined);
}

/** Agents and ids of runs are those of the account: they need no project either. */
export function runSessionOptions(
  names: readonly string[],
  flags: OutputFlags,
  context: CommandContext,
): SessionOptions {
  const isOfAccount = names.every((name) => name.startsWith('agent/') || !/[/*]/.test(name));
  return {
    ...sessionOptions(flags, context, 'settings'),
    saysUnread: !isOfAccount,
    orNone: isOfAccount && needsNoProject(flags),
  };
}

/** What a command is about. */
export function chosenSelection(
  addresses: readonly string[],
  { owner, in: files, exclude }: SelectionFlags,
): ProjectPart {
  return { addresses, owners: owner, files, exclude };
}

export function planOptions(addresses: readonly string[], flags: GuardFlags): PlanOptions {
  const { allowDeletes, allowSelfRevoke = false, allowEmpty = false, allowAccountChange = false } = flags;
  const { allowStaleCheckout = false, allowEditedInventory = false } = flags;
  const { allowExposedKey = false, allowPolicy = [] } = flags;
  const deletes =
    allowDeletes === undefined ? null : wholeNumber(allowDeletes, '--allow-deletes', 0, 1_000_000);
  return {
    ...chosenSelection(addresses, flags),
    allow: {
      deletes,
      selfRevoke: allowSelfRevoke,
      empty: allowEmpty,
      accountChange: allowAccountChange,
      staleCheckout: allowStaleCheckout,
      editedInventory: allowEditedInventory,
      exposedKey: allowExposedKey,
      policies: allowPolicy,
      policyReason: choosePolicyReason(allowPolicy, flags.reason),
    },
  };
}

/** Who lets a policy be broken says why. */
function choosePolicyReason(policies: readonly string[], reason: string | undefined): string | null {
  const [first] = policies;
  if (first !== undefined) return chooseReason(reason, `--allow-policy ${first} --reason "incident 42"`);
  if (reason === undefined) return null;
  throw problem('usage', '`--reason` is for `--allow-policy` only', 'Omit it.');
}

/** `--var NAME=VALUE`, repeatable. */
function givenVariables({ var: given = [] }: CommonFlags): Readonly<Record<string, string>> {
  const values = new Map<string, string>();
  for (const each of given) {
    const [, name, value] = /^([A-Za-z_][A-Za-z0-9_-]*)=([\s\S]*)$/.exec(each) ?? [];
    if (name === undefined || value === undefined)
      throw problem('usage', `--var: "${each}" is not NAME=VALUE`, 'For example: `--var country=DE`.');
    if (values.has(name)) throw problem('usage', `--var: "${name}" is set twice`);
    if (findApiKeys(value).length > 0)
      throw problem(
        'unsafe-text',
        `--var: the value of "${name}" contains an API key`,
        'Use `${env.NAME}` in the manifest: values from the environment are never shown.',
      );
    values.set(name, value);
  }
  return Object.fromEntries(values);
}

export function outputsOf({ write = [], out, report }: OutputFlags): readonly OutputFile[] {
  return [
    ...write.map((each) => ({ flag: '--write', file: each.slice(each.indexOf('=') + 1) })),
    ...(out === undefined ? [] : [{ flag: '--out', file: out }]),
    ...(report === undefined ? [] : [{ flag: '--report', file: report }]),
  ];
}

export function chooseFormat<F extends string>(flags: CommonFlags, known: readonly F[]): F {
  return formatNamed(flags.format ?? 'text', known, '--format');
}

function formatNamed<F extends string>(name: string, known: readonly F[], where: string): F {
  const found = known.find((each) => each === name);
  if (found !== undefined) return found;
  throw problem('usage', `${where}: this command has no format "${name}"`, `One of: ${known.join(', ')}.`);
}

/** Whether the result is shown or written in a format, before the flags are checked. */
export function wantsFormat({ format, write = [] }: CommonFlags, name: string): boolean {
  return format === name || write.some((each) => each.startsWith(`${name}=`));
}

/** `--write FORMAT=FILE`, repeatable. */
export function furtherOutputs<F extends string>(
  flags: CommonFlags,
  known: readonly F[],
  cwd: string,
): { format: F; path: string }[] {
  return (flags.write ?? []).map((each) => {
    const at = each.indexOf('=');
    if (at < 1 || at === each.length - 1) {
      const help = 'For example: `--write json=plan.json`.';
      throw problem('usage', `--write: "${each}" is not FORMAT=FILE`, help);
    }
    const file = each.slice(at + 1);
    if (file === '-') {
      const help = `Use \`--format ${each.slice(0, at)}\` for stdout.`;
      throw problem('usage', '--write: "-" is not a file', help);
    }
    return { format: formatNamed(each.slice(0, at), known, '--write'), path: resolve(cwd, file) };
  });
}

function choosePrune({ prune }: CommonFlags): Prune | undefined {
  if (prune === undefined || prune === 'owned' || prune === 'all' || prune === 'never') return prune;
  throw problem('usage', `--prune: unknown value "${prune}"`, 'One of: owned, all, never.');
}

function chooseConcurrency({ concurrency }: CommonFlags): number | undefined {
  return concurrency === undefined ? undefined : wholeNumber(concurrency, '--concurrency', 1, 100);
}

/** `30`, `30s` or `500ms`, for each request. */
function chooseTimeout({ timeout }: CommonFlags): number | undefined {
  if (timeout === undefined) return undefined;
  const [, digits, unit] = /^(\d{1,7})(ms|s)?$/.exec(timeout) ?? [];
  const milliseconds = Number(digits) * (unit === 'ms' ? 1 : 1000);
  if (milliseconds >= 1 && milliseconds <= 3_600_000) return milliseconds;
  const help = 'Use 30, 30s or 500ms; at most an hour.';
  throw problem('usage', `--timeout: "${timeout}" is not a duration`, help);
}

/** How long to wait for rate limits. In milliseconds. */
function chooseDeadline({ deadline }: CommonFlags): number | undefined {
  return chooseDuration(deadline, '--deadline');
}

/** `90`, `90s`, `30m` or `2h`, in milliseconds. */
export function chooseDuration(text: string | undefined, flag: string): number | undefined {
  if (text === undefined) return undefined;
  const milliseconds = readDuration(/^\d+$/.test(text) ? `${text}s` : text);
  if (milliseconds !== null && milliseconds <= DAY) return milliseconds;
  const help = 'Use 90, 90s, 30m or 2h; at most a day.';
  const what = milliseconds === null ? 'is not a duration' : 'is longer than a day';
  throw problem('usage', `${flag}: "${text}" ${what}`, help);
}

/** `90m`, `24h`, `7d` or `2w`, in milliseconds: how far to look back. */
export function chooseAge(text: string | undefined, flag: string): number | undefined {
  if (text === undefined) return undefined;
  const milliseconds = readDuration(text) ?? 0;
  if (milliseconds > 0 && milliseconds <= 3_660 * DAY) return milliseconds;
  throw problem(
    'usage',
    `${flag}: "${text}" is not a duration`,
    'Use 90m, 24h, 7d or 2w; at most ten years.',
  );
}

const DAY = 86_400_000;

/** `0`, `90s`, `5m` or `1h`: how long to wait for another run to release its lock. In milliseconds. */
export function chooseLockTimeout({ lockTimeout }: { readonly lockTimeout?: string }): number {
  return chooseDuration(lockTimeout, '--lock-timeout') ?? 0;
}

/** `--expect DIGEST`: a full digest only. Anything else is a usage error, not a stale plan. */
export function chooseDigest({ expect }: { readonly expect?: string }): string | undefined {
  if (expect === undefined || /^sha256:[0-9a-f]{64}$/.test(expect)) return expect;
  const help =
    'Use the full digest that `roster plan` prints after `Digest:`, which is `sha256:` followed by 64 hexadecimal digits.';
  throw problem('usage', `--expect: "${expect}" is not a plan digest`, help);
}

/** commander returns the text as it was given: `abc`, `-1` and `1e3` are refused here. */
export function wholeNumber(text: string, flag: string, least: number, most: number): number {
  const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= least && value <= most) return value;
  throw problem('usage', `${flag}: "${text}" is not a whole number from ${least} to ${most}`);
}

export function usage(message: string, help?: string): Diagnostic {
  return { severity: 'error', code: 'usage', message, help };
}
