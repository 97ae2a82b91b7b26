import { type Diagnostic, errorsIn, hasErrors } from '../model/diagnostic.js';
import { type Kind, referencesOf } from '../model/kind.js';
import { merged } from '../model/merged-diagnostics.js';
import {
  type Address,
  type Declared,
  isPending,
  objectKey,
  type Project,
  type Suggest,
} from '../model/resource.js';
import { environmentFlag, naturalOrder, seeAllErrors, wordList } from '../model/words.js';
import type { Matched, PlanBasis, ResourceDiff, Selector } from './world.js';

/**
 * Keeps what the user selected and what that needs: what it refers to, and for a delete, what refers to it now and will
 * refer to something else. Other deletes are kept only when they are selected themselves. Reports patterns that match
 * nothing, and changes that were not selected. What is wrong with entries that are not selected is not reported.
 */
export function select(
  all: readonly ResourceDiff[],
  matched: Matched,
  { selected: selectors, project, agents: { suggest }, prune }: PlanBasis,
): { readonly kept: readonly ResourceDiff[]; readonly diagnostics: readonly Diagnostic[] } {
  if (selectors === null) return { kept: all, diagnostics: matched.diagnostics };
  const { entries, existsIn, unread = [] } = project;
  const excluded = selectors.filter(isExcluding);
  const isExcluded = (address: Address) => excluded.some((each) => each.matches(address));
  const named = new Set(all.filter(({ change }) => isSelectedBy(selectors, change.address)));
  const needed = needsOf(named, all);
  const isNeeded = ({ address, action }: ResourceDiff['change']) =>
    action !== 'delete' && needed.has(address) && !isExcluded(address);
  const kept = all.filter((each) => named.has(each) || isNeeded(each.change));
  const inPlan = new Set(kept);
  const planned = new Set(kept.map(({ change }) => change.address));
  const isMeant = (address: Address) => planned.has(address) || isSelectedBy(selectors, address);
  const unknown = unread.filter(({ address }) => address === undefined);
  const unreadAddresses = unread.flatMap(({ address }) => address ?? []);
  const judged = [...judgedBy(matched, isMeant), ...errorsIn(unreadFor(project, selectors))];
  // An address may match nothing because of an error in its entry.
  if (hasErrors(judged)) return { kept, diagnostics: judged };
  const addresses = [
    ...all.map((each) => each.change.address),
    ...entries.map((each) => each.address),
    ...unreadAddresses,
  ];
  const isLeft = (each: ResourceDiff) => each.change.action !== 'none' && !inPlan.has(each);
  const left = all.filter((each) => isLeft(each) && !(unread.length > 0 && mayBeUnread(each)));
  const including = selectors.filter((each) => !isExcluding(each));
  const unclear = including.flatMap((each) => mayBeBroken(each, addresses, matched));
  const clear = selectors.filter((each) => !unclear.some(({ selector }) => selector === each));
  const errors = [
    ...unclear.map(({ diagnostic }) => diagnostic),
    ...matchingNothing(clear, { addresses, existsIn, unread }, suggest),
    ...stranded(
      kept,
      left.filter(({ change }) => change.action === 'delete' || isExcluded(change.address)),
    ),
    ...withoutNeeded(kept, new Set(left.map(({ change }) => change.address))),
    ...strandedBroken(kept, matched),
    ...notCertain(kept, project),
  ];
  if (errors.length > 0) return { kept, diagnostics: [...judged, ...errors] };
  const destroys = prune === 'destroy';
  const unjudged = [...new Set([...matched.broken.keys(), ...unreadAddresses])].filter(
    (address) => !isMeant(address),
  );
  return {
    kept,
    diagnostics: [
      ...judged,
      ...leftOut(left, destroys),
      ...notJudged(unjudged, project, notInPlan),
      ...unreadFiles(unknown, including, project, notInPlan),
    ],
  };
}

/**
 * What is wrong with the entries that are meant and with what they refer to. Whatever is wrong with others does not matter
 * to them. What is no error stays.
 */
export function judgedBy(
  { basis: { kinds, project }, broken, diagnostics }: Matched,
  isMeant: (address: Address) => boolean,
): readonly Diagnostic[] {
  const known = new Map(kinds.map((kind) => [kind.name, kind]));
  const referredBy = ({ kind, declared }: Declared) => known.get(kind)?.references?.inEntry(declared) ?? [];
  const entries = new Map(project.entries.map((entry) => [entry.address, entry]));
  const concerned = new Set([...entries.keys()].filter(isMeant));
  const dependent = [...concerned].flatMap((address) => entries.get(address) ?? []);
  // What is referred to is added while this runs.
  for (const address of concerned) {
    const entry = entries.get(address);
    if (entry !== undefined) for (const each of referredBy(entry)) concerned.add(each);
  }
  const failed = new Set(errorsIn(diagnostics).flatMap(({ address }) => address ?? []));
  const isBroken = (address: Address) => failed.has(address) || broken.has(address);
  const own = diagnostics.filter(
    ({ severity, address }) => severity !== 'error' || address === undefined || concerned.has(address),
  );
  const { unread = [] } = project;
  const isMissing = (address: Address) => isBroken(address) || (unread.length > 0 && !entries.has(address));
  const because = dependent.flatMap((entry) => {
    const cause = failed.has(entry.address) ? undefined : referredBy(entry).find(isMissing);
    return cause === undefined ? [] : [refersToBroken(entry, known.get(entry.kind), cause)];
  });
  return [...own, ...because];
}

