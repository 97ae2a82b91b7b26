import { type Address, addressOf, type KindName, normalId } from '../model/resource.js';
import { type Entry, find } from '../yaml/tree.js';
import type { Diagnostics } from './diagnostics.js';
import type { EntriesRead, EntryRead } from './entries.js';
import type { Targets } from './targets.js';

/** What can be wrong between entries: references to nothing, and two entries that would be one object. */
export function checkBetween(entries: EntriesRead, allRead: boolean, told: Diagnostics): void {
  // An entry that is missing may stand in what could not be read.
  if (allRead) {
    const renamed = renamedFrom(entries.list);
    for (const each of entries.list) checkReferences(each, entries, renamed, told);
  }
  checkSame(entries.list, told);
  checkFormer(entries, told);
}

function checkReferences(
  each: EntryRead,
  { addresses, targets, partial }: EntriesRead,
  renamed: ReadonlyMap<Address, Address>,
  told: Diagnostics,
): void {
  for (const { address, path } of each.kind.refersTo(each.declared.declared)) {
    if (addresses.has(address) || isPartial(address, partial)) continue;
    const { span } = find(each.entry, path);
    if (each.declared.sensitive.includes(String(path[0]))) {
      const message = 'there is no entry with the address that the environment gives here';
      told.error('unknown-reference', span, message, { help: 'The value is not shown.' });
      continue;
    }
    told.error('unknown-reference', span, `there is no \`${address}\` in the project`, {
      help: hint(address, renamed.get(address), targets),
    });
  }
}

function isPartial(address: Address, partial: ReadonlySet<KindName>): boolean {
  return [...partial].some((kind) => address.startsWith(addressOf(kind, '')));
}

/** What entries are called now, by what they say that they were called; none that the environment names. */
function renamedFrom(list: readonly EntryRead[]): ReadonlyMap<Address, Address> {
  return new Map(
    list.flatMap((each) => {
      const { formerly, address } = each.declared;
      return formerly === null || isSecretFormer(each) ? [] : [[formerly, address] as const];
    }),
  );
}

function hint(address: Address, now: Address | undefined, targets: Targets): string {
  if (now !== undefined) return `It is \`${now}\` now, which says so with \`formerly\`.`;
  const near = targets.near(address);
  if (near !== null) return `Did you mean \`${near}\`?`;
  const [kind] = address.split('/', 1);
  return `Declare the ${kind} in this project; with \`external: true\` if it is someone else's.`;
}

function checkSame(list: readonly EntryRead[], told: Diagnostics): void {
  const identities = new Map<string, EntryRead>();
  const ids = new Map<string, EntryRead>();
  for (const each of list) {
    if (each.sound) {
      const identity = each.kind.declaredIdentity(each.declared.declared);
      if (identity !== null) same(identities, `${each.kind.name}/${identity}`, each, 'name', told);
    }
    const { id } = each.declared;
    if (id !== null) same(ids, `${each.kind.name}/${normalId(id)}`, each, 'id', told);
  }
}

function same(
  seen: Map<string, EntryRead>,
  key: string,
  each: EntryRead,
  field: string,
  told: Diagnostics,
): void {
  const first = seen.get(key);
  if (first === undefined) {
    seen.set(key, each);
    return;
  }
  const message = `\`${each.declared.address}\` and \`${first.declared.address}\` would be one ${each.kind.name}`;
  told.error('duplicate-name', find(each.entry, [field]).span, message, {
    help: 'Take one of them out, or make them differ in what tells them apart on the service.',
    related: [{ message: 'the other one is here', span: find(first.entry, [field]).span }],
  });
}

function checkFormer({ list, addresses }: EntriesRead, told: Diagnostics): void {
  const former = new Map<Address, EntryRead>();
  for (const each of list) {
    const { formerly } = each.declared;
    if (formerly === null) continue;
    const declared = addresses.get(formerly);
    const claimed = former.get(formerly);
    former.set(formerly, each);
    if (declared !== undefined) tellStillDeclared(each, formerly, declared, told);
    else if (claimed !== undefined) tellClaimed(each, formerly, claimed, told);
  }
}

function tellStillDeclared(each: EntryRead, formerly: Address, declared: Entry, told: Diagnostics): void {
  const hidden = isSecretFormer(each);
  const subject = hidden ? 'what the environment gives here' : `\`${formerly}\``;
  const message = `${subject} is still declared, so this cannot be what it became`;
  told.error('duplicate-entry', find(each.entry, ['formerly']).span, message, {
    help: 'Take `formerly` out, or the entry with the old key.',
    // The place of what the environment names would show the name.
    ...(hidden ? {} : { related: [{ message: 'it is declared here', span: declared.key }] }),
  });
}

function tellClaimed(each: EntryRead, formerly: Address, claimed: EntryRead, told: Diagnostics): void {
  const hidden = isSecretFormer(each) || isSecretFormer(claimed);
  const { span } = find(claimed.entry, ['formerly']);
  const what = hidden ? 'the same, which the environment gives' : `\`${formerly}\``;
  told.error(
    'duplicate-entry',
    find(each.entry, ['formerly']).span,
    `two entries say that they were ${what}`,
    {
      help: 'Only one of them can be what it became.',
      ...(hidden ? {} : { related: [{ message: 'the other one is here', span }] }),
    },
  );
}

function isSecretFormer({ declared }: EntryRead): boolean {
  return declared.sensitive.includes('formerly');
}
