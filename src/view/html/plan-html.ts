import type { Diagnostic, Place } from '../../model/diagnostic.js';
import { isDiagnostic, isRisk } from '../../model/finding.js';
import { type Plan, subgraphOf } from '../../model/plan.js';
import { count } from '../../model/words.js';
import { type ChangeView, factsOf } from '../change-view.js';
import { fits } from '../columns.js';
import { word } from '../escape.js';
import { type FieldView, LONGEST_LINE, tooDifferent, valueText } from '../field-view.js';
import { actingActions, actionLabels } from '../labels.js';
import { type RunsView, type RunText, zonesText } from '../next-runs.js';
import { type PlanPage, planPage } from '../plan-page.js';
import {
  messageWithEntries,
  type PlaceUrl,
  type PlanFact,
  refusalErrors,
  refusalTitle,
  severityLabels,
  shownAndRest,
  worstFirst,
} from '../plan-words.js';
import { calendarPanel, heatStyle } from './calendar-html.js';
import calendarStyle from './page/calendar.css?raw';
import change from './page/change.js?raw';
import dom from './page/dom.js?raw';
import filters from './page/filters.js?raw';
import graph from './page/graph.js?raw';
import list from './page/list.js?raw';
import main from './page/main.js?raw';
import planStyle from './page/plan.css?raw';
import {
  type Header,
  type Html,
  headerHtml,
  html,
  pageHtml,
  pageTitle,
  problemsHtml,
  proseHtml,
} from './page.js';
import type { PageChange, PageData, PageField, PagePlace, PageRuns } from './page-data.js';

interface HtmlOptions {
  readonly urlOf?: PlaceUrl;
  /** Shows the warnings of unchanged resources, too. Default: false. */
  readonly verbose?: boolean;
}

const STYLE = planStyle + calendarStyle + heatStyle();

/** More would hide the plan. The list of problems has all of them. */
const MOST_REFUSALS = 10;

/**
 * The whole plan as one page (contract §11): what it rests on, why apply would refuse it, every change with its
 * differences, the dependency graph, the calendar and the warnings. `plan.calendar` is shown where the plan has it.
 */
export function planHtml(plan: Plan, { urlOf = () => null, verbose }: HtmlOptions = {}): string {
  const page = planPage(plan, { verbose: true });
  const header = headerOf(plan, page);
  const { shown, rest } = shownAndRest(plan.findings.filter(isDiagnostic), {
    command: 'roster plan ',
    verbose,
  });
  const data = dataOf(plan, page, { diagnostics: shown, urlOf });
  const calendar = plan.calendar === undefined ? null : calendarPanel(plan.calendar);
  const body = html`${headerHtml(header)}
<main>
<p class="verdict"><b>${page.verdict}</b></p>
${refusalsHtml(plan)}
${risksHtml(plan)}
${panelsHtml(data, rest, calendar)}
</main>`;
  return pageHtml({ title: pageTitle(header), body, style: STYLE, script: planScript(), data });
}

