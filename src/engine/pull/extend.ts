import { kinds } from '../../kinds/index.js';
import { type Diagnostic, errorsIn } from '../../model/diagnostic.js';
import { canonical, groupBy } from '../../model/json.js';
import type { Address, Declared, Observed, Project } from '../../model/resource.js';
import type { ResourceDiff } from '../../reconcile/world.js';
import { EditableFile } from '../../yaml/edit.js';
import { applyEdits, isObstacle, type TextEdit } from '../../yaml/editable.js';
import { isTooMuchToFormat } from '../../yaml/format.js';
import { type CheckContext, check, noOverlay } from './check.js';
import type { OtherEnvironments } from './environments.js';

/** An entry of other environments that also declares an object of the selected one. */
export interface SharedObject {
  readonly address: Address;
  readonly entry: Declared;
  readonly observed: Observed;
  /** The properties in which the object differs from it. */
  readonly differing: readonly string[];
}

export interface Extension {
  readonly shared: readonly SharedObject[];
  /** Objects that such an entry declares, whose `environments` cannot be extended, and why. */
  readonly fixed: readonly {
    readonly entry: Declared;
    readonly observed: Observed;
    readonly reason: string;
  }[];
}

/**
 * Finds entries of other environments that declare one of these objects: with the selected environment in their
 * `environments`, they are matched with it. An entry that would be created is left as it is.
 */
export function findShared(
  context: CheckContext,
  others: OtherEnvironments,
  texts: ReadonlyMap<string, string>,
  unmanaged: ReadonlySet<Observed>,
): Extension {
  const { project } = context.session;
  const elsewhere = [...(project.existsIn?.keys() ?? [])];
  if (project.environment === null || unmanaged.size === 0 || elsewhere.length === 0)
    return { shared: [], fixed: [] };
  const known = others.entries();
  const entries = elsewhere.flatMap((address) => known.get(address) ?? []);
  const { blocked } = extended(entries, project, texts);
  const shared = matched(
    entries.filter((entry) => !blocked.has(entry)),
    context,
    texts,
    unmanaged,
  );
  const taken = new Set(shared.map(({ observed }) => observed));
  const named = byNaturalKey([...unmanaged].filter((each) => !taken.has(each)));
  const fixed = [...blocked].flatMap((entry) => {
    const observed = named(entry);
    const reason =
      entry.source.each === undefined
        ? 'its `environments` are written in a form that cannot be extended'
        : 'it is repeated with `each`';
    return observed === undefined ? [] : [{ entry, observed, reason }];
  });
  return { shared, fixed };
}

/** Those of which an object is found, however many of the others are dropped on the way. */
function matched(
  all: readonly Declared[],
  context: CheckContext,
  texts: ReadonlyMap<string, string>,
  unmanaged: ReadonlySet<Observed>,
): readonly SharedObject[] {
  let left = all;
  while (left.length > 0) {
    const { changed } = extended(left, context.session.project, texts);
    const { errors, comparison } = check(context, { ...noOverlay, changed });
    const failed = blamed(errors, left);
    // Nobody knows which of them causes the errors.
    if (errors.length > 0 && failed.size === 0) return [];
    const diffs = new Map((comparison?.diffs ?? []).map((each) => [each.change.address, each]));
    const found = left.flatMap((entry) => {
      const each = failed.has(entry) ? null : sharedBy(entry, diffs.get(entry.address), unmanaged);
      return each === null ? [] : [each];
    });
    if (failed.size > 0) left = left.filter((entry) => !failed.has(entry));
    else if (found.length === left.length) return keepsOthers(diffs, left, context) ? found : [];
    else left = found.map(({ entry }) => entry);
  }
  return [];
}

function sharedBy(
  entry: Declared,
  found: ResourceDiff | undefined,
  unmanaged: ReadonlySet<Observed>,
): SharedObject | null {
  const observed = found?.match.observed ?? null;
  if (found === undefined || observed === null || !unmanaged.has(observed)) return null;
  const { action, fields } = found.change;
  if (action !== 'adopt' && action !== 'update') return null;
  return { address: entry.address, entry, observed, differing: fields.map(({ path }) => path) };
}

