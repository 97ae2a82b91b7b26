import type { Place } from '../../model/diagnostic.js';
import type { Change, Plan } from '../../model/plan.js';
import { summaryOf } from '../../model/plan-view.js';
import { inventoryLabel, weakSettingsLabel } from '../basis-labels.js';
import { startsPerWeekText } from '../cadence-text.js';
import { needsList } from '../change-labels.js';
import { ignoredLine } from '../ignored-line.js';
import { stepLookup } from '../plan-lookup.js';
import { worstFirst } from '../severity-labels.js';
import { nothingText } from '../summary-line.js';
import { snapshotAge } from '../text/snapshot-text.js';
import { unmanagedLine } from '../unmanaged-line.js';
import { byRisk, countsOf } from './change-groups.js';
import { changeMarkdown } from './change-markdown.js';
import { touchedGraph } from './graph-markdown.js';
import { markdownMarker, shortCode, shortProse } from './markdown-escape.js';
import { type MeasureText, SizeBudget } from './markdown-pack.js';
import { omissions } from './omissions-markdown.js';
import { overviewItem, overviewSection } from './overview-markdown.js';
import { deleteLines, diagnosticItem, objectionLines, warningsSection } from './problems-markdown.js';
import { changesSection, planRisks, riskySection } from './sections-markdown.js';

/** In characters. GitHub refuses comments over 65,536. */
export const markdownLimit = 65_000;

export interface MarkdownOptions {
  /** The URL of a manifest line; null if no commit is known. */
  urlOf?(place: Place): string | null;
  /** Where the HTML page of the plan is, for a comment that is too long. Null or missing if it is nowhere. */
  readonly pageUrl?: string | null;
  readonly limit?: number;
  readonly measure?: MeasureText;
}

/** Reserved for headings and for the note on what is left out. */
const reservedSize = 3_000;
/** The share of the list of all changes: a line each for some 250 of them, before the details of ordinary ones. */
const overviewShare = 0.4;
/** The share of warnings, which come before the details of other changes. */
const warningsSize = 8_000;
/** No project, service or inventory has a longer name. */
const maxSettingColumns = 2_500;

/**
 * The plan as a comment on a pull request (contract §6, markdown): counts, digest and errors, a list of many changes,
 * risky changes, the rest by kind, dependency graph, warnings; what is long is folded. Never over the limit: deletes and
 * credentials are shown in full before anything else, and what does not fit is counted.
 */
export function planMarkdown(plan: Plan, options: MarkdownOptions = {}): string {
  const {
    measure = (text) => text.length,
    limit = markdownLimit,
    urlOf = () => null,
    pageUrl = null,
  } = options;
  const acting = plan.changes.filter((change) => change.action !== 'none');
  const context = { urlOf, stepsOf: stepLookup(plan) };
  const render = (change: Change) => changeMarkdown(change, context);
  const groups = byRisk(acting, context.stepsOf);
  const isLong = needsList(acting);

  const [top, risks] = [header(plan), planRisks(plan.risks)];
  const budget = new SizeBudget(limit - reservedSize - measure([top, ...risks].join('\n')), measure);
  const delivered = budget.fill(groups.deliveries, render);
  const careful = budget.fill(groups.careful, render);
  const risky = budget.fill(groups.risky, render);
  const overview = budget.fillUpTo(
    limit * overviewShare,
    isLong ? Object.values(groups).flat() : [],
    overviewItem,
  );
  const warnings = budget.fillUpTo(warningsSize, worstFirst(plan.diagnostics), (each) =>
    diagnosticItem(each, urlOf),
  );
  const drawn = touchedGraph(plan);
  const graph = budget.place(drawn);
  const others = budget.fill(groups.others, render);

  return [
    top,
    ...omissions([delivered, careful, risky, others], {
      warnings,
      noGraph: graph.length < drawn.length,
      pageUrl,
    }),
    ...overviewSection(overview),
    ...riskySection(risks, { delivered, careful, risky }),
    ...changesSection(others, isLong),
    ...graph,
    ...warningsSection(warnings, plan.objections.length > 0),
  ]
    .join('\n')
    .replace(/\n{3,}/g, '\n\n');
}

function header(plan: Plan): string {
  const { project, environment, snapshot, digest, changes } = plan;
  const counts = countsOf(changes);
  const weak = weakSettingsLabel(plan);
  const starts = startsPerWeekText(plan);
  const unmanaged = unmanagedLine(plan.unmanaged);
  const ignored = ignoredLine(plan);
  const { unchanged } = summaryOf(plan);
  const line =
    counts === '' ? `**No changes.** ${nothingText(plan)}` : `**Plan: ${counts}**, ${unchanged} unchanged.`;
  return [
    markdownMarker(project, environment),
    `${line} Digest ${shortCode(digest, 100)}`,
    '',
    `${projectMarkdown(plan)}, inventory ${shortCode(inventoryLabel(plan), maxSettingColumns)}`,
    ...(weak === null ? [] : ['', `Settings: ${shortProse(weak)}`]),
    ...(starts === null ? [] : ['', starts]),
    ...(unmanaged === null ? [] : ['', unmanaged]),
    ...(ignored === null ? [] : ['', ignored]),
    ...(snapshot === undefined ? [] : ['', `Planned against ${snapshotAge(snapshot)}.`]),
    '',
    ...deleteLines(changes),
    ...objectionLines(plan),
  ].join('\n');
}

export function projectMarkdown({
  project,
  environment,
  service,
  serviceOverride,
}: Pick<Plan, 'project' | 'environment' | 'service' | 'serviceOverride'>): string {
  const override =
    serviceOverride === undefined
      ? ''
      : ` (\`${serviceOverride.setBy}\` overrides ${shortCode(serviceOverride.declared, maxSettingColumns)})`;
  const where = environment === null ? '' : `, environment ${shortCode(environment, maxSettingColumns)}`;
  return `Project ${shortCode(project, maxSettingColumns)}${where}, service ${shortCode(service, maxSettingColumns)}${override}`;
}
