import type { Diagnostic, Place } from '../../model/diagnostic.js';
import { isDiagnostic } from '../../model/finding.js';
import { type Change, type Plan, subgraphOf } from '../../model/plan.js';
import type { AgentStarts } from '../../model/schedule.js';
import { count, grouped, some } from '../../model/words.js';
import { type Alike, type ChangeBlock, ofEach, tallyText } from '../alike.js';
import { type ChangeView, factsOf } from '../change-view.js';
import { fits } from '../columns.js';
import { word } from '../escape.js';
import { type FieldView, LONGEST_LINE, tooDifferent, valueText } from '../field-view.js';
import { actingActions, actionLabels, isMoved, movedLabel } from '../labels.js';
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
  startsText,
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
  factsHtml,
  type Header,
  type Html,
  headerHtml,
  html,
  pageHtml,
  pageTitle,
  placeHtml,
  problemsHtml,
  proseHtml,
} from './page.js';
import type { PageChange, PageData, PageField, PageGroup, PagePlace, PageRuns } from './page-data.js';

interface HtmlOptions {
  readonly urlOf?: PlaceUrl;
  /** Shows the warnings of unchanged resources, too. Default: false. */
  readonly verbose?: boolean;
}

const STYLE = planStyle + calendarStyle + heatStyle();

/** More would hide the plan. The list of problems has all of them. */
const MOST_REFUSALS = 10;

/**
 * The whole plan as one page (contract §11, §18): the verdict, why apply would refuse it, what is risky, what starts more or
 * less often, every change with its differences, the graph, the calendar and the warnings, and last what it rests on.
 */
export function planHtml(plan: Plan, { urlOf = () => null, verbose }: HtmlOptions = {}): string {
  const page = planPage(plan);
  const { project, environment } = plan;
  const header: Header = {
    what: plan.destroy === true ? 'Plan to destroy' : 'Plan',
    project,
    environment,
    facts: [],
  };
  const { shown, rest } = shownAndRest(plan.findings.filter(isDiagnostic), {
    command: 'roster plan ',
    verbose,
  });
  const data = dataOf(plan, page, { diagnostics: shown, urlOf });
  const calendar = plan.calendar === undefined ? null : calendarPanel(plan.calendar);
  const body = html`${headerHtml(header)}
<main>
<p class="verdict"><b>${page.verdict === '' ? page.lastLine : page.verdict}</b>${ownersHtml(page)}</p>
${refusalsHtml(plan, page)}
${errorsHtml(page)}
${risksHtml(page)}
${warningsHtml(shown)}
${startsHtml(page)}
${panelsHtml(data, rest, calendar)}
</main>
${footerHtml(page)}`;
  return pageHtml({ title: pageTitle(header), body, style: STYLE, script: planScript(), data });
}

function ownersHtml({ owners }: PlanPage): Html | null {
  return owners.length === 0 ? null : html` <span class="owners">owned by ${owners.join(' ')}</span>`;
}

/** What the plan rests on. */
function footerHtml({ basis, totals, lastLine, digest }: PlanPage): Html {
  const facts = [
    ...[...basis, ...totals].map((each) => [each.label, factHtml(each)] as const),
    [
      'Digest',
      html`<code class="digest" id="digest">${digest}</code> <button type="button" class="copy" id="copy">Copy</button>`,
    ] as const,
  ];
  return html`<footer>
<p>${lastLine}</p>
${factsHtml(facts)}
</footer>`;
}

function factHtml({ value, isCode, override }: PlanFact): Html | string {
  if (!isCode) return value;
  const above =
    override === undefined
      ? null
      : html` (<code>${override.setBy}</code> overrides <code>${override.declared}</code>)`;
  return html`<code>${value}</code>${above}`;
}

function errorsHtml({ errors }: PlanPage): Html | null {
  if (errors.length === 0) return null;
  return html`<section class="refused" aria-labelledby="errors"><h2 id="errors">${count(errors.length, 'error')}</h2>
${problemsHtml(errors)}</section>`;
}

function refusalsHtml(plan: Plan, { restCommand }: PlanPage): Html | null {
  const refusals = refusalErrors(plan);
  if (refusals.length === 0) return null;
  const more = refusals.length - MOST_REFUSALS;
  return html`<section class="refused" aria-labelledby="refused"><h2 id="refused">${refusalTitle(plan)}</h2>
${problemsHtml(refusals.slice(0, MOST_REFUSALS))}${more > 0 ? html`<p>… and ${count(more, 'more reason')} under Problems.</p>` : null}${restCommand === null ? null : html`<p>To apply the rest: <code>${restCommand}</code></p>`}</section>`;
}

