import { type Finding, risk } from '../../model/finding.js';
import { isSamePlace, placeLabel } from '../../model/inventory.js';
import { defaultSafeguards, weakerSafeguards } from '../../model/safeguards.js';
import { ignoredParts } from '../ignore.js';
import type { ResourceDiff, Rule, World } from '../world.js';

/** Settings that allow more, or show less, than at the last apply: a pull request may not decide them unseen. */
export const safeguards: Rule = {
  name: 'safeguards',
  examine: (world) => [
    ...weaker(world),
    ...movedInventory(world).map(safeguard),
    ...world.diffs.flatMap(newlyIgnored),
  ],
};

function safeguard(message: string): Finding {
  return risk(null, { code: 'safeguard', message });
}

/** Before the first apply, more than their defaults. */
function weaker({ basis: { project, inventory } }: World): Finding[] {
  const before = inventory.safeguards;
  const than = before === null ? 'the default' : 'at the last apply';
  return weakerSafeguards(project, before ?? defaultSafeguards).map((each) =>
    safeguard(`\`${each.name}\` is ${each.value}, which allows more than ${than} (${each.before})`),
  );
}

/**
 * What an entry ignores and did not ignore at the last apply: from now on, nobody sees or undoes what others change there,
 * and no other change of the plan says so.
 */
function newlyIgnored({ match: { address, entry, observed, known } }: ResourceDiff): Finding[] {
  if (observed === null || known === null) return [];
  const before = new Set(known.ignore);
  const added = ignoredParts(entry).flatMap(({ path }) => (before.has(path) ? [] : [`\`${path}\``]));
  if (added.length === 0) return [];
  const consequence = 'changes made there outside roster are neither shown nor undone';
  return [safeguard(`${address} ignores ${added.join(', ')} from now on: ${consequence}`)];
}

/** Whoever decides where the inventory is decides what is owned and protected. */
function movedInventory({ basis: { project, inventory, readFrom } }: World): string[] {
  const here = project.inventory;
  const former = [inventory.place ?? null, readFrom];
  const others = former.flatMap((each) => (each === null || isSamePlace(each, here) ? [] : placeLabel(each)));
  return [...new Set(others)].map(
    (other) =>
      `the inventory moved from ${other} to ${placeLabel(here)}: it decides what this project owns and protects`,
  );
}
