import type { Place } from '../../model/diagnostic.js';
import type { Change } from '../../model/plan.js';
import type { ShownCall } from '../calls.js';
import { actionWords, needsCare } from '../change-labels.js';
import { escapeControls } from '../escape.js';
import { isWorthALine, originText } from '../text/field-text.js';
import { count, cut } from '../text/layout.js';
import { fieldsMarkdown } from './field-markdown.js';
import { htmlCode, markdownCode, markdownLink, markdownProse } from './markdown-escape.js';
import type { Block } from './markdown-pack.js';
import { runsMarkdown } from './runs-markdown.js';

/** Reasons and notes that are shown of one change. */
const shownSentences = 10;

export interface ChangeContext {
  /** Where the line of a manifest can be read; null where no commit is known. */
  readonly urlOf: (place: Place) => string | null;
  readonly callsOf: (change: Change) => readonly ShownCall[];
}

/** An item of a list: what is done to what and why it matters, and folded under it the differences. */
export function changeMarkdown(change: Change, context: ChangeContext): Block {
  // An item with nothing in it would underline the line before it, which makes that a heading.
  const sentences = [...change.risks.map((risk) => risk.message), ...change.notes].filter((each) =>
    /\S/.test(each),
  );
  const shown = sentences.slice(0, shownSentences).map((each) => `  - ${prose(each)}`);
  const left = sentences.length - shown.length;
  const more = left > 0 ? [`  - … and ${count(left, 'more note')}`] : [];
  const short = [heading(change, context), ...shown, ...more].join('\n');
  return { short, full: () => [short, ...fold(change, context)].join('\n') };
}

function heading(change: Change, { urlOf }: ChangeContext): string {
  const { verb } = actionWords[change.action];
  const outside = change.origin === 'remote' || change.origin === 'both' ? originText(change.origin) : null;
  return [
    `- **${needsCare(change) ? verb.toUpperCase() : verb}**`,
    code(change.address, 120),
    ...(change.name === null ? [] : [`named ${code(change.name, 80)}`]),
    ...(change.source === null ? [] : [`at ${placeMarkdown(change.source, urlOf)}`]),
    ...(change.adopted ? ['(adopted)'] : []),
    ...(outside === null ? [] : [`(${outside})`]),
  ].join(' ');
}

/** `roster.yaml:17`, as a link where a commit is known. */
export function placeMarkdown(place: Place, urlOf: ChangeContext['urlOf']): string {
  const text = cut(`${escapeControls(place.file)}:${place.line}`, 120);
  const url = urlOf(place);
  return url === null ? code(text, 120) : markdownLink(text, url);
}

function fold(change: Change, { callsOf }: ChangeContext): string[] {
  const runs = change.nextRuns === null ? [] : [...runsMarkdown(change.nextRuns), ''];
  const calls = callsOf(change).map(({ method, path }) => code(`${method} ${path}`, 160));
  const about = [...(change.id === null ? [] : [`id ${code(change.id, 80)}`]), ...calls];
  const body = [...fieldsMarkdown(change), ...runs];
  if (body.length === 0) return [];
  const titles = [
    ...change.fields.filter(isWorthALine).map((field) => field.path),
    ...(runs.length === 0 ? [] : ['next runs']),
  ];
  const title = htmlCode(cut(escapeControls(titles.join(', ')), 120));
  const lines = [
    '',
    `<details><summary>${title}</summary>`,
    '',
    ...body,
    ...(about.length === 0 ? [] : [about.join(', '), '']),
    '</details>',
    '',
  ];
  return lines.map((line) => (line === '' ? '' : `  ${line}`));
}

function code(text: string, width: number): string {
  return markdownCode(cut(escapeControls(text), width));
}

function prose(text: string): string {
  return markdownProse(cut(escapeControls(text), 400));
}
