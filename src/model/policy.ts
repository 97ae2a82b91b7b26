import { createHash } from 'node:crypto';
import type { Diagnostic, Place, Severity } from './diagnostic.js';
import { byCodeUnit, canonical, groupBy, isJsonObject, type Json } from './json.js';
import {
  type ExceptionRecord,
  exceptionDiagnostic,
  exceptionsFrom,
  inExceptionOrder,
  isOver,
  type PolicyException,
  recordOfException,
  type WiderException,
  widerExceptions,
} from './policy-exception.js';
import type { Address } from './resource.js';
import { agree, count, some } from './words.js';

/** Worst first. */
export type PolicyLevel = 'error' | 'warning';

/** What entries must look like (contract §15). */
export interface Policy {
  readonly name: string;
  readonly level: PolicyLevel;
  /** Addresses, in which `*` stands for any characters. */
  readonly match: readonly string[];
  /** Null for all, and for none. */
  readonly environments: readonly string[] | null;
  /** A JSON Schema (2020-12) of an entry as `roster render --format json` prints it. */
  readonly require: Json;
  /** What to do, for the person who reads it. */
  readonly message: string;
  /** Those beside it in its file. */
  readonly exceptions: readonly PolicyException[];
  /** It was given on the command line or in the environment: no file of the project can remove or allow it. */
  readonly isOutside: boolean;
  readonly place: Place;
  /** The place of a value inside the policy, such as `['require', 'properties']`, or of the closest thing around it. */
  placeOf(path: readonly (string | number)[]): Place;
}

/** What an apply remembers of a policy. */
export interface PolicyRecord {
  readonly name: string;
  readonly level: PolicyLevel;
  /** Of what it matches, where, and what it requires. */
  readonly hash: string;
  /** Missing for policies of the project. */
  readonly outside?: true;
  /** Missing where there are none. */
  readonly exceptions?: readonly ExceptionRecord[];
}

/** An entry that a policy does not accept. */
export interface Breach {
  readonly address: Address;
  readonly place: Place;
  /** What failed where: `` `every` is `30 minutes` ``. */
  readonly what: string;
}

/** A policy, and the entries that break it. */
export interface BrokenPolicy {
  readonly policy: Policy;
  /** Not all of them where they are very many. At least one. */
  readonly breaches: readonly Breach[];
  /** The addresses of all. */
  readonly addresses: readonly Address[];
  /** Of those that exceptions match: the one that ends last. It may be over. */
  readonly exceptions: ReadonlyMap<Address, PolicyException>;
}

/** What the policies of a project say of its entries. */
export interface PolicyCheck {
  /** Those of all environments. */
  readonly declared: readonly Policy[];
  /** Those of this environment, as an apply records them. */
  readonly checked: readonly PolicyRecord[];
  readonly broken: readonly BrokenPolicy[];
  /** About the policies themselves. */
  readonly warnings: readonly Diagnostic[];
}

export const noPolicies: PolicyCheck = { declared: [], checked: [], broken: [], warnings: [] };

export function appliesIn({ environments }: Policy, environment: string | null): boolean {
  return environments === null || (environment !== null && environments.includes(environment));
}

export function recordOfPolicy({
  name,
  level,
  match,
  environments,
  require,
  exceptions,
  isOutside,
}: Policy): PolicyRecord {
  const sorted = (list: readonly string[]) => [...new Set(list)].sort(byCodeUnit);
  const parts = [sorted(match), environments && sorted(environments), require];
  const hash = createHash('sha256').update(canonical(parts)).digest('base64url');
  return recordWith({ name, level, hash }, isOutside, exceptions.map(recordOfException));
}

function recordWith(
  record: PolicyRecord,
  isOutside: boolean,
  exceptions: readonly ExceptionRecord[],
): PolicyRecord {
  const placed = isOutside ? { ...record, outside: true as const } : record;
  return exceptions.length === 0 ? placed : { ...placed, exceptions: inExceptionOrder(exceptions) };
}

/** What an inventory says of them. What cannot be read was written by nobody: then a policy counts as new. */
export function policiesFrom(value: unknown): readonly PolicyRecord[] {
  if (!Array.isArray(value)) return [];
  return value.flatMap((each: unknown): PolicyRecord[] => {
    if (!isJsonObject(each)) return [];
    const { name, level, hash, outside, exceptions } = each;
    if (typeof name !== 'string' || !/^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/.test(name)) return [];
    if (typeof hash !== 'string' || !/^[A-Za-z0-9_-]{43}$/.test(hash)) return [];
    const record = { name, level: level === 'warning' ? level : 'error', hash } as const;
    return [recordWith(record, outside === true, exceptionsFrom(exceptions))];
  });
}

/** Another order of the files must not be another plan. */
export function inPolicyOrder(records: readonly PolicyRecord[]): readonly PolicyRecord[] {
  return records.toSorted(
    (a, b) => byCodeUnit(a.name, b.name) || Number(a.outside === true) - Number(b.outside === true),
  );
}

export type PolicyChange = 'removed' | 'elsewhere' | 'weaker' | 'changed' | 'excepted';

/** A policy of the last apply that demands less, or something else, or from which more is excepted. */
export interface ChangedPolicy {
  readonly name: string;
  readonly outside?: true;
  readonly change: PolicyChange;
  /** What is new about an exception. Missing for other changes. */
  readonly exception?: WiderException;
}

