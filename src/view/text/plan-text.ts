import type { Change, Objection, Plan } from '../../model/plan.js';
import type { Risk } from '../../model/risk.js';
import { inventoryLabel, weakSettingsLabel } from '../basis-labels.js';
import { startsPerWeekText } from '../cadence-text.js';
import { needsList } from '../change-labels.js';
import { escapeControls } from '../escape.js';
import { ignoredLine } from '../ignored-line.js';
import { stepLookup } from '../plan-lookup.js';
import { planLine, refusalTitle } from '../summary-line.js';
import { unmanagedLine } from '../unmanaged-line.js';
import { changeList } from './change-list.js';
import { changeText } from './change-text.js';
import { count, fits, folded, hangingIndent, indent, joinBlocks, wrap } from './layout.js';
import { type Paint, type TextLayout, type TextOptions, textLayout } from './paint.js';
import { snapshotAge } from './snapshot-text.js';

export interface PlanTextOptions extends TextOptions {
  /** One line for each change, without details. */
  readonly summary?: boolean | undefined;
}

/**
 * The plan for a terminal (contract §4, §6): every acting change in plan order, the objections, the digest, and the
 * summary as the last line, which is never broken. Diagnostics are left out: they go to stderr.
 */
export function planText(plan: Plan, options: PlanTextOptions): string {
  const layout = textLayout(options);
  const { paint } = layout;
  const { summary = false } = options;
  const isListed = summary || needsList(plan.changes);
  const { blocks, shortened } = summary ? { blocks: [], shortened: 0 } : changeBlocks(plan, layout, isListed);
  return joinBlocks([
    [...headerLines(plan, layout), ...basisLines(plan, layout), ...snapshotLines(plan, paint)],
    planRiskLines(plan.risks, layout),
    ...(isListed ? changeList(plan, layout) : []),
    ...blocks,
    objectionLines(plan, layout),
    shortenedLines(shortened, layout),
    startsLines(plan, layout),
    [`Digest: ${escapeControls(plan.digest)}`],
    [...uncountedLines(plan, layout), paint('strong', planLine(plan))],
  ]);
}

export function headerLines(
  plan: Pick<Plan, 'project' | 'environment' | 'service' | 'serviceOverride'>,
  { width, paint }: TextLayout,
): string[] {
  const environment = plan.environment === null ? '' : `, environment ${escapeControls(plan.environment)}`;
  const project = headerLine(`Project ${escapeControls(plan.project)}${environment}`, width);
  const service = headerLine(`Service ${escapeControls(plan.service)}`, width);
  const override = overrideText(plan).flatMap((text) => headerLine(`  ${text}`, width));
  return [
    ...project.map((line) => paint('strong', line)),
    ...service,
    ...override.map((line) => paint('warning', line)),
  ];
}

function headerLine(text: string, width: number): string[] {
  const [first = '', ...rest] = folded(text, width - 6);
  return fits(text, width) ? [text] : [first, ...indent(rest, 6)];
}

/** ``(`ROSTER_URL` overrides https://…)``. */
function overrideText({ serviceOverride }: Pick<Plan, 'serviceOverride'>): string[] {
  if (serviceOverride === undefined) return [];
  return [`(\`${serviceOverride.setBy}\` overrides ${escapeControls(serviceOverride.declared)})`];
}

/** What a pull request may not change unseen. */
function basisLines(plan: Plan, { width, paint }: TextLayout): string[] {
  const inventory = headerLine(`Inventory ${escapeControls(inventoryLabel(plan))}`, width);
  const weak = weakSettingsLabel(plan);
  return weak === null
    ? inventory
    : [...inventory, ...wrap(`Settings ${weak}`, width).map((line) => paint('warning', line))];
}

function planRiskLines(risks: readonly Risk[], { width, paint }: TextLayout): string[] {
  const sentences = risks.flatMap(({ message }) =>
    hangingIndent('risk: ', wrap(escapeControls(message), width - 8)),
  );
  return indent(sentences, 2).map((line) => paint('danger', line));
}

function startsLines(plan: Plan, { width }: TextLayout): string[] {
  return wrap(startsPerWeekText(plan) ?? '', width);
}

function snapshotLines({ snapshot }: Plan, paint: Paint): string[] {
  return snapshot === undefined ? [] : [paint('warning', `Planned against ${snapshotAge(snapshot)}`)];
}

/**
 * Blocks are separated by a blank line. Successive changes of one kind share a block if they are headings only. Where all
 * changes are listed, such headings would say the same again.
 */
function changeBlocks(plan: Plan, layout: TextLayout, isListed: boolean) {
  const stepsOf = stepLookup(plan);
  const blocks: string[][] = [];
  let shortened = 0;
  let last: { readonly change: Change; readonly bare: boolean } | null = null;
  for (const change of plan.changes) {
    if (change.action === 'none') continue;
    const { lines, shortened: some } = changeText(change, stepsOf(change), layout);
    shortened += some;
    const bare = lines.length === 1;
    if (bare && isListed) continue;
    const joins = last?.bare === true && bare && last.change.kind === change.kind;
    if (joins) blocks.at(-1)?.push(...lines);
    else blocks.push([...lines]);
    last = { change, bare };
  }
  return { blocks, shortened };
}

/** What a reviewer has not seen is said once more, where every plan ends. */
function shortenedLines(shortened: number, { width, paint }: TextLayout): string[] {
  if (shortened === 0) return [];
  const what = `${count(shortened, 'value')} ${shortened === 1 ? 'is' : 'are'} not shown in full.`;
  const text = `${what} \`roster plan --format json\` shows everything.`;
  return wrap(text, width).map((line) => paint('warning', line));
}

/** Right above the summary, which does not count them. Always one line, so that people and scripts find it. */
export function unmanagedLines({ unmanaged }: Pick<Plan, 'unmanaged'>): string[] {
  const line = unmanagedLine(unmanaged);
  return line === null ? [] : [line];
}

/** What the summary does not count. */
export function uncountedLines(plan: Plan, { width }: TextLayout): string[] {
  const line = ignoredLine(plan);
  return [...unmanagedLines(plan), ...(line === null ? [] : wrap(line, width))];
}

function objectionLines(plan: Plan, layout: TextLayout): string[] {
  const { objections } = plan;
  if (objections.length === 0) return [];
  return [
    layout.paint('danger', `${refusalTitle(plan)}:`),
    ...objections.flatMap((each) => objectionText(each, layout)),
  ];
}

function objectionText({ code, message, help, address }: Objection, { width, paint }: TextLayout): string[] {
  const subject = address === null || message.includes(address) ? '' : `${escapeControls(address)}: `;
  const [first = '', ...rest] = wrap(`[${code}] ${subject}${escapeControls(message)}`, width - 6);
  // Indented deeper than the heading of a change, so that no message can look like one.
  const reason = [...indent([first], 2), ...indent(rest, 6)];
  const advice =
    help === '' ? [] : indent(hangingIndent('help: ', wrap(escapeControls(help), width - 10)), 4);
  return [...reason.map((line) => paint('danger', line)), ...advice];
}
