import type { Refusal, Risk } from '../../model/finding.js';
import type { Plan } from '../../model/plan.js';
import { agree, count } from '../../model/words.js';
import type { ChangeBlock } from '../alike.js';
import { type ChangeView, factsOf } from '../change-view.js';
import { cut, fits, pad, widthOf } from '../columns.js';
import { escapeControls, quoted } from '../escape.js';
import { valueText } from '../field-view.js';
import { type PlanPage, planPage, type StartsView } from '../plan-page.js';
import {
  factSentence,
  type PageSubject,
  type PlanFact,
  refusalTitle,
  serviceFact,
  startsText,
  uncountedFacts,
} from '../plan-words.js';
import { alikeText } from './alike-text.js';
import { changeText, nameAndId, riskLines, type ShownText } from './change-text.js';
import {
  blockTexts,
  countsLine,
  type Fragment,
  flow,
  folded,
  hangingIndent,
  indent,
  joinBlocks,
  type TextLayout,
  type TextOptions,
  textLayout,
  wrap,
} from './layout.js';

export interface PlanTextOptions extends TextOptions {
  /** One line for each change, without details. */
  readonly summary?: boolean | undefined;
}

/**
 * The plan for a terminal (contract §6, §18), with the summary as the last line, which is never broken. Diagnostics are left
 * out: they go to stderr.
 */
export function planText(plan: Plan, options: PlanTextOptions): string {
  return joinBlocks(planBlocks(plan, options));
}

/** The same text in pieces: the whole text of a large plan takes more memory than the plan. */
export function planTextPieces(plan: Plan, options: PlanTextOptions): Iterable<string> {
  return blockTexts(planBlocks(plan, options));
}

function* planBlocks(plan: Plan, options: PlanTextOptions): Generator<readonly string[]> {
  const layout = textLayout(options);
  const { paint, width } = layout;
  const { summary = false } = options;
  const page = planPage(plan, { verbose: summary || layout.verbose });
  const inList = listText(page, layout);
  const textOf = (each: ChangeBlock) => (summary ? inList(each) : blockText(each, page, layout));
  const risks = planRiskLines(page.risks, layout);
  const hasRisks = risks.length + page.risky.length > 0;
  // The last line says the same.
  const isSaidLast = page.verdict === page.lastLine;
  const verdict = isSaidLast ? [] : page.verdict.split(' · ');
  const top = [...verdict, ...ownersLines(page, width)].map((text) => ({ text }));
  yield flow(top, width, ' · ').map((line) => paint('strong', line));
  yield refusalLines(plan, page, layout);
  const heading = hasRisks ? [paint('danger', 'RISKS'), ...risks] : [];
  const risky = yield* section(heading, page.risky, textOf, layout);
  const otherTitle = paint('strong', hasRisks ? 'OTHER CHANGES' : 'CHANGES');
  const others = yield* section(page.others.length === 0 ? [] : [otherTitle], page.others, textOf, layout);
  yield shortenedLines(risky + others, layout);
  yield summary ? [] : togetherLines(page, layout);
  yield startsLines(page.starts, layout);
  yield [
    ...basisLines(page, layout),
    ...page.totals.map(factSentence),
    countsLine(page.lastLine, 'strong', paint),
  ];
}

/** The project and the service, as every text about them begins. */
export function headerLines(subject: PageSubject, layout: TextLayout): string[] {
  const { project, environment } = subject;
  return [...projectLines(project, environment, layout), ...factLines(serviceFact(subject), layout)];
}

export function projectLines(
  project: string,
  environment: string | null,
  { width, paint }: TextLayout,
): string[] {
  const where = environment === null ? '' : `, environment ${escapeControls(environment)}`;
  return foldedLine(`Project ${escapeControls(project)}${where}`, width).map((line) => paint('strong', line));
}

/** `Service https://…`, and ``(`ROSTER_URL` overrides https://…)`` below it. Prose is what a reviewer must look at. */
export function factLines(
  { label, value, isCode, override }: PlanFact,
  { width, paint }: TextLayout,
): string[] {
  const text = `${label} ${escapeControls(value)}`;
  if (!isCode) return wrap(text, width).map((line) => paint('warning', line));
  const lines = foldedLine(text, width);
  if (override === undefined) return lines;
  const above = `  (\`${override.setBy}\` overrides ${escapeControls(override.declared)})`;
  return [...lines, ...foldedLine(above, width).map((line) => paint('warning', line))];
}

