import { actingActions, actionLabels } from '../change-labels.js';
import { type Html, html } from './html-text.js';
import type { PageData } from './page-data.js';

/** The changes and all that belongs to them, of which one panel is shown at a time. The script fills the lists. */
export function panelsHtml({ changes, problems, links }: PageData, calendar: Html | null): Html | null {
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
