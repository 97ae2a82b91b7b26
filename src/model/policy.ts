import { createHash } from 'node:crypto';
import type { Diagnostic, Place, Severity } from './diagnostic.js';
import { byCodeUnit, canonical, isJsonObject, type Json } from './json.js';
import type { Address } from './resource.js';
import { count, some } from './words.js';

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
  isOutside,
}: Policy): PolicyRecord {
  const sorted = (list: readonly string[]) => [...new Set(list)].sort(byCodeUnit);
  const parts = [sorted(match), environments && sorted(environments), require];
  const record = { name, level, hash: createHash('sha256').update(canonical(parts)).digest('base64url') };
  return isOutside ? { ...record, outside: true } : record;
}

/** What an inventory says of them. What cannot be read was written by nobody: then a policy counts as new. */
export function policiesFrom(value: unknown): readonly PolicyRecord[] {
  if (!Array.isArray(value)) return [];
  return value.flatMap((each: unknown): PolicyRecord[] => {
    if (!isJsonObject(each)) return [];
    const { name, level, hash, outside } = each;
    if (typeof name !== 'string' || !/^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/.test(name)) return [];
    if (typeof hash !== 'string' || !/^[A-Za-z0-9_-]{43}$/.test(hash)) return [];
    const record = { name, level: level === 'warning' ? level : 'error', hash } as const;
    return [outside === true ? { ...record, outside } : record];
  });
}

/** Another order of the files must not be another plan. */
export function inPolicyOrder(records: readonly PolicyRecord[]): readonly PolicyRecord[] {
  return records.toSorted(
    (a, b) => byCodeUnit(a.name, b.name) || Number(a.outside === true) - Number(b.outside === true),
  );
}

export type PolicyChange = 'removed' | 'elsewhere' | 'weaker' | 'changed';

/** A policy of the last apply that demands less, or something else. */
export interface ChangedPolicy {
  readonly name: string;
  readonly outside?: true;
  readonly change: PolicyChange;
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
  return before.flatMap((record): ChangedPolicy[] => {
    const now = find(checked, record);
    const change = now === undefined ? goneOr(find(all, record)) : changeOfPolicy(record, now);
    if (change === null) return [];
    const changed = { name: record.name, change };
    return [record.outside === true ? { ...changed, outside: true } : changed];
  });
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

/** What a policy asks for, followed by what does not fit. */
function told({ message }: Policy, what: string): string {
  return /[.!?:…]$/.test(message) ? `${message} ${what}` : `${message}: ${what}`;
}

/** Where to read about it: `` the policy `hourly-at-most` (policies/production.yaml:2) ``. */
export function policyLabel({ name, place, isOutside }: Policy): string {
  const from = isOutside ? ', from outside the project' : '';
  return `the policy \`${name}\` (${place.file}:${place.line}${from})`;
}

/** One for each value that does not fit. */
export function breachDiagnostics(
  { policy, breaches, addresses }: BrokenPolicy,
  severity: Severity = policy.level,
): readonly Diagnostic[] {
  const common = { severity, code: 'policy', policy: policy.name } as const;
  const help = `This is required by ${policyLabel(policy)}.`;
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