function foldedLine(text: string, width: number): string[] {
  const [first = '', ...rest] = folded(text, width - 6);
  return fits(text, width) ? [text] : [first, ...indent(rest, 6)];
}

/** Right above the summary, which does not count them. Always one line each, so that people and scripts find them. */
export function uncountedLines(plan: Plan): string[] {
  return uncountedFacts(plan).map(factSentence);
}

export function planRiskLines(risks: readonly Risk[], layout: TextLayout): string[] {
  const inner = { ...layout, width: layout.width - 2 };
  return indent(
    riskLines(
      risks.map(({ message }) => message),
      inner,
    ),
    2,
  );
}

/**
 * A title, and the changes below it. With `verbose`, each is a block of its own, so that no text of many changes is in
 * memory as a whole. Returns how many values are not shown in full.
 */
function* section(
  lines: readonly string[],
  blocks: readonly ChangeBlock[],
  textOf: (block: ChangeBlock) => ShownText,
  { verbose }: TextLayout,
): Generator<readonly string[], number> {
  let shortened = 0;
  let together = [...lines];
  for (const block of blocks) {
    const text = textOf(block);
    shortened += text.shortened;
    for (const line of text.lines) together.push(line);
    if (!verbose) continue;
    yield together;
    together = [];
  }
  yield together;
  return shortened;
}

/** Says how to see each of the changes that a block stands for. */
function togetherLines({ risky, others }: PlanPage, { width, paint }: TextLayout): string[] {
  if ([...risky, ...others].every(({ alike }) => alike === null)) return [];
  const text = 'Changes that are alike are shown together. `-v` shows each of them.';
  return wrap(text, width).map((line) => paint('faint', line));
}

function blockText({ views, alike }: ChangeBlock, page: PlanPage, layout: TextLayout): ShownText {
  return alike === null
    ? changeText(views[0], page, layout)
    : { lines: alikeText(views, alike, page, layout), shortened: 0 };
}

/** Agents that are named. */
const MOST_AGENTS = 6;

/** `STARTS A WEEK  111 → 133 (+22)`, and below it the agents that start more or less often. */
function startsLines(starts: StartsView | null, { width, paint }: TextLayout): string[] {
  if (starts === null) return [];
  const title = 'STARTS A WEEK  ';
  const inner = width - title.length;
  const named = starts.agents.slice(0, MOST_AGENTS);
  const left = starts.agents.length - named.length;
  const agents = named.map(
    ({ agent, before, after }) => `${escapeControls(agent)} ${startsText(before)} → ${startsText(after)}`,
  );
  const texts = left === 0 ? agents : [...agents, count(left, 'more agent')];
  const fragments = texts.flatMap((text) => folded(text, inner)).map((text) => ({ text }));
  const lines = [...wrap(starts.total ?? 'the same in total', inner), ...flow(fragments, inner, ' · ')];
  return hangingIndent(title, lines).map((line) => line.replace(title, paint('strong', title)));
}

/** Those of every change. */
function ownersLines({ owners }: PlanPage, width: number): string[] {
  return owners.length === 0 ? [] : wrap(`owned by ${owners.map(escapeControls).join(' ')}`, width);
}

/** `Project pricing · Service https://… · Inventory roster.inventory.json`, and what a reviewer must look at. */
function basisLines({ basis, digest }: PlanPage, layout: TextLayout): string[] {
  const { width, paint } = layout;
  const text = ({ label, value }: PlanFact) => `${label} ${escapeControls(value)}`;
  const isShort = (fact: PlanFact) => fact.isCode && fact.override === undefined && fits(text(fact), width);
  const names = basis.filter(isShort).map((fact): Fragment => {
    return { text: text(fact), shown: paint('faint', text(fact)) };
  });
  const rest = basis.filter((fact) => !isShort(fact));
  return [
    ...flow(names, width, ' · '),
    ...rest.flatMap((each) => factLines(each, layout)),
    paint('faint', `Digest: ${escapeControls(digest)}`),
  ];
}

