import type { Diagnostic, Place } from '../../model/diagnostic.js';
import { type Change, type Objection, type Plan, summarise } from '../../model/plan.js';
import type { Risk } from '../../model/risk.js';
import { inventoryLabel, weakSettingsLabel } from '../basis-labels.js';
import { startsPerWeekText } from '../cadence-text.js';
import { actingActions, actionLabels, deliversSecret, needsCare } from '../change-labels.js';
import { type StepLookup, stepLookup } from '../plan-lookup.js';
import { count, cut } from '../text/layout.js';
import { snapshotAge } from '../text/snapshot-text.js';
import { unmanagedLine } from '../unmanaged-line.js';
import { changeMarkdown, placeMarkdown } from './change-markdown.js';
import { touchedGraph } from './graph-markdown.js';
import { markdownMarker, shortCode, shortProse } from './markdown-escape.js';
import { type Filled, type MeasureText, type PackItem, SizeBudget } from './markdown-pack.js';

/** In characters. GitHub refuses comments over 65,536. */
export const markdownLimit = 65_000;

export interface MarkdownOptions {
  /** The URL of a manifest line; null if no commit is known. */
  urlOf?(place: Place): string | null;
  readonly limit?: number;
  readonly measure?: MeasureText;
}

/** Reserved for headings and for the note on what is left out. */
const reservedSize = 3_000;
/** The share of warnings, which come before the details of other changes. */
const warningsSize = 8_000;
const maxObjections = 10;
/** No project, service or inventory has a longer name. */
const maxSettingColumns = 2_500;

/**
 * The plan as a comment on a pull request (contract §6, markdown): counts and digest, risky changes, the rest by kind,
 * dependency graph, warnings; details are folded. Never over the limit: deletes and credentials are shown in full
 * before anything else, and what does not fit is counted.
 */
export function planMarkdown(plan: Plan, options: MarkdownOptions = {}): string {
  const { measure = (text) => text.length, limit = markdownLimit, urlOf = () => null } = options;
  const acting = plan.changes.filter((change) => change.action !== 'none');
  const context = { urlOf, stepsOf: stepLookup(plan) };
  const render = (change: Change) => changeMarkdown(change, context);
  const { deliveries, careful, risky, others } = byRisk(acting, context.stepsOf);

  const top = header(plan);
  const risks = planRisks(plan.risks);
  const budget = new SizeBudget(limit - reservedSize - measure([top, ...risks].join('\n')), measure);
  const delivered = budget.fill(deliveries, render);
  const first = budget.fill(careful, render);
  const second = budget.fill(risky, render);
  const warnings = budget.fillUpTo(warningsSize, plan.diagnostics, (each) => diagnosticItem(each, urlOf));
  const drawn = touchedGraph(plan);
  const graph = budget.place(drawn);
  const third = budget.fill(others, render);

  return [
    top,
    ...omissions([delivered, first, second, third], warnings, graph.length < drawn.length),
    ...section('### Risky changes', [
      ...risks,
      ...subsection('#### Deletes', first, (change) => change.action === 'delete'),
      ...credentials(delivered, first),
      ...subsection('#### Other risks', second),
    ]),
    ...section(
      '### Changes',
      kindsOf(others).flatMap((kind) =>
        subsection(kindTitle(kind, others), third, (change) => change.kind === kind),
      ),
    ),
    ...graph,
    ...section('### Warnings', subsection(null, warnings)),
  ]
    .join('\n')
    .replace(/\n{3,}/g, '\n\n');
}

function byRisk(acting: readonly Change[], stepsOf: StepLookup) {
  const isCareful = (change: Change) => needsCare(change, stepsOf(change));
  const deletes = acting.filter((change) => change.action === 'delete' && !deliversSecret(change));
  const rest = acting.filter((change) => change.action !== 'delete' && !deliversSecret(change));
  const plain = rest.filter((change) => !isCareful(change));
  const risky = plain.filter((change) => change.risks.length > 0);
  return {
    deliveries: acting.filter(deliversSecret),
    careful: [...deletes, ...rest.filter(isCareful)],
    // Not even hundreds of other risks may push them over the limit.
    risky: [...risky.filter(isTooFrequent), ...risky.filter((change) => !isTooFrequent(change))],
    others: plain.filter((change) => change.risks.length === 0),
  };
}

function isTooFrequent({ risks }: Change): boolean {
  return risks.some(({ code }) => code === 'too-frequent');
}

/** Of the plan as a whole. There are few, and they are never left out. */
function planRisks(risks: readonly Risk[]): string[] {
  if (risks.length === 0) return [];
  return ['#### Settings', '', ...risks.map(({ message }) => `- ${shortProse(message, 2_000)}`), ''];
}

function section(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : [title, '', ...lines];
}

