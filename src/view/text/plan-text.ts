import { isRefusal, isRisk, type Refusal, type Risk } from '../../model/finding.js';
import type { Plan } from '../../model/plan.js';
import { agree, count } from '../../model/words.js';
import { type ChangeView, changeViews, factsOf, needsList } from '../change-view.js';
import { cut, fits, pad, widthOf } from '../columns.js';
import { escapeControls, quoted } from '../escape.js';
import { valueText } from '../field-view.js';
import { actionLabels } from '../labels.js';
import {
  adoptedFact,
  basisFacts,
  factSentence,
  type PageSubject,
  type PlanFact,
  planLine,
  refusalTitle,
  restCommand,
  serviceFact,
  startsFacts,
  uncountedFacts,
} from '../plan-words.js';
import { changeText, nameAndId } from './change-text.js';
import {
  blockTexts,
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
 * The plan for a terminal (contract §4, §6): every acting change in plan order, why apply would refuse it, the digest, and the
 * summary as the last line, which is never broken. Diagnostics are left out: they go to stderr.
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
  const views = changeViews(plan);
  const isListed = summary || needsList(views);
  yield [
    ...projectLines(plan.project, plan.environment, layout),
    ...basisFacts(plan).flatMap((each) => factLines(each, layout)),
  ];
  yield planRiskLines(plan.findings.filter(isRisk), layout);
  if (isListed) yield* changeList(views, layout);
  const shortened = summary ? 0 : yield* changeBlocks(views, layout, isListed);
  yield refusalLines(plan, layout);
  yield shortenedLines(shortened, layout);
  yield [...adoptedFact(plan), ...startsFacts(plan)].flatMap((each) => wrap(factSentence(each), width));
  yield [`Digest: ${escapeControls(plan.digest)}`];
  yield [...uncountedLines(plan), paint('strong', planLine(plan))];
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

export function planRiskLines(risks: readonly Risk[], { width, paint }: TextLayout): string[] {
  const sentences = risks.flatMap(({ message }) =>
    hangingIndent('risk: ', wrap(escapeControls(message), width - 8)),
  );
  return indent(sentences, 2).map((line) => paint('danger', line));
}

/**
 * Blocks are separated by a blank line. Successive changes of one kind share a block if they are headings only. Where all
 * changes are listed, such headings would say the same again. Returns how many values are not shown in full.
 */
function* changeBlocks(
  views: readonly ChangeView[],
  layout: TextLayout,
  isListed: boolean,
): Generator<readonly string[], number> {
  let shortened = 0;
  let block: string[] = [];
  let last: { readonly kind: string; readonly bare: boolean } | null = null;
  for (const view of views) {
    const { lines, shortened: some } = changeText(view, layout);
    shortened += some;
    const bare = lines.length === 1;
    if (bare && isListed) continue;
    const { kind } = view.change;
    const joins = last?.bare === true && bare && last.kind === kind;
    if (joins) block.push(...lines);
    else {
      yield block;
      block = [...lines];
    }
    last = { kind, bare };
  }
  yield block;
  return shortened;
}

/** Longer addresses and names are not aligned, or cut. */
const WIDEST_COLUMN = 40;
/** Columns of what is said of a change in the list. What a reviewer must not overlook is never cut. */
const LONGEST_LIST_TEXT = 160;

/**
 * Every acting change as one line, which is never broken: its symbol, its address, and what changes in a few words.
 * Deletes and risky changes come first.
 */
function changeList(views: readonly ChangeView[], layout: TextLayout): string[][] {
  const isRisky = ({ risks, needsCare }: ChangeView) => risks.length > 0 || needsCare;
  const risky = views.filter(isRisky);
  const isDelete = ({ change }: ChangeView) => change.action === 'delete';
  const first = [...risky.filter(isDelete), ...risky.filter((each) => !isDelete(each))];
  const others = views.filter((each) => !isRisky(each));
  const widths = views.map(({ change }) => widthOf(escapeControls(change.address)));
  const column = Math.min(
    WIDEST_COLUMN,
    widths.reduce((most, each) => Math.max(most, each), 0),
  );
  const block = (title: string, list: readonly ChangeView[]) =>
    list.length === 0
      ? []
      : [`${title} (${list.length}):`, ...list.map((each) => listLine(each, column, layout))];
  return [block('Risky changes', first), block(first.length === 0 ? 'Changes' : 'Other changes', others)];
}

function listLine(view: ChangeView, column: number, { paint }: TextLayout): string {
  const { change, remarks, risks, notes, needsCare } = view;
  const { symbol, style } = actionLabels[change.action];
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

function refusalLines(plan: Plan, layout: TextLayout): string[] {
  const refusals = plan.findings.filter(isRefusal);
  if (refusals.length === 0) return [];
  const rest = restCommand(plan);
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