/**
 * The errors of the selected entries that cannot be read. What a file with an error declares is not known: that is an error
 * where everything is selected that the file declares, and otherwise a warning.
 */
export function unreadFor(
  { unread = [] }: Pick<Project, 'unread'>,
  selectors: readonly Selector[] | null,
): readonly Diagnostic[] {
  // An error in defaults is one of all entries of the kind.
  if (selectors === null) return merged(unread);
  const isWhole = selectors.every(isExcluding);
  const including = selectors.filter((each) => !isExcluding(each));
  const found = unread.flatMap((each): Diagnostic[] => {
    const { address, place } = each;
    if (address !== undefined) return isSelectedBy(selectors, address) ? [each] : [];
    const isMeant = isWhole || (place !== undefined && matchFile(including, place.file));
    return [isMeant ? each : { ...each, severity: 'warning' }];
  });
  return merged(found);
}

function matchFile(selectors: readonly Selector[], file: string): boolean {
  return selectors.some((each) => each.matchesFile?.(file) === true);
}

/** What a command leaves out that needs all that it is about, and nothing else. */
export function leftUnread(project: Project): Diagnostic[] {
  const { unread = [] } = project;
  const addresses = new Set(unread.flatMap(({ address }) => address ?? []));
  const files = unread.filter(({ address }) => address === undefined);
  return [
    ...notJudged([...addresses], project, leftOutHere),
    ...unreadFiles(files, [], project, leftOutHere),
  ];
}

interface NotHere {
  readonly where: string;
  /** Shows the errors of entries, without a selection. */
  readonly command: 'plan' | 'validate';
}

const notInPlan: NotHere = { where: 'not in this plan', command: 'plan' };
const leftOutHere: NotHere = { where: 'left out', command: 'validate' };

function refersToBroken(entry: Declared, kind: Kind | undefined, cause: Address): Diagnostic {
  const place = entry.placeOf([kind?.references?.field ?? '']);
  const message = `${entry.address} refers to ${cause}, which has an error`;
  const help = `Correct ${cause} first.`;
  return { severity: 'error', code: 'broken-reference', message, place, address: entry.address, help };
}

function notJudged(
  addresses: readonly Address[],
  { environment }: Project,
  { where, command }: NotHere,
): Diagnostic[] {
  if (addresses.length === 0) return [];
  const what =
    addresses.length === 1 ? '1 entry with an error is' : `${addresses.length} entries with an error are`;
  const message = `${what} outside the selection, and ${where}: ${inShort(addresses)}`;
  const shown = `\`roster ${command}${environmentFlag(environment)}\``;
  const help = `To see the errors, run ${shown}${command === 'plan' ? ' without a selection' : ''}.`;
  return [{ severity: 'warning', code: 'not-selected', message, help }];
}

/** Files of which nothing is in the plan. Nobody knows what a glob would match in them. */
function unreadFiles(
  unread: readonly Diagnostic[],
  selectors: readonly Selector[],
  project: Project,
  { where }: NotHere,
): Diagnostic[] {
  const files = new Set(unread.flatMap(({ place }) => place?.file ?? []));
  if (files.size === 0) return [];
  // Of a file with an `each` that cannot be read, all other entries are known. What `include` means are other files.
  const isInPart = files.has(project.file) || project.entries.some(({ source }) => files.has(source.file));
  const whose = files.size === 1 ? 'its' : 'their';
  const error = files.size === 1 ? 'has an error' : 'have errors';
  const found = `${error}, so ${isInPart ? 'some' : whose}`;
  const more = files.size > MOST_LISTED ? [`${files.size - MOST_LISTED} more`] : [];
  const names = wordList([...[...files].slice(0, MOST_LISTED), ...more], 'and');
  const globs = selectors.filter(({ pattern, matchesFile }) => !matchesFile && pattern.includes('*'));
  const patterns = inShort(globs.map(({ pattern }) => `"${pattern}"`));
  const matching = globs.length === 0 ? '' : `, including any that match ${patterns}`;
  const message = `${names} ${found} entries are ${where}${matching}`;
  const help = `To see the errors, run \`roster validate${environmentFlag(project.environment)}\`.`;
  return [{ severity: 'warning', code: 'not-selected', message, help }];
}

