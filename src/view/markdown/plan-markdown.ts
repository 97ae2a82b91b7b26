import type { Diagnostic } from '../../model/diagnostic.js';
import { isDiagnostic, type Risk } from '../../model/finding.js';
import { groupBy } from '../../model/json.js';
import { type Change, type Link, type Plan, subgraphOf } from '../../model/plan.js';
import { andMore, count, some, wordList } from '../../model/words.js';
import type { ChangeBlock } from '../alike.js';
import { type ChangeView, deliversSecret } from '../change-view.js';
import { fits } from '../columns.js';
import { escapeControls } from '../escape.js';
import { graphMermaid } from '../graph/graph-formats.js';
import { type PlanPage, planPage, type StartsView } from '../plan-page.js';
import {
  countsOf,
  factSentence,
  type PlanFact,
  refusalTitle,
  shownAndRest,
  startsText,
} from '../plan-words.js';
import { alikeMarkdown, isListed } from './alike-markdown.js';
import { changeMarkdown, LONGEST_SENTENCE, ownersMarkdown, type PageContext } from './change-markdown.js';
import {
  markdownFence,
  markdownMarker,
  markdownTable,
  shortCode,
  shortProse,
  tableCode,
} from './markdown-escape.js';
import {
  budgetBelow,
  type Filled,
  fillWarnings,
  fold,
  hiddenWarnings,
  type MarkdownOptions,
  type PageItem,
  pageText,
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
/** In a plan with more changes, those that are alike are not listed each: a comment is short. */
const MOST_LISTED = 300;
/** Agents in the first line. */
const MOST_AGENTS_NAMED = 4;
/** Agents in the table of starts. */
const MOST_AGENTS = 20;
/** A graph with more arrows is unreadable. */
const MOST_LINKS = 60;

/**
 * The plan as a comment on a pull request (contract §6, §18): the verdict, risks, the other changes, what starts more or less
 * often, and what the plan rests on; what is long is folded. Never over the limit: deletes and credentials are shown
 * before anything else, and what does not fit is counted.
 */
export function planMarkdown(plan: Plan, options: MarkdownOptions = {}): string {
  const { urlOf = () => null, pageUrl = null, verbose } = options;
  const page = planPage(plan, { verbose });
  const top = header(plan, page);
  const bottom = footer(page);
  const diagnostics = plan.findings.filter((each) => isDiagnostic(each));
  const told = shownAndRest(
    diagnostics.filter(({ severity }) => severity !== 'error'),
    { command: 'roster plan ', verbose },
  );

  // In the order in which they get room, which is not that of the page.
  const budget = budgetBelow([top, bottom, told.rest, pageUrl].join('\n'), RESERVED_SIZE, options);
  const listsAll = plan.changes.filter(({ action }) => action !== 'none').length <= MOST_LISTED;
  const context = { urlOf, owners: page.owners, listsAll };
  const fill = (blocks: readonly ChangeBlock[]) => budget.fill(blocks, (each) => blockItem(each, context));
  const settings = budget.fillUpTo(SETTINGS_SIZE, page.risks, settingItem);
  const careful = fill(page.risky.filter(needsCare));
  const risky = fill(page.risky.filter((each) => !needsCare(each)));
  const warnings = fillWarnings(budget, told.shown, urlOf);
  const starts = budget.place(startsFold(page.starts));
  const drawn = touchedGraph(plan);
  const graph = budget.place(drawn ?? []);
  const others = fill(page.others);
  const omitted = [
    ...hiddenRisks(settings),
    ...omissions([careful, risky, others], context),
    ...hiddenWarnings(warnings),
    ...(drawn === null || graph.length < drawn.length ? ['the graph left out'] : []),
  ];

  const risks = [settings, careful, risky].flatMap((each) => shownLines<unknown>(each));
  return pageText([
    top,
    ...tooLong('plan', omitted, pageUrl),
    ...section('### Risks', risks),
    ...othersSection(page, shownLines(others), risks.length > 0),
    ...starts,
    ...graph,
    ...warningsSection(warnings, told.rest, page.refusals.length + page.errors.length > 0),
    bottom,
  ]);
}

function needsCare({ views: [first] }: ChangeBlock): boolean {
  return first.needsCare;
}

function header(plan: Plan, page: PlanPage): string {
  const { verdict, starts, owners } = page;
  return [
    markdownMarker('plan', plan.project, plan.environment),
    [
      /[.]$/.test(verdict) ? verdict : `**Plan: ${verdict}.**`,
      ...startsSentence(starts),
      ...(owners.length === 0 ? [] : [`Owned by ${ownersMarkdown(owners)}.`]),
    ].join(' '),
    '',
    ...refusalLines(plan, page),
    ...errorLines(page.errors),
    ...deleteLines(plan.changes),
  ].join('\n');
}

/** `Agent starts a week: 111 → 133 (+22).` Where only agents change, and not the total, it names them. */
function startsSentence(starts: StartsView | null): string[] {
  if (starts === null) return [];
  if (starts.total !== null) return [`Agent starts a week: ${starts.total}.`];
  const agents = starts.agents.map(
    ({ agent, before, after }) => `${shortCode(agent, 100)} ${startsText(before)} → ${startsText(after)}`,
  );
  return [`Agent starts a week: the same in total, ${some(agents, MOST_AGENTS_NAMED)}.`];
}

/** What the plan rests on, in small print. */
function footer({ basis, totals, digest }: PlanPage): string {
  const facts = [...basis.map(factMarkdown), ...totals.map(factMarkdown), `Digest ${shortCode(digest, 100)}`];
  return `\n<sub>${facts.join(' · ')}</sub>\n`;
}

function factMarkdown({ label, value, isCode, override }: PlanFact): string {
  if (!isCode) return proseFact(factSentence({ label, value, isCode }).replace(/\.$/, ''));
  const above =
    override === undefined ? '' : ` (\`${override.setBy}\` overrides ${settingCode(override.declared)})`;
  return `${label.toLowerCase()} ${settingCode(value)}${above}`;
}

/** `Not managed here: 1 key` and, as code, the command that shows more. */
function proseFact(sentence: string): string {
  const [, said = sentence, command] = /^(.*) \((roster .*)\)$/.exec(sentence) ?? [];
  return command === undefined
    ? shortProse(said)
    : `${shortProse(said)} (${shortCode(command, LONGEST_SENTENCE)})`;
}

/** At the top, before what may be a long list of changes. */
function deleteLines(changes: readonly Change[]): string[] {
  const deletes = changes.filter(({ action }) => action === 'delete');
  if (deletes.length === 0) return [];
  const kinds = [...groupBy(deletes, ({ kind }) => kind)];
  const counts = kinds.map(([kind, all]) => count(all.length, kind));
  return ['> [!WARNING]', `> **Deletes ${wordList(counts, 'and')}.**`, ''];
}

function refusalLines(plan: Plan, { refusals, restCommand: rest }: PlanPage): string[] {
  if (refusals.length === 0) return [];
  const lines = refusals.slice(0, MOST_REFUSALS).map(({ code, message, help }) => {
    const advice = help === '' ? '' : ` (help: ${shortProse(help)})`;
    return `> - ${shortProse(message)}${advice} ${shortCode(code, 60)}`;
  });
  const left = refusals.length - lines.length;
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

/** A rehearsal has a few. */
const MOST_ERRORS = 5;

function errorLines(errors: readonly Diagnostic[]): string[] {
  if (errors.length === 0) return [];
  const lines = errors.slice(0, MOST_ERRORS).map(({ code, message, help }) => {
    const advice = help === undefined ? '' : ` (help: ${shortProse(help)})`;
    return `> - ${shortProse(message, LONGEST_SENTENCE)}${advice} ${shortCode(code, 60)}`;
  });
  const left = errors.length - lines.length;
  const more = left > 0 ? [`> - …${andMore(left)}`] : [];
  return ['> [!CAUTION]', '> **This plan has errors:**', '>', ...lines, ...more, ''];
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

function blockItem({ views, alike }: ChangeBlock, context: PageContext): PageItem {
  return alike === null ? changeMarkdown(views[0], context) : alikeMarkdown(views, alike, context);
}

/** Folded below risks, which are read first. */
function othersSection({ otherCounts }: PlanPage, lines: readonly string[], isFolded: boolean): string[] {
  if (lines.length === 0) return [];
  return isFolded ? fold(`Other changes: ${otherCounts}`, lines) : section('### Changes', lines);
}

/** The agents that start more or less often, folded. */
function startsFold(starts: StartsView | null): string[] {
  if (starts === null || starts.agents.length === 0) return [];
  const shown = starts.agents.slice(0, MOST_AGENTS);
  const rows = shown.map(({ agent, before, after }) => [
    tableCode(agent),
    startsText(before),
    startsText(after),
  ]);
  const left = starts.agents.length - shown.length;
  const more = left === 0 ? [] : ['', `…${andMore(left)}`];
  return fold('Starts a week by agent', [...markdownTable(['agent', 'before', 'after'], rows), ...more]);
}

/** Counts the changes that the limit left out, by kind. */
function omissions(parts: readonly Filled<ChangeBlock>[], context: PageContext): string[] {
  const changesOf = (blocks: readonly ChangeBlock[]) =>
    blocks.flatMap(({ views }) => views.map(({ change }: ChangeView) => change));
  const left = changesOf(parts.flatMap(({ items, texts }) => items.slice(texts.length)));
  const withoutDetails = parts.flatMap(({ items, texts, fullCount }) => items.slice(fullCount, texts.length));
  const unlisted = parts.flatMap(({ items, texts, fullCount }) =>
    items
      .slice(0, texts.length)
      .filter(
        ({ views, alike }, index) => alike !== null && (index >= fullCount || !isListed(views, context)),
      ),
  );
  const counted = changesOf(unlisted).length;
  const bare = withoutDetails.filter(({ alike }) => alike === null).length;
  const shortened = parts.reduce((sum, each) => sum + each.shortened, 0);
  return [
    ...undelivered(left.filter(deliversSecret)),
    ...[...groupBy(left, ({ kind }) => kind)].map(
      ([kind, those]) => `${count(those.length, kind)} left out (${countsOf(those)})`,
    ),
    ...(counted === 0 ? [] : [`${count(counted, 'change')} counted but not listed`]),
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
 * The dependency graph around the changed resources, folded: it also shows what else depends on them. Empty if it has only
 * arrows from changed resources to their targets, each to another one: the changes say them. Null if it would be unreadable.
 */
function touchedGraph({ changes, links }: Plan): string[] | null {
  const actions = new Map(
    changes.filter(({ action }) => action !== 'none').map((each) => [each.address, each.action]),
  );
  const near = subgraphOf({ nodes: nodesOf(links), links }, new Set(actions.keys()));
  const ends = near.links.flatMap(({ from, to }) => [from, to]);
  const saysMore = new Set(ends).size < ends.length || near.links.some(({ from }) => !actions.has(from));
  if (!saysMore) return [];
  if (near.links.length > MOST_LINKS) return null;
  const graph = graphMermaid({ nodes: nodesOf(near.links), links: near.links }, actions);
  return fold('Dependency graph', [markdownFence('mermaid', graph)]);
}

function nodesOf(links: readonly Link[]): string[] {
  return [...new Set(links.flatMap(({ from, to }) => [from, to]))];
}