/** Longer addresses and names are not aligned, or cut. */
const WIDEST_COLUMN = 40;
/** Columns of what is said of a change in the list. What a reviewer must not overlook is never cut. */
const LONGEST_LIST_TEXT = 160;

/** A change as one line, which is never broken: its symbol, its address, and what changes in a few words. */
function listText({ risky, others }: PlanPage, layout: TextLayout): (block: ChangeBlock) => ShownText {
  const addresses = [...risky, ...others].map(({ views: [{ change }] }) => escapeControls(change.address));
  const column = Math.min(
    WIDEST_COLUMN,
    addresses.reduce((most, each) => Math.max(most, widthOf(each)), 0),
  );
  return ({ views: [view] }) => ({ lines: [listLine(view, column, layout)], shortened: 0 });
}

function listLine(view: ChangeView, column: number, { paint }: TextLayout): string {
  const { change, symbol, style, remarks, risks, notes, needsCare } = view;
  const address = pad(escapeControls(change.address), column);
  const sentences = [risks.map(({ besideCadence }) => besideCadence), notes].flatMap((list) => {
    const text = list.map(escapeControls).join('; ');
    return text === '' ? [] : [needsCare ? text : cut(text, LONGEST_LIST_TEXT)];
  });
  const line = [
    `${paint(change.action === 'delete' ? 'danger' : style, symbol)} ${paint('strong', address)}`,
    ...whatChanges(view),
    ...deliveries(view),
    ...[...remarks.map((each) => `(${each})`), ...sentences].map((text) => paint('warning', text)),
  ];
  return `  ${line.join('  ')}`.trimEnd();
}

function whatChanges(view: ChangeView): string[] {
  const { change, name } = view;
  const all = factsOf(view);
  const facts = all.find((each) => fits(each.join('  '), LONGEST_LIST_TEXT)) ?? all.at(-1) ?? [];
  if (change.action === 'delete') return [...nameAndId(name, null), ...facts, ...nameAndId(null, change.id)];
  const isNamed = change.action !== 'update' && change.action !== 'replace' && name !== null;
  return [
    ...(isNamed ? [cut(quoted(name), WIDEST_COLUMN)] : []),
    ...facts.map((text) => cut(text, LONGEST_LIST_TEXT)),
  ];
}

/** `deliver {"file":".secrets/ci.key"}`: every character of it. */
function deliveries({ change }: ChangeView): string[] {
  const whole = change.fields.filter(({ layout }) => layout === 'whole');
  return whole.map(({ path, after }) => `${escapeControls(path)} ${valueText(after)}`);
}

/** What a reviewer has not seen is said once more, where every plan ends. */
function shortenedLines(shortened: number, { width, paint }: TextLayout): string[] {
  if (shortened === 0) return [];
  const what = `${count(shortened, 'value')} ${agree(shortened, 'is', 'are')} not shown in full.`;
  const text = `${what} \`roster plan --format json\` shows everything.`;
  return wrap(text, width).map((line) => paint('warning', line));
}

function refusalLines(plan: Plan, { refusals, restCommand: rest }: PlanPage, layout: TextLayout): string[] {
  if (refusals.length === 0) return [];
  return [
    layout.paint('danger', `${refusalTitle(plan)}:`),
    ...refusals.flatMap((each) => refusalText(each, layout)),
    ...(rest === null ? [] : ['To apply the rest:', `  ${escapeControls(rest)}`]),
  ];
}

function refusalText({ code, message, help, address }: Refusal, { width, paint }: TextLayout): string[] {
  const subject = address === null || message.includes(address) ? '' : `${escapeControls(address)}: `;
  const [first = '', ...rest] = wrap(`[${code}] ${subject}${escapeControls(message)}`, width - 6);
  // Indented deeper than the heading of a change, so that no message can look like one.
  const reason = [...indent([first], 2), ...indent(rest, 6)];
  const advice =
    help === '' ? [] : indent(hangingIndent('help: ', wrap(escapeControls(help), width - 10)), 4);
  return [...reason.map((line) => paint('danger', line)), ...advice];
}