function headerOf(
  { project, environment, destroy }: Plan,
  { basis, totals, starts, digest }: PlanPage,
): Header {
  const named = basis.filter(({ label }) => label !== 'Project' && label !== 'Environment');
  const total = starts?.total ?? null;
  const counted = total === null ? [] : [{ label: 'Agent starts a week', value: total, isCode: false }];
  const facts = [...named, ...counted, ...totals];
  return {
    what: destroy === true ? 'Plan to destroy' : 'Plan',
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

function refusalsHtml(plan: Plan): Html | null {
  const refusals = refusalErrors(plan);
  if (refusals.length === 0) return null;
  const more = refusals.length - MOST_REFUSALS;
  return html`<section class="refused" aria-labelledby="refused"><h2 id="refused">${refusalTitle(plan)}</h2>
${problemsHtml(refusals.slice(0, MOST_REFUSALS))}${more > 0 ? html`<p>… and ${count(more, 'more reason')} under Problems.</p>` : null}</section>`;
}

/** The risks of the plan as a whole. */
function risksHtml({ findings }: Plan): Html | null {
  const risks = findings.filter(isRisk);
  if (risks.length === 0) return null;
  return html`<section class="cautions" aria-labelledby="settings"><h2 id="settings">Risky settings</h2>
<ul>${risks.map(({ message }) => html`<li>${proseHtml(message)}</li>`)}</ul></section>`;
}

function dataOf(
  plan: Plan,
  { risky, others }: PlanPage,
  { diagnostics, urlOf }: { readonly diagnostics: readonly Diagnostic[]; readonly urlOf: PlaceUrl },
): PageData {
  const views = [...risky, ...others].flatMap((block) => block.views);
  const changed = new Set(views.map(({ change }) => change.address));
  const touched = subgraphOf({ nodes: [], links: plan.links }, changed);
  return {
    changes: views.map((each) => changeData(each, urlOf)),
    problems: worstFirst([...refusalErrors(plan), ...diagnostics]).map((each) => ({
      severity: severityLabels[each.severity],
      code: each.code,
      message: messageWithEntries(each),
      help: each.help,
      place: each.place && placeData(each.place, urlOf),
    })),
    links: touched.links.map(({ from, to, stage }) => ({ from, to, stage: stage ?? undefined })),
  };
}

/** The changes and all that belongs to them, of which one panel is shown at a time. The script fills the lists. */
function panelsHtml(
  { changes, problems, links }: PageData,
  rest: string | null,
  calendar: Html | null,
): Html | null {
  const panels: Panel[] = [
    ...(changes.length === 0
      ? []
      : [{ id: 'changes', title: `Changes (${changes.length})`, body: changesPanel }]),
    ...(links.length === 0 ? [] : [{ id: 'graph', title: 'Dependency graph', body: graphPanel }]),
    ...(calendar === null ? [] : [{ id: 'calendar', title: 'Calendar', body: calendar }]),
    ...(problems.length === 0 && rest === null
      ? []
      : [{ id: 'problems', title: `Problems (${problems.length})`, body: problemsPanel(rest) }]),
  ];
  if (panels.length === 0) return null;
  return html`<noscript><p class="noscript">This page needs JavaScript to show the changes. It loads nothing from other sites.</p></noscript>
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

function problemsPanel(rest: string | null): Html {
  return html`<div role="list" id="problem-list" aria-label="Problems"></div>${
    rest === null
      ? null
      : html`
<p>${proseHtml(rest)}</p>`
  }`;
}

/** One change, with everything that a reviewer may want to know of it. */
function changeData(view: ChangeView, urlOf: PlaceUrl): PageChange {
  const { change, name, needsCare, remarks, risks, notes, fields, calls, runs } = view;
  const { address, kind, action, id, source } = change;
  const facts = factsOf(view);
  const shown = facts.find((each) => fits(each.join('; '), LONGEST_LINE)) ?? facts.at(-1) ?? [];
  return {
    address,
    kind,
    action,
    name: name ?? undefined,
    id: id ?? undefined,
    facts: shown.join('; ') || undefined,
    careful: needsCare || undefined,
    remarks,
    risks: risks.map(({ label, besideCadence }) => ({ label, message: besideCadence })),
    notes,
    place: source === null ? undefined : placeData(source, urlOf),
    fields: fields.map(fieldData),
    calls,
    runs: runs === null ? undefined : runsData(runs),
  };
}

function placeData(place: Place, urlOf: PlaceUrl): PagePlace {
  return { file: place.file, line: place.line, url: urlOf(place) ?? undefined };
}

function fieldData({ path, remark, difference }: FieldView): PageField {
  const about = { path, remark: remark ?? undefined };
  switch (difference.kind) {
    case 'value': {
      const { before, after } = difference;
      const text = (value: typeof before) => (value === undefined ? undefined : valueText(value));
      return { ...about, before: text(before), after: text(after) };
    }
    case 'list': {
      const { before = [], after = [], added, removed, isOrdered } = difference;
      const chain = (list: readonly string[]) => list.map(word).join(' → ');
      const order = isOrdered ? { before: chain(before), after: chain(after) } : {};
      return { ...about, added: added.map(word), removed: removed.map(word), ...order };
    }
    case 'lines':
      return {
        ...about,
        lines: difference.lines() ?? [{ kind: 'same', text: tooDifferent(difference) }],
      };
    default:
      return difference satisfies never;
  }
}

function runsData(runs: RunsView): PageRuns {
  const { source, before, after, computed, clockChanges } = runs;
  const column = (title: string, list: readonly RunText[] | null) =>
    list === null ? [] : [{ title, runs: list.map(({ text }) => text) }];
  return {
    title: `Next runs in ${zonesText(runs)}, ${source}`,
    columns: [
      ...column('before', before),
      ...column('after', after),
      ...column('computed by roster', computed),
    ],
    clockChanges,
  };
}

/** Each after those that it imports. */
const modules = [dom, filters, list, change, graph, main];

/** The script of the page as one module: a page without requests cannot import, so its files share one scope. */
export function planScript(): string {
  return modules.map(inOneScope).join('\n');
}

function inOneScope(text: string): string {
  return text.replace(/^import [^;]*;\n/gm, '').replace(/^export /gm, '');
}