/**
 * Whether an entry that cannot be read may declare the object: no entry declares it, another one did when it was applied, or
 * it is taken only because it is similar.
 */
function mayBeUnread({ change, match }: ResourceDiff): boolean {
  const { entry, ours, renamedFrom, rule, record, known } = match;
  if (entry === null) return ours || change.action !== 'none';
  return renamedFrom !== null || rule === 'likeness' || (record !== null && known === null);
}

/** Errors of files whose entries are unknown, then an error for each object that an entry with an error may declare. */
export function notCertain(
  kept: readonly ResourceDiff[],
  { unread = [], environment }: Project,
): readonly Diagnostic[] {
  if (unread.length === 0) return [];
  const uncertain = kept.filter(mayBeUnread).map(({ change, match }): Diagnostic => {
    const former = match.renamedFrom ?? (match.entry === null ? change.address : null);
    const subject = former ?? `the object that ${change.address} takes over`;
    const message = `${subject} may be declared in a manifest with an error`;
    const help = `Correct the error first. ${seeAllErrors(environment)}`;
    return { severity: 'error', code: 'usage', message, help, address: change.address };
  });
  if (uncertain.length === 0) return [];
  return [...unread.filter(({ address }) => address === undefined), ...uncertain];
}

/** What only matches objects that may be those of entries with an error. */
function mayBeBroken(
  selector: Selector,
  addresses: readonly Address[],
  { matches }: Matched,
): { readonly selector: Selector; readonly diagnostic: Diagnostic }[] {
  if (addresses.some((each) => selector.matches(each))) return [];
  const found = matches.find(({ address, broken }) => broken !== undefined && selector.matches(address));
  if (found?.broken === undefined) return [];
  const message = `${found.address} may be the object of ${found.broken.address}, which has an error`;
  const help = `Correct ${found.broken.address} first.`;
  return [{ selector, diagnostic: { severity: 'error', code: 'usage', message, help } }];
}

/** Nor while an entry with an error refers to it: no plan changes what that one refers to. */
function strandedBroken(kept: readonly ResourceDiff[], { matches }: Matched): Diagnostic[] {
  const going = goingIn(kept);
  return matches.flatMap(({ kind, observed, broken }) => {
    if (broken === undefined || observed?.spec == null) return [];
    const referred = firstReferred(kind, observed.spec, going);
    if (referred === undefined) return [];
    const message = `${referred} would be deleted, but the object of ${broken.address}, which has an error, refers to it`;
    return [{ severity: 'error', code: 'usage', message, help: `Correct ${broken.address} first.` }];
  });
}

/** An object must not be deleted while something that is not selected still refers to it. */
function stranded(kept: readonly ResourceDiff[], left: readonly ResourceDiff[]): Diagnostic[] {
  const going = goingIn(kept);
  return left.flatMap(({ change, match: { kind, observed } }) => {
    if (observed?.spec == null) return [];
    const referred = firstReferred(kind, observed.spec, going);
    if (referred === undefined) return [];
    const message = `${referred} would be deleted, but ${change.address}, which refers to it, would stay`;
    const help = `Select ${change.address} as well.`;
    return [{ severity: 'error', code: 'usage', message, help }];
  });
}

/** Nor can anything refer to an object that is not created, because `--exclude` leaves it out. */
function withoutNeeded(kept: readonly ResourceDiff[], left: ReadonlySet<Address>): Diagnostic[] {
  return kept.flatMap(({ change, match: { kind, entry } }) => {
    if (change.action === 'none' || entry === null) return [];
    const needed = referencesOf(kind, entry.spec)
      .flatMap(({ id }) => (isPending(id) ? [id.pending] : []))
      .find((each) => left.has(each));
    if (needed === undefined) return [];
    const message = `${change.address} refers to ${needed}, which does not exist yet and is excluded`;
    const help = `Exclude ${change.address} as well, or do not exclude ${needed}.`;
    return [{ severity: 'error', code: 'usage', message, help }];
  });
}

/** What these delete, by object. */
function goingIn(kept: readonly ResourceDiff[]): ReadonlyMap<string, Address> {
  return new Map(
    kept.flatMap(({ change }) =>
      change.action === 'delete' ? [[objectKey(change.kind, change.id), change.address] as const] : [],
    ),
  );
}

function firstReferred(
  kind: Kind,
  spec: unknown,
  objects: ReadonlyMap<string, Address>,
): Address | undefined {
  return referencesOf(kind, spec)
    .map((each) => (isPending(each.id) ? undefined : objects.get(objectKey(each.kind, each.id))))
    .find((each) => each !== undefined);
}

