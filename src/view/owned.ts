import { naturalOrder } from '../model/words.js';

/** What somebody may own. */
interface Owned {
  /** Missing where the repository does not say who owns what. */
  readonly owners?: readonly string[] | undefined;
}

export interface OwnedGroup<T> {
  /** `@acme/retail @ada`, as it came. Empty where nobody owns them. */
  readonly owners: string;
  readonly items: readonly T[];
}

/** The items by their owners, those that nobody owns last. Null where all have the same ones: that is no reason to group them. */
export function groupedByOwner<T extends Owned>(items: readonly T[]): readonly OwnedGroup<T>[] | null {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const owners = (item.owners ?? []).join(' ');
    const group = groups.get(owners) ?? [];
    group.push(item);
    groups.set(owners, group);
  }
  if (groups.size < 2) return null;
  const order = ([a]: readonly [string, T[]], [b]: readonly [string, T[]]) =>
    Number(a === '') - Number(b === '') || naturalOrder(a, b);
  return [...groups].sort(order).map(([owners, own]) => ({ owners, items: own }));
}

/** `owned by @acme/retail` */
export function ownedText({ owners }: Pick<OwnedGroup<unknown>, 'owners'>): string {
  return owners === '' ? 'owned by nobody' : `owned by ${owners}`;
}