/** More would hide the changes. The list of changes begins with them. */
const MOST_RISKS = 6;
const MOST_AGENTS = 6;
/** Addresses of changes that are read as one. */
const MOST_NAMED = 4;

/** What can go wrong, before anything else: of the plan as a whole, and then of its changes. */
function risksHtml({ risks, risky, owners }: PlanPage): Html | null {
  if (risks.length + risky.length === 0) return null;
  const shown = risky.slice(0, MOST_RISKS);
  const more = risky.length - shown.length;
  const hasDeletes = risky.some(({ views: [{ change: first }] }) => first.action === 'delete');
  return html`<section class="${hasDeletes ? 'refused' : 'cautions'} risky" aria-labelledby="risky"><h2 id="risky">Risks</h2>
<ul>${risks.map(({ message }) => html`<li>${proseHtml(message)}</li>`)}${shown.map((each) => riskHtml(each, owners))}${more > 0 ? html`<li>and ${more} more, at the top of the changes</li>` : null}</ul></section>`;
}

function riskHtml({ views, alike }: ChangeBlock, common: readonly string[]): Html {
  const [{ change: first, verb, symbol, remarks, risks }] = views;
  const addresses = views.map(({ change }) => change.address);
  const subject = alike === null ? html`<code>${first.address}</code>` : alike.what;
  const said =
    alike === null
      ? risks.map(({ message }) => message)
      : [some(addresses, MOST_NAMED), tallyText(ofEach(alike.risks)) ?? ''].filter((each) => each !== '');
  const reasons = alike === null ? remarks : [tallyText(alike.remarks) ?? ''].filter((each) => each !== '');
  const own = alike === null ? first.owners?.join(' ') : tallyText(alike.owners);
  const owners = common.length > 0 ? '' : (own ?? '');
  return html`<li><span class="action ${pageAction(first)}"><span aria-hidden="true">${symbol}</span> ${verb}</span> ${subject}${owners === '' ? null : html` <span class="owners">${owners}</span>`}${reasons.map((each) => html` <span class="remark">${each}</span>`)}${said.map((each) => html`<span class="why">${proseHtml(each)}</span>`)}</li>`;
}

/** More would hide the changes. The list of problems has all of them, with what to do. */
const MOST_WARNINGS = 3;

/** Warnings without their help, so that nobody overlooks them behind a tab. */
function warningsHtml(diagnostics: readonly Diagnostic[]): Html | null {
  const warnings = diagnostics.filter(({ severity }) => severity === 'warning');
  if (warnings.length === 0) return null;
  const more = warnings.length - MOST_WARNINGS;
  return html`<section class="cautions risky" aria-labelledby="warnings"><h2 id="warnings">${count(warnings.length, 'warning')}</h2>
<ul>${warnings.slice(0, MOST_WARNINGS).map(warningHtml)}${more > 0 ? html`<li>and ${grouped(more)} more under Problems</li>` : null}</ul></section>`;
}

function warningHtml(warning: Diagnostic): Html {
  const { code, place } = warning;
  return html`<li><code>${code}</code>${place === undefined ? null : placeHtml(place)}<span class="why">${proseHtml(messageWithEntries(warning))}</span></li>`;
}

function startsHtml({ starts }: PlanPage): Html | null {
  if (starts === null) return null;
  const agents = starts.agents.slice(0, MOST_AGENTS);
  const more = starts.agents.length - agents.length;
  const number = ({ before, after }: AgentStarts) => `${startsText(before)} → ${startsText(after)}`;
  const total = starts.total === null ? 'the total stays the same' : starts.total;
  return html`<p class="starts"><b>Agent starts a week</b> ${total}${agents.map((each) => html`<span class="agent"><code>${each.agent}</code> ${number(each)}</span>`)}${more > 0 ? html`<span class="agent">and ${count(more, 'more agent')}</span>` : null}</p>`;
}

