import type { Place } from '../../model/diagnostic.js';
import { subgraphOf } from '../../model/graph.js';
import type { Plan } from '../../model/plan.js';
import { summaryOf } from '../../model/plan-view.js';
import { inventoryLabel, weakSettingsLabel } from '../basis-labels.js';
import { startsPerWeekText } from '../cadence-text.js';
import { ignoredLine } from '../ignored-line.js';
import { byRisk, countsOf } from '../markdown/change-groups.js';
import { objectionDiagnostics, stepLookup } from '../plan-lookup.js';
import { severityLabels, worstFirst } from '../severity-labels.js';
import { nothingText, refusalTitle } from '../summary-line.js';
import { count } from '../text/layout.js';
import { snapshotAge } from '../text/snapshot-text.js';
import { unmanagedLine } from '../unmanaged-line.js';
import { calendarPanel } from './calendar-panel.js';
import { changeData, placeData } from './change-data.js';
import { heatStyle } from './heat-map.js';
import { type Html, html } from './html-text.js';
import calendarStyle from './page/calendar.css?raw';
import changeStyle from './page/change.css?raw';
import planStyle from './page/plan.css?raw';
import { pageHtml } from './page.js';
import type { PageData } from './page-data.js';
import { type Header, headerHtml, pageTitle } from './page-header.js';
import { planScript } from './page-script.js';
import { panelsHtml } from './plan-panels.js';
import { problemsHtml, proseHtml } from './problems-html.js';

interface HtmlOptions {
  /** The URL of a manifest line; null if no commit is known. */
  urlOf?(place: Place): string | null;
}

const STYLE = planStyle + changeStyle + calendarStyle + heatStyle();

/** More would hide the plan. The list of problems has all of them. */
const MOST_OBJECTIONS = 10;

/**
 * The whole plan as one page (contract §11): what it rests on, why apply would refuse it, every change with its
 * differences, the dependency graph, the calendar and the warnings. `plan.calendar` is shown where the plan has it.
 */
export function planHtml(plan: Plan, { urlOf = () => null }: HtmlOptions = {}): string {
  const header = headerOf(plan);
  const data = dataOf(plan, urlOf);
  const calendar = plan.calendar === undefined ? null : calendarPanel(plan.calendar);
  const body = html`${headerHtml(header)}
<main>
<p class="verdict">${verdictOf(plan)}</p>
${objectionsHtml(plan)}
${risksHtml(plan)}
${panelsHtml(data, calendar)}
</main>`;
  return pageHtml({ title: pageTitle(header), body, style: STYLE, script: planScript(), data });
}

function headerOf(plan: Plan): Header {
  const { project, environment, service, serviceOverride, snapshot, digest } = plan;
  const weak = weakSettingsLabel(plan);
  const lines = [startsPerWeekText(plan), unmanagedLine(plan.unmanaged), ignoredLine(plan)];
  const override =
    serviceOverride &&
    html` (<code>${serviceOverride.setBy}</code> overrides <code>${serviceOverride.declared}</code>)`;
  return {
    what: plan.destroy === true ? 'Plan to destroy' : 'Plan',
    project,
    environment,
    facts: [
      ['Service', html`<code>${service}</code>${override ?? null}`],
      ['Inventory', html`<code>${inventoryLabel(plan)}</code>`],
      ...(snapshot === undefined ? [] : [['Planned against', snapshotAge(snapshot)] as const]),
      ...(weak === null ? [] : [['Settings', weak] as const]),
      ...lines.flatMap(factOf),
      ['Digest', html`<code class="digest">${digest}</code>`],
    ],
  };
}

/** A line of the text plan such as `Not managed here: 3 groups.` as a name and what it is. */
function factOf(line: string | null): (readonly [string, string])[] {
  const [, name, value] = line?.match(/^(.*?): (.*)\.$/) ?? [];
  return name === undefined || value === undefined ? [] : [[name, value]];
}

function verdictOf(plan: Plan): Html {
  const { changes } = plan;
  const counts = countsOf(changes);
  const { unchanged } = summaryOf(plan);
  return counts === ''
    ? html`<b>No changes.</b> ${nothingText(plan)}`
    : html`<b>Plan: ${counts}</b>, ${unchanged} unchanged.`;
}

function objectionsHtml(plan: Plan): Html | null {
  const objections = objectionDiagnostics(plan);
  if (objections.length === 0) return null;
  const more = objections.length - MOST_OBJECTIONS;
  return html`<section class="refused" aria-labelledby="refused"><h2 id="refused">${refusalTitle(plan)}</h2>
${problemsHtml(objections.slice(0, MOST_OBJECTIONS))}${more > 0 ? html`<p>… and ${count(more, 'more reason')} under Problems.</p>` : null}</section>`;
}

/** The risks of the plan as a whole. */
function risksHtml({ risks }: Plan): Html | null {
  if (risks.length === 0) return null;
  return html`<section class="cautions" aria-labelledby="settings"><h2 id="settings">Risky settings</h2>
<ul>${risks.map(({ message }) => html`<li>${proseHtml(message)}</li>`)}</ul></section>`;
}

function dataOf(plan: Plan, urlOf: (place: Place) => string | null): PageData {
  const context = { urlOf, stepsOf: stepLookup(plan) };
  const acting = plan.changes.filter(({ action }) => action !== 'none');
  const inOrder = Object.values(byRisk(acting, context.stepsOf)).flat();
  const touched = subgraphOf({ nodes: [], links: plan.links }, new Set(acting.map(({ address }) => address)));
  return {
    changes: inOrder.map((change) => changeData(change, context)),
    problems: worstFirst([...objectionDiagnostics(plan), ...plan.diagnostics]).map(
      ({ severity, code, message, help, place }) => ({
        severity: severityLabels[severity],
        code,
        message,
        help,
        place: place && placeData(place, urlOf),
      }),
    ),
    links: touched.links.map(({ from, to, stage }) => ({ from, to, stage: stage ?? undefined })),
  };
}
