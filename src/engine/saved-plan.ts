import { readRegular } from '../files/atomic.js';
import { type Diagnostic, problem } from '../model/diagnostic.js';
import { isRestOf } from '../model/digest.js';
import { writeJson } from '../model/exact-number.js';
import type { Intent } from '../model/inventory.js';
import { canonical, isJsonObject, type Json, type JsonObject, parseJson, readJson } from '../model/json.js';
import type { Plan } from '../model/plan.js';
import type { Redactor } from '../redact/redactor.js';
import { planJson } from '../view/json/plan-json.js';
import { version } from './version.js';

/** What the digest does not cover, and what depends on the time, the working directory, other files or other people's objects. */
const PASSING: ReadonlySet<string> = new Set([
  'diagnostics',
  'risks',
  'verdict',
  'serviceOverride',
  'unmanaged',
  'startsPerWeek',
  'startsByAgent',
]);
const PASSING_OF_CHANGES: ReadonlySet<string> = new Set([
  'nextRuns',
  'risks',
  'source',
  'formerFile',
  'owners',
]);

/**
 * The text of `plan --out FILE`: what the digest covers, and the version that planned, without secrets. It holds nothing
 * that depends on the time or the machine, so that a new plan can be compared with it byte by byte.
 */
export function savedPlan(plan: Plan, redactor: Redactor): string {
  const { changes, ...rest } = readJson(writeJson(planJson(redactor.value(plan)))) as {
    changes: Record<string, Json>[];
  } & Record<string, Json>;
  const lasting = changes.map((change) => without(change, PASSING_OF_CHANGES));
  const head = without(rest, PASSING);
  const all = { ...head, account: redactor.value(plan.account), roster: version, changes: lasting };
  return redactor.text(`${canonical(all)}\n`);
}

function without(part: Readonly<Record<string, Json>>, names: ReadonlySet<string>): Record<string, Json> {
  return Object.fromEntries(Object.entries(part).filter(([name]) => !names.has(name)));
}

/** A file of `plan --out`, as it was when the run began. */
export interface SavedPlan {
  readonly file: string;
  readonly text: string;
}

/** How the current plan differs from the saved one; empty when it is the same. The file itself is never trusted. */
export function compareWithSaved(
  plan: Plan,
  { file, text: saved }: SavedPlan,
  redactor: Redactor,
  { resume, intent }: Resuming,
): readonly Diagnostic[] {
  const current = savedPlan(plan, redactor);
  if (saved === current) return [];
  const reviewed = readPlan(saved);
  if (reviewed === null) {
    const help = 'Save the plan that is reviewed: `roster plan --out FILE`.';
    return [{ severity: 'error', code: 'stale-plan', message: `${file} is not a saved plan`, help }];
  }
  const difference = planDifference(reviewed, readPlan(current) ?? {});
  const what = difference === '' ? '' : `: ${difference}`;
  return [
    stale(`the current plan differs from the one in ${file}${what}`, plan, {
      resume,
      rest: isRest(plan, intent, reviewed['digest']) ? `--plan ${file}` : null,
    }),
  ];
}

/** Null for a file that `plan --out` did not write, or that was cut off: there is nothing to compare. */
function readPlan(text: string): JsonObject | null {
  const data = parseJson(text);
  const isPlan = isJsonObject(data) && typeof data['digest'] === 'string' && Array.isArray(data['changes']);
  return isPlan ? data : null;
}

/** The digest that a saved plan states. A saved plan is only compared with the current plan, never trusted. */
export function savedDigest({ text }: SavedPlan): string | undefined {
  const data = parseJson(text);
  const digest = data !== undefined && isJsonObject(data) ? data['digest'] : undefined;
  return typeof digest === 'string' ? digest : undefined;
}

/** How an apply may go on with a plan that was begun. */
export interface Resuming {
  readonly resume: boolean;
  /** What the inventory says was begun. */
  readonly intent: Intent | undefined;
}

export function compareWithDigest(
  plan: Plan,
  expected: string,
  { resume, intent }: Resuming = { resume: false, intent: undefined },
): readonly Diagnostic[] {
  if (plan.digest === expected) return [];
  const rest = isRest(plan, intent, expected) ? `--expect ${expected}` : null;
  return [stale(`the current plan does not have the digest ${expected}`, plan, { resume, rest })];
}

/** Whether the plan is what is left of the reviewed one. */
function isRest(plan: Plan, intent: Intent | undefined, digest: Json | undefined): boolean {
  if (intent === undefined || intent.digest !== digest || intent.destroy === true) return false;
  return isRestOf(plan, intent);
}

