import { type Html, html } from './html-text.js';

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
<dl>${facts.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>
</header>`;
}

export function pageTitle({ what, project, environment }: Omit<Header, 'facts'>): string {
  return `${what} of ${project}${environment === null ? '' : ` (${environment})`}`;
}