function dataOf(
  plan: Plan,
  { risky, others, owners }: PlanPage,
  { diagnostics, urlOf }: { readonly diagnostics: readonly Diagnostic[]; readonly urlOf: PlaceUrl },
): PageData {
  const blocks = [...risky, ...others];
  const views = blocks.flatMap((block) => block.views);
  const changed = new Set(views.map(({ change }) => change.address));
  const touched = subgraphOf({ nodes: [], links: [...plan.links, ...(plan.agentLinks ?? [])] }, changed);
  return {
    changes: views.map((each) => changeData(each, { urlOf, showsOwners: owners.length === 0 })),
    groups: groupsOf(blocks, owners.length === 0),
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

function groupsOf(blocks: readonly ChangeBlock[], showsOwners: boolean): PageGroup[] {
  const groups: PageGroup[] = [];
  let first = 0;
  for (const { views, alike } of blocks) {
    if (alike !== null) groups.push(groupData(views, alike, { first, showsOwners }));
    first += views.length;
  }
  return groups;
}

function groupData(
  [view, ...others]: ChangeBlock['views'],
  alike: Alike,
  { first, showsOwners }: { readonly first: number; readonly showsOwners: boolean },
): PageGroup {
  const said = [
    ['', alike.addresses],
    ['in', alike.places],
    ...(showsOwners ? [['owned by', alike.owners] as const] : []),
    ...alike.fields.map(({ path, values }) => [`${path}:`, values] as const),
    ['', ofEach(alike.cadences)],
    ['', alike.remarks],
    ['', alike.notes],
  ] as const;
  const lines = said.flatMap(([label, tally]) => {
    const text = tallyText(tally);
    return text === null ? [] : [`${label} ${text}`.trim()];
  });
  return {
    action: pageAction(view.change),
    title: alike.what,
    lines: [...lines, ...alike.outliers],
    risks: [tallyText(ofEach(alike.risks))].filter((each) => each !== null),
    first,
    size: others.length + 1,
    hasSameOwners: alike.owners.shown.every(({ number }) => number === alike.owners.of),
  };
}

/** A graph of pairs says no more than the changes themselves. */
function isOnlyPairs(links: PageData['links']): boolean {
  const ends = links.flatMap(({ from, to }) => [from, to]);
  return new Set(ends).size === ends.length;
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
      : [{ id: 'changes', title: `Changes (${grouped(changes.length)})`, body: changesPanel }]),
    ...(isOnlyPairs(links) ? [] : [{ id: 'graph', title: 'Dependency graph', body: graphPanel }]),
    ...(calendar === null ? [] : [{ id: 'calendar', title: 'Calendar', body: calendar }]),
    ...(problems.length === 0 && rest === null
      ? []
      : [{ id: 'problems', title: `Problems (${grouped(problems.length)})`, body: problemsPanel(rest) }]),
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

/** A moved key is no import, though both adopt an object. */
type PageAction = (typeof actingActions)[number] | 'moved';

const pageActions: readonly PageAction[] = [...actingActions, 'moved'];

function pageAction(change: Change): string {
  return isMoved(change) ? 'moved' : change.action;
}

function toolbar(changes: PageData['changes']): Html {
  const actions = pageActions.filter((action) => changes.some((each) => each.action === action));
  return html`<div role="search" class="toolbar" id="toolbar">
<label class="search"><span class="unseen">Search the changes</span><input type="search" id="query" placeholder="Search names, values, ids" autocomplete="off" spellcheck="false"></label>
<div role="group" aria-label="Actions" class="actions">${actions.map((action) => actionButton(action, changes))}</div>
<label>Kind <select id="kind"><option value="">all</option></select></label>
<label>Risk <select id="risk"><option value="">all</option></select></label>
<label>Owner <select id="owner"><option value="">all</option></select></label>
<label>File <select id="file"><option value="">all</option></select></label>
<button type="button" id="reset" hidden>Reset</button>
<p role="status" id="shown"></p>
</div>`;
}

function actionButton(action: PageAction, changes: PageData['changes']): Html {
  const { symbol, verb } = action === 'moved' ? movedLabel : actionLabels[action];
  const number = changes.filter((each) => each.action === action).length;
  return html`<button type="button" class="action ${action}" data-action="${action}" aria-pressed="false"><span aria-hidden="true">${symbol}</span> ${verb} <b>${grouped(number)}</b></button>`;
}

const changesPanel = html`<p class="hint"><span class="keys"><kbd>/</kbd> search, <kbd>↑</kbd> <kbd>↓</kbd> move, <kbd>Enter</kbd> open or close</span>
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
function changeData(
  view: ChangeView,
  { urlOf, showsOwners }: { readonly urlOf: PlaceUrl; readonly showsOwners: boolean },
): PageChange {
  const { change, name, needsCare, remarks, risks, notes, fields, calls, runs } = view;
  const { address, kind, id, source } = change;
  const facts = factsOf(view);
  const shown = facts.find((each) => fits(each.join('; '), LONGEST_LINE)) ?? facts.at(-1) ?? [];
  return {
    address,
    kind,
    action: pageAction(change),
    name: name ?? undefined,
    id: id ?? undefined,
    facts: shown.join('; ') || undefined,
    careful: needsCare || undefined,
    remarks,
    owners: showsOwners ? (change.owners ?? []) : [],
    risks: risks.map(({ label, besideCadence }) => ({ label, message: besideCadence })),
    notes,
    place: source === null ? undefined : placeData(source, urlOf),
    formerFile: change.formerFile,
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
