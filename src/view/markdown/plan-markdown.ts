import { isDiagnostic, isRefusal, isRisk, type Risk } from '../../model/finding.js';
import { groupBy } from '../../model/json.js';
import { type Change, type Link, type Plan, subgraphOf } from '../../model/plan.js';
import { andMore, count, some, wordList } from '../../model/words.js';
import {
  byRisk,
  type ChangeView,
  changeViews,
  deliversSecret,
  isInventoryOnly,
  needsList,
  sentencesOf,
} from '../change-view.js';
import { fits } from '../columns.js';
import { escapeControls } from '../escape.js';
import { type FieldView, fieldLine, fieldParts } from '../field-view.js';
import { graphMermaid } from '../graph/graph-formats.js';
import {
  basisFacts,
  countsOf,
  factSentence,
  type PlaceUrl,
  refusalTitle,
  restCommand,
  shownAndRest,
  totalFacts,
  verdictOf,
} from '../plan-words.js';
import { changeMarkdown, LONGEST_SENTENCE } from './change-markdown.js';
import { markdownCode, markdownFence, markdownMarker, shortCode, shortProse } from './markdown-escape.js';
import {
  budgetBelow,
  type Filled,
  fillWarnings,
  fold,
  hiddenWarnings,
  type MarkdownOptions,
  type PageItem,
  pageText,
  projectMarkdown,
  section,
  settingCode,
  shownLines,
  tooLong,
  warningsSection,
} from './page-parts.js';

/** Reserved for headings and for the note on what is left out. */
const RESERVED_SIZE = 3_000;
/** Of the risks of the plan as a whole, which come before all changes. In the unit of the limit. */
const SETTINGS_SIZE = 16_000;
const MOST_REFUSALS = 10;
/** Owners that the top of the page names. */
const MOST_OWNERS = 10;
/** Longer lists of what only the inventory records are folded. */
const MOST_INVENTORY_LINES = 5;
/** In a long plan, only the first of similar changes are shown. */
const MOST_ALIKE = 5;
/** So many changes that say the same are worth a sentence of their own. */
const FEWEST_WITH_SENTENCE = 3;
/** A graph with more arrows is unreadable. */
const MOST_LINKS = 60;

/**
 * The plan as a comment on a pull request (contract §6, markdown): counts, digest and errors, risky changes, the rest by
 * kind, dependency graph, warnings; what is long is folded. Never over the limit: deletes and credentials are shown in full
 * before anything else, and what does not fit is counted. In a long plan, like changes without a risk are one item.
 */
export function planMarkdown(plan: Plan, options: MarkdownOptions = {}): string {
  const { urlOf = () => null, pageUrl = null, verbose } = options;
  const views = changeViews(plan);
  const groups = byRisk(views);
  const top = header(plan);
  const told = shownAndRest(plan.findings.filter(isDiagnostic), { command: 'roster plan ', verbose });

  // In the order in which they get room, which is not that of the page.
  const budget = budgetBelow([top, told.rest, pageUrl].join('\n'), RESERVED_SIZE, options);
  const settings = budget.fillUpTo(SETTINGS_SIZE, plan.findings.filter(isRisk), settingItem);
  const fill = (list: readonly ChangeView[]) => {
    const [said, fields] = [sharedSentences(list), sharedFields(list)];
    const placed = budget.place(said.length + fields.length === 0 ? [] : [eachOf(list, said, fields)]);
    const above = new Set(placed.length === 0 ? [] : said);
    const known = new Set(placed.length === 0 ? [] : fields);
    const items = list.map((each) => alone(without(known, each)));
    const filled = budget.fill(items, (each) => likeItem(each, urlOf, above));
    return { ...filled, lines: [...placed, ...shownLines(filled)] };
  };
  const delivered = fill(groups.deliveries);
  const deleted = fill(groups.deletes);
  const credentials = fill(groups.credentials);
  const risky = fill(groups.risky);
  const warnings = fillWarnings(budget, told.shown, urlOf);
  const drawn = touchedGraph(plan);
  const graph = budget.place(drawn);
  const alike = needsList(views) ? likeChanges(groups.others) : groups.others.map(alone);
  const others = budget.fill(alike, (each) => likeItem(each, urlOf));
  const omitted = [
    ...hiddenRisks(settings),
    ...omissions([delivered, deleted, credentials, risky, others]),
    ...hiddenWarnings(warnings),
    ...(graph.length < drawn.length ? ['the graph left out'] : []),
  ];

  return pageText([
    top,
    ...tooLong('plan', omitted, pageUrl),
    ...section('### Risky changes', [
      ...section('#### Settings', shownLines(settings)),
      ...section('#### Deletes', deleted.lines),
      ...section('#### Credentials', [...delivered.lines, ...credentials.lines]),
      ...section('#### Other risks', risky.lines),
    ]),
    ...changesSection(others),
    ...graph,
    ...warningsSection(warnings, told.rest, plan.findings.some(isRefusal)),
  ]);
}