/** What has become of the policies of the last apply. A policy that moved into the project, or out of it, is the same policy. */
export function changedPolicies(
  before: readonly PolicyRecord[],
  { declared, checked }: PolicyCheck,
): readonly ChangedPolicy[] {
  const all = declared.map(recordOfPolicy);
  const find = (list: readonly PolicyRecord[], { name, outside }: PolicyRecord) =>
    list.find((each) => each.name === name && each.outside === outside) ??
    list.find((each) => each.name === name);
  const changed = before.flatMap((record): ChangedPolicy[] => {
    const now = find(checked, record);
    const change = now === undefined ? goneOr(find(all, record)) : changeOfPolicy(record, now);
    return change === null ? [] : [changedPolicy(record, change)];
  });
  const excepted = checked.flatMap((now): ChangedPolicy[] => {
    const former = find(before, now)?.exceptions ?? [];
    const wider = widerExceptions(former, now.exceptions ?? []);
    return wider.map((exception) => ({ ...changedPolicy(now, 'excepted'), exception }));
  });
  return [...changed, ...excepted];
}

function changedPolicy({ name, outside }: PolicyRecord, change: PolicyChange): ChangedPolicy {
  return outside === true ? { name, change, outside } : { name, change };
}

function goneOr(declared: PolicyRecord | undefined): PolicyChange {
  return declared === undefined ? 'removed' : 'elsewhere';
}

function changeOfPolicy(before: PolicyRecord, now: PolicyRecord): PolicyChange | null {
  if (before.level === 'error' && now.level === 'warning') return 'weaker';
  // Whoever may edit the project's files decides about it from now on.
  if (before.outside === true && now.outside === undefined) return 'weaker';
  return before.hash === now.hash ? null : 'changed';
}

/** What counts at a time: breaches, and the entries that are excepted, by exception. */
export interface CountedBreaches {
  /** Null where nothing counts. */
  readonly counting: BrokenPolicy | null;
  readonly excepted: readonly Diagnostic[];
}

export function countedAt(broken: BrokenPolicy, now: Date): CountedBreaches {
  const isExcepted = (address: Address) => {
    const exception = broken.exceptions.get(address);
    return exception !== undefined && !isOver(exception, now);
  };
  const [excepted, addresses] = [
    broken.addresses.filter(isExcepted),
    broken.addresses.filter((each) => !isExcepted(each)),
  ];
  const byException = groupBy(excepted, (address) => broken.exceptions.get(address));
  const breaches = broken.breaches.filter(({ address }) => !isExcepted(address));
  return {
    counting: addresses.length === 0 ? null : { ...broken, addresses, breaches },
    excepted: [...byException].flatMap(([exception, of]) => {
      const about = { policy: broken.policy.name, addresses: of, now };
      return exception === undefined ? [] : [exceptionDiagnostic(exception, about)];
    }),
  };
}

/** What a policy asks for, followed by what does not fit. */
function told({ message }: Policy, what: string): string {
  return /[.!?:…]$/.test(message) ? `${message} ${what}` : `${message}: ${what}`;
}

/** Where to read about it: `` the policy `hourly-at-most` (policies/production.yaml:2) ``. */
function policyLabel({ name, place, isOutside }: Policy): string {
  const from = isOutside ? ', from outside the project' : '';
  return `the policy \`${name}\` (${place.file}:${place.line}${from})`;
}

/** Where the policy is, and which exceptions to it are over. */
export function requiredBy({ policy, addresses, exceptions }: BrokenPolicy): string {
  const over = new Set(addresses.flatMap((each) => exceptions.get(each) ?? []));
  const ends = [...over].map(({ until, place }) => `${until} (${place.file}:${place.line})`);
  const [is, end] = [agree(ends.length, 'is', 'are'), agree(ends.length, 'The exception', 'The exceptions')];
  const said = ends.length === 0 ? '' : ` ${end} until ${some(ends, MOST_NAMED)} ${is} over.`;
  return `This is required by ${policyLabel(policy)}.${said}`;
}

/** One for each value that does not fit. */
export function breachDiagnostics(
  broken: BrokenPolicy,
  severity: Severity = broken.policy.level,
  allowed = '',
): readonly Diagnostic[] {
  const { policy, breaches, addresses } = broken;
  const common = { severity, code: 'policy', policy: policy.name } as const;
  const help = `${requiredBy(broken)}${allowed}`;
  const left = addresses.length - new Set(breaches.map(({ address }) => address)).size;
  const shown = breaches.map(({ address, place, what }): Diagnostic => {
    return { ...common, message: told(policy, what), address, place, help };
  });
  if (left === 0) return shown;
  const more = told(policy, `${count(left, 'more entry', 'more entries')} break it`);
  return [...shown, { ...common, message: more, help }];
}

/** Entries that one sentence names. The rest are counted. */
const MOST_NAMED = 5;

/** All breaches of a policy in one sentence. */
export function breachesInBrief({ policy, breaches, addresses }: BrokenPolicy): string {
  const [only] = addresses;
  const named = addresses.slice(0, MOST_NAMED).map((address) => {
    const own = breaches.filter((each) => each.address === address).map(({ what }) => what);
    return addresses.length === 1 ? own.join('; ') : `${address} (${own.join('; ')})`;
  });
  if (addresses.length === 1) return told(policy, `${only}: ${named.join('')}`);
  const all = [...named, ...addresses.slice(MOST_NAMED)];
  return told(policy, `${addresses.length} entries do not fit: ${some(all, MOST_NAMED)}`);
}
