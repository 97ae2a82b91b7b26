import { type Finding, refusal, risk } from '../../model/finding.js';
import { type CommittedInventory, entriesOf } from '../../model/inventory.js';
import { objectKey } from '../../model/resource.js';
import { weakerSafeguards } from '../../model/safeguards.js';
import { ignoredParts } from '../ignore.js';
import type { ResourceDiff, Rule, World } from '../world.js';

/**
 * An inventory file can be edited by whoever can edit the manifests. What it no longer says, compared with what git has
 * of it, is shown, and deletes nothing that an apply has protected.
 */
export const editedInventory: Rule = {
  name: 'edited-inventory',
  examine(world) {
    const { committed } = world.basis;
    if (committed === null) return [];
    return [
      ...unrecorded(world, committed),
      ...world.diffs.flatMap((each) => unprotected(each, committed)),
      ...world.diffs.flatMap((each) => claimed(each, committed)),
      ...loosened(world, committed),
      ...world.diffs.flatMap((each) => ignored(each, committed)),
    ];
  },
};

function unrecorded({ diffs }: World, { file, missing }: CommittedInventory): Finding[] {
  const count = diffs.filter(({ change }) => change.action === 'delete').length;
  if (missing === null || count === 0) return [];
  const objects = count === 1 ? '1 object' : `${count} objects`;
  const message = `deleting ${objects} is blocked because git cannot prove that an apply wrote ${file}: ${missing}`;
  const help =
    'Use a full clone, and commit the file after an apply without any other file of the project. If nobody has edited it, use `--allow-edited-inventory`.';
  return [refusal('unrecorded-inventory', null, message, help, 'editedInventory')];
}

/** The file no longer says that an object is protected, and perhaps no apply has lifted that. */
function unprotected(
  { change, match }: ResourceDiff,
  { file, stillProtected, before }: CommittedInventory,
): Finding[] {
  const { address, action } = change;
  const { kind, observed, entry, wasProtected } = match;
  if (observed === null || observed.id === null || wasProtected) return [];
  if (action === 'delete') {
    if (!stillProtected.has(objectKey(kind.name, observed.id))) return [];
    const message = `${address} would be deleted, and an earlier version of ${file} protects it`;
    const help = `Restore the file from git. To lift the protection, set \`protect: false\` in its entry, apply, and commit the file without any other file of the project. If an apply has lifted it already, use \`--allow-edited-inventory\`.`;
    return [refusal('protected', address, message, help, 'editedInventory')];
  }
  const isLifted = entry === null ? action === 'forget' : !entry.protect;
  const wasProtectedBefore = entriesOf([before], kind.name, observed.id).some(({ protect }) => protect);
  if (!isLifted || !wasProtectedBefore) return [];
  return [risk(null, { code: 'protection', message: `${address} is no longer protected from deletion` })];
}

/** What the plan deletes only because the newest version of the file says that it is ours. */
function claimed({ change, match }: ResourceDiff, { file, before, missing }: CommittedInventory): Finding[] {
  const { kind, observed, known } = match;
  if (change.action !== 'delete' || known === null || missing !== null) return [];
  if (observed?.id == null || entriesOf([before], kind.name, observed.id).length > 0) return [];
  const message = `this project's ownership of it first appears in the latest commit of ${file}: make sure that an apply wrote it`;
  return [risk(change.address, { code: 'delete', message })];
}

/** What the inventory says itself is compared by another rule. */
function loosened({ basis: { project, inventory } }: World, { before }: CommittedInventory): Finding[] {
  const [former, current] = [before?.safeguards ?? null, inventory.safeguards];
  if (former === null || current === null) return [];
  const shown = new Set(weakerSafeguards(project, current).map(({ name }) => name));
  return weakerSafeguards(project, former)
    .filter(({ name }) => !shown.has(name))
    .map((each) => {
      const message = `\`${each.name}\` is ${each.value}, which allows more than in the previous commit (${each.before})`;
      return risk(null, { code: 'safeguard', message });
    });
}

function ignored({ match }: ResourceDiff, { before }: CommittedInventory): Finding[] {
  const { address, kind, entry, observed, known } = match;
  if (entry === null || observed?.id == null || known === null) return [];
  const [former] = entriesOf([before], kind.name, observed.id);
  if (former === undefined) return [];
  const added = ignoredParts(entry).filter(
    ({ path }) => known.ignore?.includes(path) === true && former.ignore?.includes(path) !== true,
  );
  if (added.length === 0) return [];
  const paths = added.map(({ path }) => `\`${path}\``).join(', ');
  return [
    risk(null, {
      code: 'safeguard',
      message: `${address} now ignores ${paths}, which it did not in the previous commit`,
    }),
  ];
}