function header(plan: Plan): string {
  const { project, environment, digest } = plan;
  const [verdict, rest] = verdictOf(plan);
  const basis = basisFacts(plan).filter(({ label }) => label !== 'Service');
  const codes = basis.filter(({ isCode }) => isCode);
  const prose = basis.filter(({ isCode }) => !isCode);
  const names = codes.map(({ label, value }) => `, ${label.toLowerCase()} ${settingCode(value)}`);
  return [
    markdownMarker('plan', project, environment),
    `**${verdict}**${rest} Digest ${shortCode(digest, 100)}`,
    '',
    `${projectMarkdown(plan)}${names.join('')}`,
    ...prose.flatMap((each) => ['', shortProse(factSentence(each))]),
    ...totalFacts(plan).flatMap((each) => ['', factSentence(each)]),
    '',
    ...ownersLines(plan.changes),
    ...deleteLines(plan.changes),
    ...refusalLines(plan),
  ].join('\n');
}

/** Whose change it is: `Owners: @acme/retail (3 changes), nobody (1 change)`. None without CODEOWNERS. */
function ownersLines(changes: readonly Change[]): string[] {
  const owned = changes.filter(({ owners }) => owners !== undefined);
  const names = [...new Set(owned.flatMap(({ owners = [] }) => owners))];
  if (names.length === 0) return [];
  const counts = names.map((name) => {
    const number = owned.filter(({ owners = [] }) => owners.includes(name)).length;
    return `${shortCode(name, 100)} (${count(number, 'change')})`;
  });
  const rest = owned.filter(({ owners = [] }) => owners.length === 0).length;
  const others = rest === 0 ? [] : [`nobody (${count(rest, 'change')})`];
  return [`Owners: ${some([...counts, ...others], MOST_OWNERS)}.`, ''];
}

/** At the top, before what may be a long list of changes. */
function deleteLines(changes: readonly Change[]): string[] {
  const deletes = changes.filter(({ action }) => action === 'delete');
  if (deletes.length === 0) return [];
  const kinds = [...groupBy(deletes, ({ kind }) => kind)];
  const counts = kinds.map(([kind, all]) => count(all.length, kind));
  return ['> [!WARNING]', `> **Deletes ${wordList(counts, 'and')}.**`, ''];
}

function refusalLines(plan: Plan): string[] {
  const refusals = plan.findings.filter(isRefusal);
  if (refusals.length === 0) return [];
  const lines = refusals.slice(0, MOST_REFUSALS).map(({ code, message, help }) => {
    const advice = help === '' ? '' : ` (help: ${shortProse(help)})`;
    return `> - ${shortProse(message)}${advice} ${shortCode(code, 60)}`;
  });
  const left = refusals.length - lines.length;
  const rest = restCommand(plan);
  return [
    '> [!CAUTION]',
    `> **${refusalTitle(plan)}:**`,
    '>',
    ...lines,
    ...(left > 0 ? [`> - …${andMore(left)}`] : []),
    ...(rest === null ? [] : ['>', `> To apply the rest: ${shortCode(rest, LONGEST_SENTENCE)}`]),
    '',
  ];
}

/** A risk of the plan as a whole. An inventory or a pull request can make hundreds. */
function settingItem({ message }: Risk): PageItem {
  const text = `- ${shortProse(message, LONGEST_SENTENCE)}`;
  const shortened = isLong(message) ? 1 : 0;
  return { short: text, full: () => ({ text, shortened }), shortened };
}

function isLong(sentence: string): boolean {
  return !fits(escapeControls(sentence), LONGEST_SENTENCE);
}

