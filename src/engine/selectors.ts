import { resolve } from 'node:path';
import { limits } from '../manifest/limits.js';
import { suggestWithin } from '../manifest/suggest.js';
import { type Diagnostic, Problem, problem } from '../model/diagnostic.js';
import { Glob } from '../model/glob.js';
import type { Inventory } from '../model/inventory.js';
import { type Address, type Project, shownPath } from '../model/resource.js';
import { isExcluding, isSelectedBy, matchingNothing, type Selectable } from '../reconcile/select.js';
import type { Selector } from '../reconcile/world.js';
import { ownersIn, unknownOwnersOf } from './owners.js';

export { judgedBy, leftUnread, unreadFor } from '../reconcile/select.js';

/** The part of a project that a command is about: what any of these selects, or everything where none is given, without what is excluded. */
export interface ProjectPart {
  /** Addresses and globs, such as `schedule/*`. */
  readonly addresses?: readonly string[] | undefined;
  /** Owners, as CODEOWNERS writes them: they select what their files declare. */
  readonly owners?: readonly string[] | undefined;
  /** Manifests, by their paths: they select what they declare. */
  readonly files?: readonly string[] | undefined;
  /** Addresses and globs. */
  readonly exclude?: readonly string[] | undefined;
}

/** By what files select: what they declare, or declared at the last apply. */
export interface Declaring {
  readonly project: Project;
  /** Absolute: paths are relative to it. */
  readonly cwd: string;
  /** Missing where only declared entries are meant. */
  readonly inventory?: Inventory;
}

/** Whether all of a project is meant. */
export function isEverything({
  addresses = [],
  owners = [],
  files = [],
  exclude = [],
}: ProjectPart): boolean {
  return [addresses, owners, files, exclude].every((each) => each.length === 0);
}

/** The selectors of a selection; null for everything. Throws a Problem for an empty one, and for owners that nobody knows. */
export function selectionOf(selection: ProjectPart, declaring: Declaring): readonly Selector[] | null {
  if (isEverything(selection)) return null;
  const { addresses = [], owners = [], files = [], exclude = [] } = selection;
  const included = addresses.map((pattern) => addressSelector(pattern));
  const excluded = exclude.map((pattern) => ({
    ...addressSelector(pattern),
    excludes: true as const,
  }));
  if (owners.length + files.length === 0) return [...included, ...excluded];
  const fileOf = filesOf(declaring);
  return [
    ...included,
    ...(owners.length === 0 ? [] : ownerSelectors(owners, fileOf, declaring)),
    ...files.map((file) => fileSelector(file, fileOf, declaring)),
    ...excluded,
  ];
}

/** Addresses, which may be globs such as `schedule/*`, as selectors; null when there are none. Throws a Problem for an empty one. */
export function selectorsOf(addresses: readonly string[]): readonly Selector[] | null {
  return addresses.length === 0 ? null : addresses.map((pattern) => addressSelector(pattern));
}

function addressSelector(pattern: string): Selector {
  if (pattern.trim() === '') {
    const help =
      'Omit it to select everything, or pass an address such as `group/retail-prices`. Check that no shell variable is empty.';
    throw problem('usage', 'an address is empty', help);
  }
  const glob = new Glob(pattern);
  return { pattern, matches: (each) => glob.matches(each) };
}

/** The absolute path of the file of each entry. */
function filesOf({ project, cwd, inventory }: Declaring): ReadonlyMap<Address, string> {
  const files = new Map<Address, string>();
  for (const [address, { file }] of inventory?.entries ?? [])
    if (file !== undefined) files.set(address, resolve(cwd, shownPath(project, file)));
  for (const { address, place } of project.unread ?? [])
    if (address !== undefined && place !== undefined && !files.has(address))
      files.set(address, resolve(cwd, place.file));
  for (const { address, source } of project.entries) files.set(address, resolve(cwd, source.file));
  return files;
}

/** Files with an error: their entries are unknown. */
function unreadFiles({ project, cwd }: Declaring): string[] {
  const files = (project.unread ?? []).filter(({ address }) => address === undefined);
  return files.flatMap(({ place }) => (place === undefined ? [] : [resolve(cwd, place.file)]));
}

function fileSelector(file: string, fileOf: ReadonlyMap<Address, string>, { cwd }: Declaring): Selector {
  const path = resolve(cwd, file);
  return {
    pattern: `--in ${file}`,
    matches: (address) => fileOf.get(address) === path,
    matchesFile: (shown) => resolve(cwd, shown) === path,
    unmatched: () => ({
      message: `no resource of this project is declared in ${JSON.stringify(file)}`,
      help: 'Pass the path of a manifest, from the working directory.',
    }),
  };
}

/** GitHub and GitLab compare owners without case. */
function ownerSelectors(
  owners: readonly string[],
  fileOf: ReadonlyMap<Address, string>,
  declaring: Declaring,
): Selector[] {
  const { project, cwd } = declaring;
  const known = ownersIn(project.root);
  if (known === null)
    throw problem(
      'usage',
      `--owner: this repository has no CODEOWNERS file, so nothing is owned by ${JSON.stringify(owners[0])}`,
      'Add the file, or select by file with `--in`.',
    );
  const byFile = new Map<string, readonly string[]>();
  for (const file of new Set([...fileOf.values(), ...unreadFiles(declaring)])) {
    const found = known.of(file);
    // What an owner owns must not be left out in silence.
    if (found === null) throw new Problem([unknownOwnersOf(known, '--owner: the owners of some files')]);
    byFile.set(file, found);
  }
  const all = [...new Set([...byFile.values()].flat())];
  const suggest = suggestWithin(limits.comparisons);
  return owners.map((owner) => {
    const wanted = owner.toLowerCase();
    const files = new Set(
      [...byFile].flatMap(([file, found]) =>
        found.some((each) => each.toLowerCase() === wanted) ? [file] : [],
      ),
    );
    const near = all.find((each) => each === `@${owner}`) ?? suggest(owner, all);
    return {
      pattern: `--owner ${owner}`,
      matches: (address) => files.has(fileOf.get(address) ?? ''),
      matchesFile: (shown) => files.has(resolve(cwd, shown)),
      unmatched: () => ({
        message: `no resource of this project is owned by ${JSON.stringify(owner)}`,
        help: near === null ? `Write an owner as ${known.file} does.` : `Did you mean ${near}?`,
      }),
    };
  });
}

/** Which of these addresses are selected; all of them without selectors. Throws a Problem for a pattern that matches none. */
export function selectedOf(
  selectors: readonly Selector[] | null,
  selectable: Selectable,
): (address: Address) => boolean {
  if (selectors === null) return () => true;
  const errors: readonly Diagnostic[] = matchingNothing(
    selectors,
    selectable,
    suggestWithin(limits.comparisons),
  );
  if (errors.length > 0) throw new Problem(errors);
  return (address) => isSelectedBy(selectors, address);
}

/** As it was given on the command line. */
export function selectionText(selectors: readonly Selector[]): string {
  return selectors.map((each) => (isExcluding(each) ? `--exclude ${each.pattern}` : each.pattern)).join(', ');
}

/** A glob for names, in which `*` also stands for slashes. */
export function nameGlob(pattern: string): (name: string) => boolean {
  const glob = new Glob(pattern, { crossing: true });
  return (name) => glob.matches(name);
}
