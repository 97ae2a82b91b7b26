import type { Diagnostic } from '../../model/diagnostic.js';
import type { Drift, Drifted } from '../../model/plan.js';
import { count } from '../../model/words.js';
import { nameBesideKey } from '../change-view.js';
import { fieldLine, fieldParts, fieldViews } from '../field-view.js';
import { groupedByOwner, type OwnedGroup } from '../owned.js';
import {
  driftCounts,
  driftNotKnown,
  factSentence,
  noDrift,
  type PlaceUrl,
  shownAndRest,
  unmanagedFact,
} from '../plan-words.js';
import { foldedFields, LONGEST_NAME, ownersMarkdown } from './change-markdown.js';
import { markdownCode, markdownMarker, shortCode } from './markdown-escape.js';
import {
  budgetBelow,
  type Filled,
  fillWarnings,
  hiddenWarnings,
  type MarkdownOptions,
  type PageItem,
  pageText,
  placeMarkdown,
  projectMarkdown,
  shownLines,
  tooLong,
  warningsSection,
} from './page-parts.js';

/** Reserved for what is left out. */
const RESERVED_SIZE = 1_000;

/**
 * What was changed outside roster, as an issue or a comment (contract §6, markdown): what was deleted, then each changed
 * field as last applied and as it is now. Never over the limit.
 */
export function driftMarkdown(drift: Drift, options: MarkdownOptions = {}): string {
  const { urlOf = () => null, verbose } = options;
  const top = header(drift);
  const told = shownAndRest(drift.diagnostics, { command: 'roster drift ', verbose });
  const budget = budgetBelow([...top, told.rest].join('\n'), RESERVED_SIZE, options);
  const isDeleted = ({ what }: Drifted) => what === 'deleted';
  const deletedFirst = [
    ...drift.changes.filter(isDeleted),
    ...drift.changes.filter((each) => !isDeleted(each)),
  ];
  const groups = groupedByOwner(deletedFirst);
  const titles = new Map(groups?.map((each) => [each.items[0], ownerTitle(each)]));
  const ordered = groups?.flatMap(({ items }) => items) ?? deletedFirst;
  const changes = budget.fill(ordered, (each) => under(titles.get(each), driftedItem(each, urlOf)));
  const warnings = fillWarnings(budget, told.shown, urlOf);
  return pageText([
    ...top,
    ...omissions(changes, warnings),
    ...shownLines(changes),
    ...warningsSection(warnings, told.rest),
  ]);
}

function header(drift: Drift): string[] {
  const counts = driftCounts(drift);
  const { verdict, says } = noDrift(drift);
  return [
    markdownMarker('drift', drift.project, drift.environment),
    counts === null
      ? `**${verdict}** ${says}`
      : `**Drift: ${counts}** outside roster since the last apply.${driftNotKnown(drift)}`,
    ...advice(drift),
    '',
    projectMarkdown(drift),
    ...unmanagedFact(drift.unmanaged).flatMap((each) => ['', factSentence(each)]),
    '',
  ];
}

/** A longer command is not read. */
const MOST_NAMED = 5;

/** An apply does not bring back what the manifests no longer declare, and is refused if the inventory describes another object. */
function advice({ changes, diagnostics }: Drift): string[] {
  const refused = diagnostics.filter(({ code }) => code === 'inventory-mismatch').length;
  if (refused > 0) {
    const what = count(refused, 'object');
    return ['', `An apply is refused while the inventory does not describe ${what}: see the warnings.`];
  }
  const declared = changes.filter(({ source }) => source !== null);
  if (declared.length === 0) return [];
  const which = declared.length === changes.length ? 'these changes' : 'the changes to declared resources';
  const addresses = declared.map(({ address }) => address);
  const named = addresses.length > MOST_NAMED ? 'ADDRESS…' : addresses.join(' ');
  const command = shortCode(`roster pull ${named}`, LONGEST_NAME);
  return ['', `The next apply reverts ${which} unless you accept them first: ${command}`];
}

/** `before` of a field is what was applied last, `after` what someone else has changed it to. */
function driftedItem(drifted: Drifted, urlOf: PlaceUrl): PageItem {
  const { what, address, id, source } = drifted;
  const name = nameBesideKey(drifted);
  const parts = fieldParts(fieldViews({ ...drifted, action: 'update', origin: 'remote' }));
  const line = fieldLine(parts, markdownCode);
  const words = [
    `- **${what === 'deleted' ? 'DELETED' : 'changed'}**`,
    shortCode(address, LONGEST_NAME),
    ...(name === null ? [] : [`named ${shortCode(name, LONGEST_NAME)}`]),
    ...(id === null ? [] : [`id ${shortCode(id, LONGEST_NAME)}`]),
    ...(source === null ? [] : [`at ${placeMarkdown(source, urlOf)}`]),
  ].join(' ');
  const heading = line === null ? words : `${words}: ${line}`;
  const full = () => {
    const folded = foldedFields(parts, null);
    return { text: [heading, ...folded.lines].join('\n'), shortened: folded.shortened };
  };
  return { short: heading, full, shortened: 0 };
}

/** As code: a mention would notify them. */
function ownerTitle({ items: [first] }: OwnedGroup<Drifted>): string {
  const owners = first?.owners ?? [];
  return owners.length === 0 ? '**Owned by nobody**' : `**Owned by** ${ownersMarkdown(owners)}`;
}

/** The first of its owners. A list ends before a line that is not a part of it. */
function under(title: string | undefined, item: PageItem): PageItem {
  if (title === undefined) return item;
  const titled = (text: string) => `\n${title}\n\n${text}`;
  const full = () => {
    const made = item.full();
    return { ...made, text: titled(made.text) };
  };
  return { ...item, short: titled(item.short), full };
}

function omissions(changes: Filled<Drifted>, warnings: Filled<Diagnostic>): string[] {
  const left = changes.items.length - changes.texts.length;
  const bare = changes.texts.length - changes.fullCount;
  return tooLong('drift', [
    ...(left === 0 ? [] : [`${count(left, 'change')} left out`]),
    ...(bare === 0 ? [] : [`${count(bare, 'change')} shown without details`]),
    ...(changes.shortened === 0 ? [] : [`${count(changes.shortened, 'value')} not shown in full`]),
    ...hiddenWarnings(warnings),
  ]);
}