function needsOf(named: ReadonlySet<ResourceDiff>, all: readonly ResourceDiff[]): ReadonlySet<Address> {
  const byObject = new Map(all.map(({ change }) => [objectKey(change.kind, change.id), change.address]));
  const going = new Set(
    [...named].flatMap(({ change }) => (change.action === 'delete' ? [change.address] : [])),
  );
  const referred = ({ match }: ResourceDiff, spec: unknown) =>
    referencesOf(match.kind, spec).flatMap(({ kind, id }) =>
      isPending(id) ? id.pending : (byObject.get(objectKey(kind, id)) ?? []),
    );
  const needed = new Set([...named].flatMap((each) => referred(each, each.match.entry?.spec)));
  for (const each of all) {
    const leaves = referred(each, each.match.observed?.spec).some((address) => going.has(address));
    if (!leaves || each.match.entry === null) continue;
    needed.add(each.change.address);
    for (const address of referred(each, each.match.entry.spec)) needed.add(address);
  }
  return needed;
}

/** Changes that the message lists. The rest are counted. */
const MOST_LISTED = 5;

function leftOut(left: readonly ResourceDiff[], destroys: boolean): Diagnostic[] {
  if (left.length === 0) return [];
  const inOrder = left.map(({ change }) => change).sort((a, b) => naturalOrder(a.address, b.address));
  const names = inOrder.map(({ action, address }) => `${action} ${address}`);
  const count = left.length === 1 ? '1 change is' : `${left.length} changes are`;
  const message = `${count} outside the selection, and not in this plan: ${inShort(names)}`;
  const command = destroys ? 'roster plan --destroy' : 'roster plan';
  const help = `To see all changes, run \`${command}\` without a selection.`;
  return [{ severity: 'warning', code: 'not-selected', message, help }];
}

function inShort(names: readonly string[]): string {
  const more = names.length > MOST_LISTED ? ` and ${names.length - MOST_LISTED} more` : '';
  return `${names.slice(0, MOST_LISTED).join(', ')}${more}`;
}

export function isExcluding({ excludes }: Selector): boolean {
  return excludes === true;
}

/** Any of them selects it by one of its addresses, or all of them exclude; and none excludes it. */
export function isSelectedBy(selectors: readonly Selector[], ...addresses: readonly Address[]): boolean {
  let isIncluded = selectors.every(isExcluding);
  for (const each of selectors) {
    if (!addresses.some((address) => each.matches(address))) continue;
    if (isExcluding(each)) return false;
    isIncluded = true;
  }
  return isIncluded;
}

/** What patterns are compared with, and what the project declares for other environments. */
export interface Selectable {
  readonly addresses: readonly Address[];
  readonly existsIn?: ReadonlyMap<Address, readonly string[]> | undefined;
  /** `unread` of the project. Missing where it has none. */
  readonly unread?: readonly Diagnostic[] | undefined;
}

/** An error for each pattern that matches none of these addresses, with the errors of files that may declare them. */
export function matchingNothing(
  selectors: readonly Selector[],
  { addresses, existsIn = new Map(), unread = [] }: Selectable,
  suggest: Suggest,
): Diagnostic[] {
  const found = selectors
    .filter((selector) => !addresses.some((address) => selector.matches(address)))
    .map((selector) => inOthersOnly(selector, existsIn) ?? matchesNothing(selector, addresses, suggest));
  return found.length === 0 ? [] : [...unread.filter(({ address }) => address === undefined), ...found];
}

/** Reports an address or a glob that matches entries of other environments only. */
function inOthersOnly(
  { pattern, matches }: Selector,
  existsIn: ReadonlyMap<Address, readonly string[]>,
): Diagnostic | null {
  const names = [...existsIn].flatMap(([address, each]) => (matches(address) ? each : []));
  const [first, ...others] = [...new Set(names)];
  if (first === undefined) return null;
  const where =
    others.length === 0 ? `the environment ${first}` : `the environments ${[first, ...others].join(', ')}`;
  const message = `"${pattern}" exists in ${where} only`;
  return { severity: 'error', code: 'usage', message, help: `Select it with \`-e ${first}\`.` };
}

function matchesNothing(selector: Selector, addresses: readonly Address[], suggest: Suggest): Diagnostic {
  const { pattern, unmatched } = selector;
  if (unmatched !== undefined) return { severity: 'error', code: 'usage', ...unmatched() };
  const flag = isExcluding(selector) ? '--exclude: ' : '';
  const message = `${flag}"${pattern}" matches no resource of this project`;
  const closest = addresses.find((each) => each.endsWith(`/${pattern}`)) ?? suggest(pattern, addresses);
  const help =
    closest === null
      ? 'An address is a kind and a key, such as `group/retail-prices` or `schedule/*`.'
      : `Did you mean ${closest}?`;
  return { severity: 'error', code: 'usage', message, help };
}
