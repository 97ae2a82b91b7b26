import type { Change } from '../../model/plan.js';
import type { Risk } from '../../model/risk.js';
import { countsOf, isInventoryOnly, kindsOf } from './change-groups.js';
import { shortProse } from './markdown-escape.js';
import type { Filled } from './markdown-pack.js';

/** Longer lists of what only the inventory records are folded. */
const maxInventoryLines = 5;

interface RiskySections {
  readonly delivered: Filled<Change>;
  readonly careful: Filled<Change>;
  readonly risky: Filled<Change>;
}

/** What must be read, unfolded: settings, deletes, credentials, and all else that carries a risk. */
export function riskySection(
  risks: readonly string[],
  { delivered, careful, risky }: RiskySections,
): string[] {
  return section('### Risky changes', [
    ...risks,
    ...subsection('#### Deletes', careful, (change) => change.action === 'delete'),
    ...credentials(delivered, careful),
    ...subsection('#### Other risks', risky),
  ]);
}

/** The risks of the plan as a whole. There are few, and they are never left out. */
export function planRisks(risks: readonly Risk[]): string[] {
  if (risks.length === 0) return [];
  return ['#### Settings', '', ...risks.map(({ message }) => `- ${shortProse(message, 2_000)}`), ''];
}

function credentials(delivered: Filled<Change>, others: Filled<Change>): string[] {
  const title = '#### Credentials';
  const isCredential = (change: Change) => change.action !== 'delete';
  return [
    ...subsection(title, delivered),
    ...subsection(delivered.texts.length > 0 ? null : title, others, isCredential),
  ];
}

/** All other changes, by kind, then what only the inventory records. `isFolded` when a list of all changes comes first. */
export function changesSection(others: Filled<Change>, isFolded: boolean): string[] {
  const requested = others.items.filter((change) => !isInventoryOnly(change));
  const recorded = others.items.filter(isInventoryOnly);
  const ofKind = (kind: string) => (change: Change) => change.kind === kind && !isInventoryOnly(change);
  return section('### Changes', [
    ...kindsOf(requested).flatMap((kind) =>
      titled(
        kindTitle(kind, requested.filter(ofKind(kind))),
        isFolded,
        subsection(null, others, ofKind(kind)),
      ),
    ),
    ...titled(
      `Inventory only: ${countsOf(recorded)}`,
      isFolded || recorded.length > maxInventoryLines,
      subsection(null, others, isInventoryOnly),
    ),
  ]);
}

function titled(title: string, isFolded: boolean, lines: readonly string[]): string[] {
  if (lines.length === 0) return [];
  return isFolded ? fold(title, lines) : [`#### ${title}`, '', ...lines];
}

function kindTitle(kind: string, changes: readonly Change[]): string {
  return `${kind.charAt(0).toUpperCase()}${kind.slice(1)}s: ${countsOf(changes)}`;
}

/** The title must need no escaping. */
export function fold(title: string, lines: readonly string[]): string[] {
  return [`<details><summary>${title}</summary>`, '', ...lines, '', '</details>', ''];
}

export function section(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : [title, '', ...lines];
}

export function subsection<T>(
  title: string | null,
  { items, texts }: Filled<T>,
  only: (item: T) => boolean = () => true,
): string[] {
  const shown = texts.filter((_, index) => {
    const item = items[index];
    return item !== undefined && only(item);
  });
  return shown.length === 0 ? [] : [...(title === null ? [] : [title, '']), ...shown, ''];
}