/** What the selected environment declares has the objects that it had. */
function keepsOthers(
  diffs: ReadonlyMap<Address, ResourceDiff>,
  added: readonly Declared[],
  { observation }: CheckContext,
): boolean {
  const own = new Set(added.map(({ address }) => address));
  return observation.comparison.diffs.every(({ match, change: { address } }) => {
    const now = diffs.get(address);
    return match.entry === null || own.has(address) || now?.match.observed === match.observed;
  });
}

/** The entries that the errors are about. A place without an address is in the last entry that begins before it. */
function blamed(errors: readonly Diagnostic[], entries: readonly Declared[]): ReadonlySet<Declared> {
  const byAddress = new Map(entries.map((entry) => [entry.address, entry]));
  const inFile = groupBy(entries, ({ source }) => source.file);
  return new Set(
    errorsIn(errors).flatMap(({ address = '', place, related = [] }) => {
      const named = byAddress.get(address);
      if (named !== undefined) return [named];
      return [place, ...related.map((each) => each.place)].flatMap((at) => {
        const before = (inFile.get(at?.file ?? '') ?? []).filter(
          ({ source }) => source.line <= (at?.line ?? 0),
        );
        return before.toSorted((a, b) => a.source.line - b.source.line).at(-1) ?? [];
      });
    }),
  );
}

/** Where a plan cannot tell: by the natural key alone, which entries of some kinds have. */
function byNaturalKey(objects: readonly Observed[]): (entry: Declared) => Observed | undefined {
  const identityOf = new Map(kinds.map(({ name, identity }) => [name, identity]));
  const known = new Map(
    objects.map((each) => [
      canonical([each.kind, identityOf.get(each.kind)?.ofObserved(each) ?? null]),
      each,
    ]),
  );
  return ({ kind, declared }) => {
    const key = identityOf.get(kind)?.ofDeclared(declared) ?? null;
    return key === null ? undefined : known.get(canonical([kind, key]));
  };
}

interface Extended {
  readonly changed: ReadonlyMap<string, string>;
  /** Entries that were left as they are: their `environments` come from somewhere else. */
  readonly blocked: ReadonlySet<Declared>;
}

/** The files with the selected environment in `environments` of these entries. */
export function extended(
  entries: readonly Declared[],
  { environment, existsIn }: Project,
  texts: ReadonlyMap<string, string>,
): Extended {
  const changed = new Map<string, string>();
  const blocked = new Set<Declared>();
  for (const [name, own] of groupBy(entries, ({ source }) => source.file)) {
    const text = texts.get(name) ?? '';
    const file = isTooMuchToFormat(text) ? null : new EditableFile(text, isReference);
    const edits: TextEdit[] = [];
    for (const entry of own) {
      const all = [...(existsIn?.get(entry.address) ?? []), environment ?? ''];
      const made = file === null ? null : addEnvironment(file, entry, all);
      if (made === null) blocked.add(entry);
      else edits.push(...made);
    }
    if (edits.length > 0) changed.set(name, applyEdits(text, edits));
  }
  return { changed, blocked };
}

function addEnvironment(
  file: EditableFile,
  { source, kind, key }: Declared,
  all: readonly string[],
): readonly TextEdit[] | null {
  if (source.each !== undefined) return null;
  const path = [kinds.find(({ name }) => name === kind)?.section ?? '', key];
  const items = (existing: readonly unknown[]) => [...existing.keys(), all.at(-1) ?? ''];
  const inList = file.edit(path, new Map([['environments', { to: 'items', items }]]));
  if (!isObstacle(inList)) return inList;
  if (inList.obstacle !== 'missing') return null;
  // They come from `defaults`.
  const made = file.edit(path, new Map([['environments', { to: 'value', value: all }]]));
  return isObstacle(made) ? null : made;
}

function isReference(text: string): boolean {
  return /(?<!\$)\$\{/.test(text.replaceAll('$${', ''));
}
