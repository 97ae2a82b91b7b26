import { type Address, normalId } from '../model/resource.js';
import type { Diagnostics } from './diagnostics.js';
import type { EntriesRead, EntryRead } from './entries.js';
import type { Targets } from './targets.js';
import { find } from './tree.js';

/** What can be wrong between entries: references to nothing, and two entries that would be one object. */
export function checkBetween(entries: EntriesRead, allFilesRead: boolean, told: Diagnostics): void {
  // An entry that is missing may stand in a file that could not be read.
  if (allFilesRead) for (const each of entries.list) checkReferences(each, entries, told);
  checkSame(entries.list, told);
  checkFormer(entries, told);
}

function checkReferences(each: EntryRead, { addresses, targets }: EntriesRead, told: Diagnostics): void {
  for (const { address, path } of each.kind.refersTo(each.declared.declared)) {
    if (addresses.has(address)) continue;
    const { span } = find(each.entry, path);
    if (each.declared.sensitive.includes(String(path[0]))) {
      const message = 'there is no entry with the address that the environment gives here';
      told.error('unknown-reference', span, message, { help: 'The value is not shown.' });
      continue;
    }
    told.error('unknown-reference', span, `there is no \`${address}\` in the project`, {
      help: hint(address, targets),
    });
  }
}

function hint(address: Address, targets: Targets): string {
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
    const { span } = find(each.entry, ['formerly']);
    const declared = addresses.get(formerly);
    const claimed = former.get(formerly);
    former.set(formerly, each);
    if (declared !== undefined) {
      told.error(
        'duplicate-entry',
        span,
        `\`${formerly}\` is still declared, so this cannot be what it became`,
        {
          help: 'Take `formerly` out, or the entry with the old key.',
          related: [{ message: 'it is declared here', span: declared.key }],
        },
      );
    } else if (claimed !== undefined) {
      told.error('duplicate-entry', span, `two entries say that they were \`${formerly}\``, {
        help: 'Only one of them can be what it became.',
        related: [{ message: 'the other one is here', span: find(claimed.entry, ['formerly']).span }],
      });
    }
  }
}
