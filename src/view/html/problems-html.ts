import type { Diagnostic, Place } from '../../model/diagnostic.js';
import { escapeControls } from '../escape.js';
import { severityLabels } from '../severity-labels.js';
import { type Html, html } from './html-text.js';

/** Diagnostics as a list, in the order given. */
export function problemsHtml(diagnostics: readonly Diagnostic[]): Html {
  return html`<ul class="problems">${diagnostics.map(problemHtml)}</ul>`;
}

function problemHtml({ severity, code, message, place, help }: Diagnostic): Html {
  return html`
<li class="problem ${severity}"><p><b>${severityLabels[severity]}</b> <code>${code}</code>${place === undefined ? null : placeHtml(place)}</p><p>${proseHtml(message)}</p>${help === undefined ? null : html`<p class="help">${proseHtml(help)}</p>`}</li>`;
}

function placeHtml({ file, line }: Place): Html {
  return html` <code class="place">${file}:${line}</code>`;
}

/** Prose in which code is between backticks. */
export function proseHtml(text: string): Html {
  const parts = escapeControls(text).split('`');
  // A backtick without a partner is one.
  if (parts.length % 2 === 0) return html`${parts.join('`')}`;
  return html`${parts.map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : part))}`;
}
