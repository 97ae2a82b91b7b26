import { createHash } from 'node:crypto';
import type { Diagnostic, Place } from '../../model/diagnostic.js';
import { escapeControls } from '../escape.js';
import { messageWithEntries, severityCounts, severityLabels, worstFirst } from '../plan-words.js';
import pageStyle from './page/page.css?raw';

export interface PageParts {
  readonly title: string;
  readonly body: Html;
  /** Besides the style that all pages share. */
  readonly style?: string;
  /** A module. Without it, the page allows no script. */
  readonly script?: string;
  /** What the script reads. */
  readonly data?: object;
}

/** A character that the tab of a browser shows, so that no browser asks for an icon. */
const ICON =
  'data:image/svg+xml,%3Csvg xmlns=%22http://www.w3.org/2000/svg%22 viewBox=%220 0 16 16%22%3E%3Crect width=%2216%22 height=%2216%22 rx=%223%22 fill=%22%231f6feb%22/%3E%3Cpath d=%22M4 5h8M4 8h5M4 11h7%22 stroke=%22white%22 stroke-width=%221.6%22/%3E%3C/svg%3E';

/**
 * A whole page in one file. Its policy allows the style and the script of this file, by their hashes, and no request: not
 * even markup in a value could load or run anything.
 */
export function pageHtml({ title, body, style: own = '', script, data }: PageParts): string {
  const style = pageStyle + own;
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${trusted(policy(style, script))}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<meta name="robots" content="noindex">
<title>${title}</title>
<link rel="icon" href="${trusted(ICON)}">
<style>${trusted(style)}</style>
</head>
<body>
${body}
${data === undefined ? null : html`<script type="application/json" id="data">${jsonForPage(data)}</script>`}
${script === undefined ? null : html`<script type="module">${trusted(script)}</script>`}
</body>
</html>
`.text;
}

function policy(style: string, script: string | undefined): string {
  return [
    "default-src 'none'",
    `script-src ${script === undefined ? "'none'" : sourceHash(script)}`,
    `style-src ${sourceHash(style)}`,
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ');
}

function sourceHash(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}

export interface Header {
  /** `Plan` or `Calendar`. */
  readonly what: string;
  readonly project: string;
  readonly environment: string | null;
  /** Names and what they are, in reading order. */
  readonly facts: readonly (readonly [string, Html | string])[];
}

export function headerHtml({ what, project, environment, facts }: Header): Html {
  return html`<header>
<p class="what">${what}</p>
<h1>${project}${environment === null ? null : html` <span class="environment">${environment}</span>`}</h1>
${facts.length === 0 ? null : factsHtml(facts)}
</header>`;
}

export function factsHtml(facts: Header['facts']): Html {
  return html`<dl class="facts-list">${facts.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`;
}

export function pageTitle({ what, project, environment }: Header): string {
  return `${what} of ${project}${environment === null ? '' : ` (${environment})`}`;
}

/** Diagnostics as a list, in the order given. */
export function problemsHtml(diagnostics: readonly Diagnostic[]): Html {
  return html`<ul class="problems">${diagnostics.map(problemHtml)}</ul>`;
}

function problemHtml(diagnostic: Diagnostic): Html {
  const { severity, code, place, help } = diagnostic;
  return html`
<li class="problem ${severity}"><p><b>${severityLabels[severity]}</b> <code>${code}</code>${place === undefined ? null : placeHtml(place)}</p><p>${proseHtml(messageWithEntries(diagnostic))}</p>${help === undefined ? null : html`<p class="help">${proseHtml(help)}</p>`}</li>`;
}

export function placeHtml({ file, line }: Place): Html {
  return html` <code class="place">${file}:${line}</code>`;
}

/** Prose in which code is between backticks. */
export function proseHtml(text: string): Html {
  const parts = escapeControls(text).split('`');
  // A backtick without a partner is one.
  if (parts.length % 2 === 0) return html`${parts.join('`')}`;
  return html`${parts.map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : part))}`;
}

/** Text that is HTML already. Only `html` makes it, so that no value becomes markup by mistake. */
export class Html {
  constructor(readonly text: string) {}
}

type Part = string | number | Html | null | readonly Part[];

/** HTML in which every value is text: `html`<b>${name}</b>``. Lists are joined, null is nothing. */
export function html(strings: TemplateStringsArray, ...values: readonly Part[]): Html {
  return new Html(strings.map((each, index) => each + textOf(values[index] ?? null)).join(''));
}

/** For the page's own files, which are not values. */
function trusted(text: string): Html {
  return new Html(text);
}

function textOf(part: Part): string {
  if (part === null) return '';
  if (part instanceof Html) return part.text;
  if (typeof part === 'object') return part.map(textOf).join('');
  return escapeControls(String(part)).replace(/[<>&"'`]/g, (each) => `&#${each.charCodeAt(0)};`);
}

/** A value for the script of the page: text that cannot end the element it is in. */
export function jsonForPage(value: unknown): Html {
  const escaped = (_: string, each: unknown) => (typeof each === 'string' ? escapeControls(each) : each);
  return new Html(JSON.stringify(value, escaped).replace(/</g, '\\u003c'));
}

export interface FailedPage {
  readonly what: 'Plan' | 'Calendar';
  /** Null when the manifests cannot be read so far. */
  readonly project: string | null;
  readonly environment: string | null;
  readonly diagnostics: readonly Diagnostic[];
}

/** The page in place of a plan or a calendar when there are errors. */
export function failureHtml({ what, project, environment, diagnostics }: FailedPage): string {
  const header = { what, project: project ?? 'Unknown project', environment, facts: [] };
  const body = html`${headerHtml(header)}
<main>
<section class="refused" aria-labelledby="failed"><h2 id="failed">No ${what.toLowerCase()}, because of errors</h2>
<p>${severityCounts(diagnostics).join(', ')}</p></section>
${problemsHtml(worstFirst(diagnostics))}
</main>`;
  return pageHtml({ title: `${pageTitle(header)}: errors`, body });
}
