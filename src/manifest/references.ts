import { isEmptyObject, type JsonObject } from '../model/json.js';
import { type Address, addressOf, normalId } from '../model/resource.js';
import { escaped, escapedValue } from '../model/template.js';
import type { Span } from '../yaml/source.js';
import type { Entry } from '../yaml/tree.js';
import type { ReferenceHints } from './addresses.js';
import type { Diagnostics } from './diagnostics.js';
import type { EntriesRead } from './entries.js';
import type { EntryRead } from './kind-reader.js';

/** What can be wrong between entries: references to nothing, and two entries for one object. */
export function checkBetween(entries: EntriesRead, isComplete: boolean, diagnostics: Diagnostics): void {
  // A missing entry may be in what could not be read.
  if (isComplete) checkReferences(entries, diagnostics);
  checkSame(entries.list, diagnostics);
  checkFormer(entries, diagnostics);
}

function checkReferences(entries: EntriesRead, diagnostics: Diagnostics): void {
  const { list, addresses, elsewhere, hints, partial } = entries;
  const renamed = renamedFrom(list);
  const report = (each: EntryRead, work: () => void) => diagnostics.within([each.declared.address], work);
  for (const each of list) {
    const { field = '', inEntry } = each.kind.references ?? {};
    // It may be missing or invalid, which is reported.
    if (inEntry === undefined || each.written[field] === undefined) continue;
    for (const address of inEntry(each.declared.declared)) {
      const other = elsewhere.get(address);
      if ((addresses.has(address) && other === undefined) || isPartial(address, partial)) continue;
      const span = each.places.spanOf([field]);
      if (other !== undefined) {
        report(each, () => reportElsewhere(address, other, span, diagnostics));
        continue;
      }
      const message = `\`${address}\` is not declared in this project`;
      const help = hint(address, renamed.get(address), hints);
      report(each, () => diagnostics.error('unknown-reference', span, message, { help }));
    }
  }
}

function reportElsewhere(address: Address, key: Entry['key'], span: Span, diagnostics: Diagnostics): void {
  const message = `\`${address}\` does not exist in this environment`;
  diagnostics.error('unknown-reference', span, message, {
    help: 'Change `environments:` of one of the two, so that both exist in the same environments.',
    related: [{ message: 'its entry is here', span: key }],
  });
}

function isPartial(address: Address, partial: EntriesRead['partial']): boolean {
  return [...partial.values()].some((kind) => address.startsWith(addressOf(kind, '')));
}

/** The new address of each renamed entry by its old one. */
function renamedFrom(list: readonly EntryRead[]): ReadonlyMap<Address, Address> {
  return new Map(
    list.flatMap(({ declared: { formerly, address } }) =>
      formerly === null ? [] : [[formerly, address] as const],
    ),
  );
}

function hint(address: Address, now: Address | undefined, hints: ReferenceHints): string {
  if (now !== undefined) return `It was renamed to \`${now}\` with \`formerly\`.`;
  const near = hints.closest(address);
  if (near !== null) return `Did you mean \`${near}\`?`;
  const [kind] = address.split('/', 1);
  return `Declare the ${kind} in this project. If someone else manages it, add \`external: true\`.`;
}

function checkSame(list: readonly EntryRead[], diagnostics: Diagnostics): void {
  const first = new Map<string, EntryRead>();
  const checkField = (each: EntryRead, field: string, value: string | null) => {
    if (value === null) return;
    const key = `${each.kind.name}/${field}/${value}`;
    const other = first.get(key);
    if (other === undefined) first.set(key, each);
    else if (!haveOwnIds(each, other, field)) reportSame(each, other, field, diagnostics);
  };
  for (const each of list) {
    const { id } = each.declared;
    checkField(each, 'name', each.sound ? identityOf(each) : null);
    checkField(each, 'id', id === null ? null : normalId(id));
  }
}

/** Two objects may be alike in every way: their ids distinguish them, and duplicate ids are checked separately. */
function haveOwnIds({ declared: one }: EntryRead, { declared: other }: EntryRead, field: string): boolean {
  return field !== 'id' && one.id !== null && other.id !== null;
}

/** With templates in place of values from the environment: that two entries are the same must not tell such a value. */
function identityOf({ kind, declared: { declared, templates } }: EntryRead): string | null {
  if (!isEmptyObject(templates)) {
    const written = escapedValue(declared as JsonObject) as JsonObject;
    return kind.identity.ofDeclared({ ...written, ...templates });
  }
  const identity = kind.identity.ofDeclared(declared);
  return identity === null ? null : escaped(identity);
}

function reportSame(each: EntryRead, first: EntryRead, field: string, diagnostics: Diagnostics): void {
  const message = `\`${each.declared.address}\` and \`${first.declared.address}\` are the same ${each.kind.name}`;
  const identity = field === 'id' ? '`id`' : `What identifies the ${each.kind.name}`;
  const help = areItems(each, first)
    ? `${identity} must differ for each item: use \`\${each.key}\`, or a value of the item.`
    : 'Remove one of them, change what identifies it, or bind each to its own object with `id:`, which must stay.';
  const related = [{ message: 'the other entry is here', span: first.places.spanOf([field]) }];
  const both = [each.declared.address, first.declared.address];
  diagnostics.within(both, () =>
    diagnostics.error('duplicate-name', each.places.spanOf([field]), message, { help, related }),
  );
}

/** True for two items of one repeated entry. */
function areItems({ places: { key: one } }: EntryRead, { places: { key: other } }: EntryRead): boolean {
  return one.source.file === other.source.file && one.start === other.start;
}

function checkFormer({ list, addresses, elsewhere }: EntriesRead, diagnostics: Diagnostics): void {
  const former = new Map<Address, EntryRead>();
  for (const each of list) {
    const { formerly } = each.declared;
    if (formerly === null) continue;
    const declared = elsewhere.has(formerly) ? undefined : addresses.get(formerly);
    const claimed = former.get(formerly);
    former.set(formerly, each);
    const own = each.declared.address;
    if (declared !== undefined)
      diagnostics.within([own, formerly], () => reportStillDeclared(each, declared, diagnostics));
    else if (claimed !== undefined) {
      const both = [own, claimed.declared.address];
      diagnostics.within(both, () => reportClaimed(each, claimed, diagnostics));
    }
  }
}

function reportStillDeclared(each: EntryRead, declared: Entry['key'], diagnostics: Diagnostics): void {
  const message = `\`${each.declared.formerly}\` is still declared, so this entry cannot replace it`;
  diagnostics.error('duplicate-entry', each.places.spanOf(['formerly']), message, {
    help: 'Remove `formerly`, or the entry with the old key.',
    related: [{ message: 'it is declared here', span: declared }],
  });
}

function reportClaimed(each: EntryRead, claimed: EntryRead, diagnostics: Diagnostics): void {
  const span = claimed.places.spanOf(['formerly']);
  const { formerly, kind } = each.declared;
  const message = `two entries have \`${formerly}\` in \`formerly\``;
  const old = formerly?.slice(addressOf(kind, '').length);
  const help = areItems(each, claimed)
    ? `Name the key of the entry that replaces it as well: \`formerly: { KEY: ${old} }\`.`
    : 'Keep `formerly` only in the entry that replaces the old one.';
  diagnostics.error('duplicate-entry', each.places.spanOf(['formerly']), message, {
    help,
    related: [{ message: 'the other entry is here', span }],
  });
}
