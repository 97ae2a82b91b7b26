import type { Place } from '../../model/diagnostic.js';
import type { Change, Step } from '../../model/plan.js';
import { actionLabels, needsCare } from '../change-labels.js';
import { escapeControls } from '../escape.js';
import { callSummaries, type StepLookup } from '../plan-lookup.js';
import { isWorthALine, originText } from '../text/field-text.js';
import { count, cut } from '../text/layout.js';
import { fieldsMarkdown } from './field-markdown.js';
import { htmlCode, markdownLink, shortCode, shortProse } from './markdown-escape.js';
import type { PackItem } from './markdown-pack.js';
import { runsMarkdown } from './runs-markdown.js';

/** Risks and notes shown for one change. */
const maxSentences = 10;

export interface ChangeContext {
  /** The URL of a manifest line; null if no commit is known. */
  readonly urlOf: (place: Place) => string | null;
  readonly stepsOf: StepLookup;
}

/** A list item: the action, the resource, risks and notes, and the differences folded below. */
export function changeMarkdown(change: Change, context: ChangeContext): PackItem {
  // An empty list item would underline the line before it and so make it a heading.
  const sentences = [...change.risks.map((risk) => risk.message), ...change.notes].filter((each) =>
    /\S/.test(each),
  );
  const shown = [
    ...deletedObject(change),
    ...sentences.slice(0, maxSentences).map((each) => `  - ${shortProse(each)}`),
  ];
  const left = sentences.length - maxSentences;
  const more = left > 0 ? [`  - … and ${count(left, 'more note')}`] : [];
  const short = [heading(change, context), ...shown, ...more].join('\n');
  return { short, full: () => [short, ...details(change, context.stepsOf(change))].join('\n') };
}

/** What is deleted, whatever its entry was called: name and id are in the heading, and this is the rest of a natural key. */
function deletedObject({ action, name, fields }: Change): string[] {
  if (action !== 'delete' || name !== null) return [];
  const texts = fields.flatMap(({ path, before, sensitive }) =>
    sensitive || typeof before !== 'string' || before === ''
      ? []
      : `${shortProse(path)} ${shortCode(before, 80)}`,
  );
  return texts.length === 0 ? [] : [`  - ${texts.join(', ')}`];
}

function heading(change: Change, { urlOf, stepsOf }: ChangeContext): string {
  const { verb } = actionLabels[change.action];
  const outside = change.origin === 'remote' || change.origin === 'both' ? originText(change.origin) : null;
  return [
    `- **${needsCare(change, stepsOf(change)) ? verb.toUpperCase() : verb}**`,
    shortCode(change.address, 120),
    ...(change.name === null ? [] : [`named ${shortCode(change.name, 80)}`]),
    ...(change.action === 'delete' && change.id !== null ? [`id ${shortCode(change.id, 80)}`] : []),
    ...(change.source === null ? [] : [`at ${placeMarkdown(change.source, urlOf)}`]),
    ...(change.adopted ? ['(adopted)'] : []),
    ...(outside === null ? [] : [`(${outside})`]),
  ].join(' ');
}

/** `roster.yaml:17`, as a link if a commit is known. */
export function placeMarkdown(place: Place, urlOf: ChangeContext['urlOf']): string {
  const text = cut(`${escapeControls(place.file)}:${place.line}`, 120);
  const url = urlOf(place);
  return url === null ? shortCode(text, 120) : markdownLink(text, url);
}

/** The differences and the requests, folded. */
function details(change: Change, steps: readonly Step[]): string[] {
  const runs = change.nextRuns === null ? [] : [...runsMarkdown(change.nextRuns), ''];
  const calls = callSummaries(steps).map(({ method, path }) => shortCode(`${method} ${path}`, 160));
  const requests = [...(change.id === null ? [] : [`id ${shortCode(change.id, 80)}`]), ...calls];
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
    ...(requests.length === 0 ? [] : [requests.join(', '), '']),
    '</details>',
    '',
  ];
  return lines.map((line) => (line === '' ? '' : `  ${line}`));
}