function hiddenRisks({ items, texts, shortened }: Filled<Risk>): string[] {
  const left = items.length - texts.length;
  return [
    ...(left === 0 ? [] : [`${count(left, 'risk')} of the settings left out`]),
    ...(shortened === 0 ? [] : [`${count(shortened, 'risk')} of the settings not shown in full`]),
  ];
}

/** What is said of each of these changes, and so needs to be said only once. What would be cut is said, and counted, with each. */
function sharedSentences(views: readonly ChangeView[]): string[] {
  const [first, ...rest] = views.map((each) => new Set(sentencesOf(each)));
  if (first === undefined || views.length < FEWEST_WITH_SENTENCE) return [];
  return [...first].filter(
    (each) => /\S/.test(each) && !isLong(each) && rest.every((others) => others.has(each)),
  );
}

/** The values that all of many deleted objects had. In a short list, they are read beside each object. */
function sharedFields(views: readonly ChangeView[]): string[] {
  if (!needsList(views) || !views.every(({ change }) => change.action === 'delete')) return [];
  const [first = new Set<string>(), ...rest] = views.map(
    ({ fields }) => new Set(fieldParts(fields).onLine.map(phraseOf)),
  );
  return [...first].filter((each) => rest.every((others) => others.has(each)));
}

function phraseOf(field: FieldView): string {
  return fieldLine({ onLine: [field], below: [] }, markdownCode) ?? '';
}

function without(known: ReadonlySet<string>, view: ChangeView): ChangeView {
  return known.size === 0
    ? view
    : { ...view, fields: view.fields.filter((each) => !known.has(phraseOf(each))) };
}

function eachOf(
  views: readonly ChangeView[],
  sentences: readonly string[],
  fields: readonly string[],
): string {
  const texts = [
    ...sentences.map((each) => shortProse(each, LONGEST_SENTENCE)),
    ...(fields.length === 0 ? [] : [fields.join(', ')]),
  ];
  return `Each of these ${views.length} changes: ${texts.join('; ')}.\n`;
}

/** Changes that a reviewer reads as one: the same action on the same kind of entry of one file. */
interface LikeChanges {
  readonly views: readonly [ChangeView, ...ChangeView[]];
  /** Null for a change that is shown by itself, otherwise what they have in common. */
  readonly common: string | null;
}

function alone(view: ChangeView): LikeChanges {
  return { views: [view], common: null };
}

/**
 * The first few of each group of like changes, and the number of the others. An update is like others only if it changes
 * the same values to the same.
 */
function likeChanges(views: readonly ChangeView[]): LikeChanges[] {
  const groups = groupBy(views, (view) => {
    const { action, kind, source, address } = view.change;
    const what = action === 'update' ? (valuesOf(view) ?? address) : '';
    return [action, kind, source?.file, what].join('\n');
  });
  return [...groups.values()].flatMap((group): LikeChanges[] => {
    const [first, ...rest] = group.slice(MOST_ALIKE);
    // A line for one more would say less than the change itself.
    if (first === undefined || rest.length === 0) return group.map(alone);
    return [...group.slice(0, MOST_ALIKE).map(alone), { views: [first, ...rest], common: inCommon(first) }];
  });
}

/** `update in teams/a.yaml: timeZone UTC → Europe/Berlin`. */
function inCommon(view: ChangeView): string {
  const { verb, change } = view;
  const file = change.source === null ? '' : ` in ${shortCode(change.source.file, 120)}`;
  const values = change.action === 'update' ? `: ${valuesOf(view)}` : '';
  return `${verb}${file}${values}`;
}

/** Null for values that are too long to be compared at a glance. */
function valuesOf({ fields }: ChangeView): string | null {
  const parts = fieldParts(fields);
  return parts.below.length > 0 ? null : fieldLine(parts, markdownCode);
}

/** Their number, and all of them folded below it if there is room. */
function likeItem({ views, common }: LikeChanges, urlOf: PlaceUrl, said?: ReadonlySet<string>): PageItem {
  const [first] = views;
  if (common === null) return changeMarkdown(first, urlOf, said);
  const short = `- … and ${count(views.length, `more ${first.change.kind}`)} (${common})`;
  const full = () => {
    const items = views.map((each) => changeMarkdown(each, urlOf).full());
    const lines = fold(
      `The other ${views.length}`,
      items.flatMap(({ text }) => text.split('\n')),
    );
    return {
      text: [short, '', ...lines.map((each) => (each === '' ? '' : `  ${each}`))].join('\n'),
      shortened: items.reduce((sum, each) => sum + each.shortened, 0),
    };
  };
  return { short, full, shortened: 0 };
}