/** `file` is how messages name the path. Throws a Problem when there is no such file. */
export function readSavedPlan(path: string, file: string): SavedPlan {
  const text = readRegular(path, `the plan ${file}`);
  if (text !== null) return { file, text };
  throw problem('unreadable-file', `there is no plan ${file}`, 'Save one with `roster plan --out FILE`.');
}

interface StaleAbout {
  readonly resume: boolean;
  /** The flag that names the reviewed plan, of which this one is the rest. Null if it is not. */
  readonly rest: string | null;
}

function stale(message: string, plan: Plan, { resume, rest }: StaleAbout): Diagnostic {
  if (rest !== null && !resume) return interrupted(message, plan, rest);
  const why = resume
    ? 'It is not the rest of that plan either: a manifest or the service has changed since the review, or a change was made only in part.'
    : 'A manifest or the service has changed since the review.';
  const command = plan.destroy === true ? 'roster destroy --yes' : 'roster apply';
  const help = `${why} Review the current plan, then pass its digest: \`${command} --expect DIGEST\`.`;
  return {
    severity: 'error',
    code: 'stale-plan',
    message: `${message}; the current digest is ${plan.digest}`,
    help,
  };
}

function interrupted(message: string, plan: Plan, rest: string): Diagnostic {
  const help = `An apply of the reviewed plan was interrupted or partly failed, and the current plan is the rest of it. To finish it, add \`--resume\`: \`roster apply ${rest} --resume\`.`;
  return {
    severity: 'error',
    code: 'stale-plan',
    message: `${message}; the current digest is ${plan.digest}`,
    help,
  };
}

/** How many differences are listed; the rest are counted. */
const mostListed = 8;

/**
 * How two saved plans differ, in words: `create group/a is new; update group/b: members differs`. The saved text is
 * never trusted: only known names are taken from it. Empty when there is nothing to say.
 */
function planDifference(before: JsonObject, after: JsonObject): string {
  const parts = [...heads(before, after), ...changes(before, after)];
  const more = parts.length - mostListed;
  return [...parts.slice(0, mostListed), ...(more > 0 ? [`${more} more`] : [])].join('; ');
}

const headNames = [
  'project',
  'environment',
  'service',
  'account',
  'inventory',
  'prune',
  'limits',
  'roster',
] as const;

const headDifference: Readonly<Record<string, string>> = {
  prune: '`prune` differs',
  limits: '`limits` differ',
  roster: 'the version of roster differs',
};

function heads(before: JsonObject, after: JsonObject): string[] {
  return headNames
    .filter((name) => !same(before[name], after[name]))
    .map((name) => headDifference[name] ?? `the ${name} differs`);
}

function changes(before: JsonObject, after: JsonObject): string[] {
  const [old, current] = [changesOf(before), changesOf(after)];
  const gone = [...old]
    .filter(([address]) => !current.has(address))
    .map(([, each]) => `no longer planned: ${words(each)}`);
  const fresh = [...current]
    .filter(([address]) => !old.has(address))
    .map(([, each]) => `newly planned: ${words(each)}`);
  const other = [...current].flatMap(([address, each]) => {
    const was = old.get(address);
    return was === undefined || same(was, each) ? [] : [`${words(each)}: ${inWhat(was, each)}`];
  });
  return [...gone, ...fresh, ...other];
}

function inWhat(was: JsonObject, is: JsonObject): string {
  if (!same(was['action'], is['action'])) return `it was ${words(was).split(' ')[0]}`;
  const [old, current] = [fieldsOf(was), fieldsOf(is)];
  const paths = [...new Set([...old.keys(), ...current.keys()])].filter(
    (path) => !same(old.get(path), current.get(path)),
  );
  return paths.length === 0
    ? 'its object or its requests differ'
    : `${paths.join(', ')} ${paths.length === 1 ? 'differs' : 'differ'}`;
}

function words({ action, address }: JsonObject): string {
  return `${typeof action === 'string' ? action.slice(0, 20) : '?'} ${typeof address === 'string' ? address.slice(0, 100) : '?'}`;
}

function changesOf(plan: JsonObject): Map<string, JsonObject> {
  return byName(plan['changes'], 'address');
}

function fieldsOf(change: JsonObject): Map<string, JsonObject> {
  return byName(change['fields'], 'path');
}

function byName(list: Json | undefined, name: string): Map<string, JsonObject> {
  const items = Array.isArray(list) ? (list as readonly Json[]) : [];
  return new Map(items.flatMap((each) => (isJsonObject(each) ? [[String(each[name]), each] as const] : [])));
}

function same(a: Json | undefined, b: Json | undefined): boolean {
  return canonical(a ?? null) === canonical(b ?? null);
}