function subsection<T>(
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

function credentials(delivered: Filled<Change>, others: Filled<Change>): string[] {
  const title = '#### Credentials';
  const isCredential = (change: Change) => change.action !== 'delete';
  return [
    ...subsection(title, delivered),
    ...subsection(delivered.texts.length > 0 ? null : title, others, isCredential),
  ];
}

function kindsOf(changes: readonly Change[]): string[] {
  return [...new Set(changes.map((change) => change.kind))];
}

function kindTitle(kind: string, changes: readonly Change[]): string {
  const name = `${kind.charAt(0).toUpperCase()}${kind.slice(1)}s`;
  return `#### ${name}: ${countsOf(changes.filter((change) => change.kind === kind))}`;
}

/** `2 to create, 1 to update`. */
function countsOf(changes: readonly Change[]): string {
  const summary = summarise(changes);
  return actingActions
    .filter((action) => summary[action] > 0)
    .map((action) => `${summary[action]} to ${actionLabels[action].verb}`)
    .join(', ');
}

function header(plan: Plan): string {
  const { project, environment, service, serviceOverride, snapshot, digest, objections, changes } = plan;
  const unmanaged = unmanagedLine(plan.unmanaged);
  const counts = countsOf(changes);
  const weak = weakSettingsLabel(plan);
  const starts = startsPerWeekText(plan);
  const { unchanged } = summarise(changes);
  const line =
    counts === ''
      ? `**No changes.** The service matches the manifests (${unchanged} unchanged).`
      : `**Plan: ${counts}**, ${unchanged} unchanged.`;
  const override =
    serviceOverride === undefined
      ? ''
      : ` (\`${serviceOverride.setBy}\` overrides ${shortCode(serviceOverride.declared, maxSettingColumns)})`;
  const where = environment === null ? '' : `, environment ${shortCode(environment, maxSettingColumns)}`;
  return [
    markdownMarker(cut(project, 200), environment === null ? null : cut(environment, 200)),
    `${line} Digest ${shortCode(digest, 100)}`,
    '',
    `Project ${shortCode(project, maxSettingColumns)}${where}, service ${shortCode(service, maxSettingColumns)}${override}, inventory ${shortCode(inventoryLabel(plan), maxSettingColumns)}`,
    ...(weak === null ? [] : ['', `Settings: ${shortProse(weak)}`]),
    ...(starts === null ? [] : ['', starts]),
    ...(unmanaged === null ? [] : ['', unmanaged]),
    ...(snapshot === undefined ? [] : ['', `Planned against ${snapshotAge(snapshot)}.`]),
    '',
    ...objectionLines(objections),
  ].join('\n');
}

function objectionLines(objections: readonly Objection[]): string[] {
  if (objections.length === 0) return [];
  const lines = objections.slice(0, maxObjections).map(({ code, message, help }) => {
    const advice = help === '' ? '' : ` (help: ${shortProse(help)})`;
    return `> - ${shortCode(code, 60)} ${shortProse(message)}${advice}`;
  });
  const more = objections.length - lines.length;
  return [
    '> [!CAUTION]',
    '> **Apply would refuse this plan:**',
    '>',
    ...lines,
    ...(more > 0 ? [`> - … and ${more} more`] : []),
    '',
  ];
}

function diagnosticItem(
  { severity, code, message, place, help }: Diagnostic,
  urlOf: (place: Place) => string | null,
): PackItem {
  const where = place === undefined ? '' : ` at ${placeMarkdown(place, urlOf)}`;
  const short = `- **${severity}** ${shortCode(code, 60)}${where}: ${shortProse(message)}`;
  const text = help === undefined ? short : `${short} (help: ${shortProse(help)})`;
  return { short, full: () => ({ text, shortened: 0 }), shortened: 0 };
}

/** Counts what the limit left out, by kind. */
function omissions(
  parts: readonly Filled<Change>[],
  warnings: Filled<Diagnostic>,
  noGraph: boolean,
): string[] {
  const left = parts.flatMap(({ items, texts }) => items.slice(texts.length));
  const bare = parts.reduce((sum, { texts, full }) => sum + texts.length - full, 0);
  const hiddenWarnings = warnings.items.length - warnings.texts.length;
  const shortened = parts.reduce((sum, each) => sum + each.shortened, 0);
  const sentences = [
    ...undelivered(left.filter(deliversSecret)),
    ...kindsOf(left).map((kind) => {
      const those = left.filter((change) => change.kind === kind);
      return `${count(those.length, kind)} left out (${countsOf(those)})`;
    }),
    ...(bare === 0 ? [] : [`${count(bare, 'change')} shown without details`]),
    ...(shortened === 0 ? [] : [`${count(shortened, 'value')} not shown in full`]),
    ...(hiddenWarnings === 0 ? [] : [`${count(hiddenWarnings, 'warning')} left out`]),
    ...(noGraph ? ['the graph left out'] : []),
  ];
  if (sentences.length === 0) return [];
  return [
    `> [!WARNING]`,
    `> **Too long to show in full:** ${sentences.join('; ')}. \`roster plan --format json\` shows everything.`,
    '',
  ];
}

/** What may run a program and is not shown is named. */
function undelivered(left: readonly Change[]): string[] {
  if (left.length === 0) return [];
  const named = left.slice(0, 5).map(({ address }) => shortCode(address, 220));
  const more = left.length > named.length ? ` and ${left.length - named.length} more` : '';
  return [`where ${count(left.length, 'new key')} would go is not shown (${named.join(', ')}${more})`];
}