/** All other changes, by kind, then what only the inventory records. */
function changesSection(others: Filled<LikeChanges>): string[] {
  const isRecorded = ({ views: [first] }: LikeChanges) => isInventoryOnly(first);
  const recorded = others.items.filter(isRecorded);
  const kinds = groupBy(
    others.items.filter((each) => !isRecorded(each)),
    ({ views: [first] }) => first.change.kind,
  );
  return section('### Changes', [
    ...[...kinds].flatMap(([kind, items]) => {
      const title = `${kind.charAt(0).toUpperCase()}${kind.slice(1)}s: ${countsOfAll(items)}`;
      const ofKind = new Set(items);
      return section(
        `#### ${title}`,
        shownLines(others, (each) => ofKind.has(each)),
      );
    }),
    ...inventorySection(
      `Inventory only: ${countsOfAll(recorded)}`,
      shownLines(others, isRecorded),
      recorded.length,
    ),
  ]);
}

function inventorySection(title: string, lines: readonly string[], number: number): string[] {
  if (lines.length === 0) return [];
  return number > MOST_INVENTORY_LINES ? fold(title, lines) : [`#### ${title}`, '', ...lines];
}

function countsOfAll(items: readonly LikeChanges[]): string {
  return countsOf(items.flatMap(({ views }) => views.map(({ change }) => change)));
}

/** Counts the changes that the limit left out, by kind. */
function omissions(parts: readonly Filled<LikeChanges>[]): string[] {
  const left = parts
    .flatMap(({ items, texts }) => items.slice(texts.length))
    .flatMap(({ views }) => views.map(({ change }) => change));
  const withoutDetails = parts.flatMap(({ items, texts, fullCount }) => items.slice(fullCount, texts.length));
  const counted = withoutDetails.flatMap(({ views, common }) => (common === null ? [] : views));
  const bare = withoutDetails.filter(({ common }) => common === null).length;
  const shortened = parts.reduce((sum, each) => sum + each.shortened, 0);
  return [
    ...undelivered(left.filter(deliversSecret)),
    ...[...groupBy(left, ({ kind }) => kind)].map(
      ([kind, those]) => `${count(those.length, kind)} left out (${countsOf(those)})`,
    ),
    ...(counted.length === 0 ? [] : [`${count(counted.length, 'change')} counted but not listed`]),
    ...(bare === 0 ? [] : [`${count(bare, 'change')} shown without details`]),
    ...(shortened === 0 ? [] : [`${count(shortened, 'value')} not shown in full`]),
  ];
}

/** Names what may run a program and is not shown. */
function undelivered(left: readonly Change[]): string[] {
  if (left.length === 0) return [];
  const names = some(
    left.map(({ address }) => shortCode(address, 220)),
    5,
  );
  return [`destination not shown for ${count(left.length, 'new key')} (${names})`];
}

/**
 * The dependency graph around the changed resources, folded: it also shows what else depends on them. Left out if it is only
 * the arrow from a changed resource to its target.
 */
function touchedGraph({ changes, links }: Plan): string[] {
  const actions = new Map(
    changes.filter(({ action }) => action !== 'none').map((each) => [each.address, each.action]),
  );
  const near = subgraphOf({ nodes: nodesOf(links), links }, new Set(actions.keys()));
  const saysMore = near.links.length > 1 || near.links.some(({ from }) => !actions.has(from));
  if (!saysMore) return [];
  const shown = near.links.slice(0, MOST_LINKS);
  const left = near.links.length - shown.length;
  const graph = graphMermaid({ nodes: nodesOf(shown), links: shown }, actions);
  const title = `Dependency graph${left > 0 ? ` (${count(left, 'more arrow')} left out)` : ''}`;
  return fold(title, [markdownFence('mermaid', graph)]);
}

function nodesOf(links: readonly Link[]): string[] {
  return [...new Set(links.flatMap(({ from, to }) => [from, to]))];
}
