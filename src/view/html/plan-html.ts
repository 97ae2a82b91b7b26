import { type Plan, subgraphOf } from '../../model/plan.js';
import { count } from '../../model/words.js';
import { actingActions, actionLabels } from '../change-labels.js';
import { byRisk, changeViews } from '../change-view.js';
import { objectionDiagnostics, type PlaceUrl } from '../plan-lookup.js';
import {
  basisFacts,
  type PlanFact,
  refusalTitle,
  severityLabels,
  totalFacts,
  verdictOf,
  worstFirst,
} from '../plan-words.js';
import { calendarPanel, heatStyle } from './calendar-html.js';
import { changeData, placeData } from './change-data.js';
import { type Html, html } from './html-text.js';
import calendarStyle from './page/calendar.css?raw';
import planStyle from './page/plan.css?raw';
import { type Header, headerHtml, pageHtml, pageTitle, problemsHtml, proseHtml } from './page.js';
import type { PageData } from './page-data.js';
import { planScript } from './page-script.js';

interface HtmlOptions {
  readonly urlOf?: PlaceUrl;
}

const STYLE = planStyle + calendarStyle + heatStyle();

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
<p class="verdict">${verdictHtml(plan)}</p>
${objectionsHtml(plan)}
${risksHtml(plan)}
${panelsHtml(data, calendar)}
</main>`;
  return pageHtml({ title: pageTitle(header), body, style: STYLE, script: planScript(), data });
}

function headerOf(plan: Plan): Header {
  const { project, environment, digest } = plan;
  const facts = [...basisFacts(plan), ...totalFacts(plan)];
  return {
    what: plan.destroy === true ? 'Plan to destroy' : 'Plan',
    project,
    environment,
    facts: [
      ...facts.map((each) => [each.label, factHtml(each)] as const),
      ['Digest', html`<code class="digest">${digest}</code>`],
    ],
  };
}

function factHtml({ value, isCode, override }: PlanFact): Html | string {
  if (!isCode) return value;
  const above =
    override === undefined
      ? null
      : html` (<code>${override.setBy}</code> overrides <code>${override.declared}</code>)`;
  return html`<code>${value}</code>${above}`;
}

function verdictHtml(plan: Plan): Html {
  const [verdict, rest] = verdictOf(plan);
  return html`<b>${verdict}</b>${rest}`;
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

function dataOf(plan: Plan, urlOf: PlaceUrl): PageData {
  const views = changeViews(plan);
  const changed = new Set(views.map(({ change }) => change.address));
  const touched = subgraphOf({ nodes: [], links: plan.links }, changed);
  return {
    changes: Object.values(byRisk(views))
      .flat()
      .map((each) => changeData(each, urlOf)),
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

/** The changes and all that belongs to them, of which one panel is shown at a time. The script fills the lists. */
function panelsHtml({ changes, problems, links }: PageData, calendar: Html | null): Html | null {
  const panels: Panel[] = [
    ...(changes.length === 0
      ? []
      : [{ id: 'changes', title: `Changes (${changes.length})`, body: changesPanel }]),
    ...(links.length === 0 ? [] : [{ id: 'graph', title: 'Dependency graph', body: graphPanel }]),
    ...(calendar === null ? [] : [{ id: 'calendar', title: 'Calendar', body: calendar }]),
    ...(problems.length === 0
      ? []
      : [{ id: 'problems', title: `Problems (${problems.length})`, body: problemsPanel }]),
  ];
  if (panels.length === 0) return null;
  return html`<noscript><p class="noscript">This page needs JavaScript to show the changes. It loads nothing from other sites. The page loads nothing from elsewhere.</p></noscript>
<div role="tablist" aria-label="Parts of the plan" class="tabs">${panels.map(tab)}</div>
${changes.length === 0 ? null : toolbar(changes)}
${panels.map(panel)}`;
}

interface Panel {
  readonly id: string;
  readonly title: string;
  readonly body: Html;
}

function tab({ id, title }: Panel): Html {
  return html`<button type="button" role="tab" id="tab-${id}" aria-controls="${id}" data-tab="${id}">${title}</button>`;
}

function panel({ id, title, body }: Panel): Html {
  return html`<section role="tabpanel" id="${id}" aria-labelledby="tab-${id}"><h2 class="unseen">${title}</h2>
${body}</section>
`;
}

function toolbar(changes: PageData['changes']): Html {
  const actions = actingActions.filter((action) => changes.some((each) => each.action === action));
  return html`<div role="search" class="toolbar" id="toolbar">
<label class="search"><span class="unseen">Search the changes</span><input type="search" id="query" placeholder="Names, values, ids … (press /)" autocomplete="off" spellcheck="false"></label>
<div role="group" aria-label="Actions" class="actions">${actions.map((action) => actionButton(action, changes))}</div>
<label>Kind <select id="kind"><option value="">all</option></select></label>
<label>Risk <select id="risk"><option value="">all</option></select></label>
<label>File <select id="file"><option value="">all</option></select></label>
<button type="button" id="reset" hidden>Reset</button>
<p role="status" id="shown"></p>
</div>`;
}

function actionButton(action: (typeof actingActions)[number], changes: PageData['changes']): Html {
  const { symbol, verb } = actionLabels[action];
  const number = changes.filter((each) => each.action === action).length;
  return html`<button type="button" class="action ${action}" data-action="${action}" aria-pressed="false"><span aria-hidden="true">${symbol}</span> ${verb} <b>${number}</b></button>`;
}

const changesPanel = html`<p class="hint"><kbd>/</kbd> search, <kbd>↑</kbd> <kbd>↓</kbd> move, <kbd>Enter</kbd> open or close
<button type="button" id="open-all">Open all</button></p>
<div role="list" id="list" aria-label="Changes"></div>`;

const graphPanel = html`<p id="graph-note"></p>
<div class="scroll" id="drawing"></div>
<details><summary>The same as text</summary><ul id="graph-text"></ul></details>`;

const problemsPanel = html`<div role="list" id="problem-list" aria-label="Problems"></div>`;
