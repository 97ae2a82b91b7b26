import { problem } from '../../model/diagnostic.js';
import type { Address, Project } from '../../model/resource.js';
import type { Observation } from '../observe.js';
import type { NewFilesOptions } from './files.js';

interface Wanted extends NewFilesOptions {
  readonly addresses?: readonly string[];
  readonly match?: string | undefined;
}

/** Refuses flags that choose or place new entries, where every address is one of an entry. */
export function refuseIdle({ entries }: Project, { addresses = [], ...flags }: Wanted): void {
  const declared = new Set(entries.map(({ address }) => address));
  if (addresses.length === 0 || !addresses.every((each) => declared.has(each))) return;
  const flag = (['into', 'out', 'match', 'by'] as const).find((name) => flags[name] !== undefined);
  if (flag === undefined) return;
  const message = `\`--${flag}\` has no effect: ${addresses.join(', ')} ${addresses.length === 1 ? 'is' : 'are'} declared`;
  throw problem(
    'usage',
    message,
    'It is for new entries. Omit it to write the remote values into the entries.',
  );
}

/** What the inventory holds and no entry declares: the next apply deletes it. */
export function ownedWithoutEntry({ comparison }: Observation): readonly Address[] {
  return comparison.matches.flatMap(({ address, entry, observed, ours }) =>
    entry === null && observed !== null && ours ? [address] : [],
  );
}

interface Chosen {
  readonly isSelected: (address: Address) => boolean;
  readonly match: string | undefined;
  readonly owned: readonly Address[];
}

export function reasonsForNothing(observation: Observation, { isSelected, match, owned }: Chosen): string[] {
  const { matches } = observation.comparison;
  const differs = matches.flatMap(({ address, ignoredDifferences = [] }) =>
    ignoredDifferences.length > 0 && isSelected(address) ? [address] : [],
  );
  const left = owned.filter(isSelected);
  const what = left.length === 1 ? `${left[0]} belongs` : `${left.length} objects belong`;
  const [has, restore] =
    left.length === 1 ? ['has', 'the entry, or list it'] : ['have', 'the entries, or list them'];
  return [
    ...(match === undefined ? [] : [`No object without an entry has a name that matches "${match}".`]),
    ...(differs.length === 0 ? [] : [`What differs in ${differs.join(', ')} is under \`ignore\`.`]),
    ...(left.length === 0
      ? []
      : [`${what} to this project but ${has} no entry: restore ${restore} under \`removed\`.`]),
  ];
}
