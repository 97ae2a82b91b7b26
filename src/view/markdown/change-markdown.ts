import type { Place } from '../../model/diagnostic.js';
import type { Change, Step } from '../../model/plan.js';
import { cadenceText } from '../cadence-text.js';
import { actionLabels, needsCare } from '../change-labels.js';
import { escapeControls } from '../escape.js';
import { callSummaries, type StepLookup } from '../plan-lookup.js';
import { originText } from '../text/field-text.js';
import { count, cut, fits } from '../text/layout.js';
import { type FieldsMarkdown, fieldsMarkdown, foldable, wholeFieldsMarkdown } from './field-markdown.js';
import { htmlCode, markdownLink, shortCode, shortProse } from './markdown-escape.js';
import type { PackItem } from './markdown-pack.js';
import { runsMarkdown } from './runs-markdown.js';

/** Risks and notes shown for one change. */
const maxSentences = 10;
const maxSentenceColumns = 2_000;
/** No name, id or address of a manifest is longer; those of the service may be. */
const maxNameColumns = 2_000;

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
  const whole = wholeFieldsMarkdown(change).map((line) => (line === '' ? '' : `  ${line}`));
  const shown = [
    ...whole,
    ...deletedObject(change),
    ...sentences.slice(0, maxSentences).map((each) => `  - ${shortProse(each, maxSentenceColumns)}`),
  ];
  const left = sentences.length - maxSentences;
  const more = left > 0 ? [`  - … and ${count(left, 'more note')}`] : [];
  const short = [heading(change, context), ...shown, ...more].join('\n');
  const shortened = shortenedParts(change, sentences);
  return {
    short,
    full: () => {
      const { lines, shortened: fields } = details(change, context.stepsOf(change));
      return { text: [short, ...lines].join('\n'), shortened: shortened + fields };
    },
    shortened,
  };
}

/** How much of what is always shown is not shown in full. */
function shortenedParts({ address, name, id }: Change, sentences: readonly string[]): number {
  const names = [address, name, id].filter((each) => each !== null);
  return (
    names.filter((each) => !fits(escapeControls(each), maxNameColumns)).length +
    sentences.slice(0, maxSentences).filter((each) => !fits(escapeControls(each), maxSentenceColumns))
      .length +
    Math.max(0, sentences.length - maxSentences)
  );
}

/** What is deleted, whatever its entry was called: name and id are in the heading, and this is the rest of a natural key. */
function deletedObject({ action, name, fields }: Change): string[] {
  if (action !== 'delete' || name !== null) return [];
  const texts = fields.flatMap(({ path, before, sensitive }) =>
    sensitive || typeof before !== 'string' || before === ''
      ? []
      : `${shortProse(path)} ${shortCode(before, maxNameColumns)}`,
  );
  return texts.length === 0 ? [] : [`  - ${texts.join(', ')}`];
}

function heading(change: Change, { urlOf, stepsOf }: ChangeContext): string {
  const { verb } = actionLabels[change.action];
  const outside = change.origin === 'remote' || change.origin === 'both' ? originText(change.origin) : null;
  const subject = [
    `- **${needsCare(change, stepsOf(change)) ? verb.toUpperCase() : verb}**`,
    shortCode(change.address, maxNameColumns),
    ...(change.name === null ? [] : [`named ${shortCode(change.name, maxNameColumns)}`]),
    ...(change.action === 'delete' && change.id !== null
      ? [`id ${shortCode(change.id, maxNameColumns)}`]
      : []),
    ...(change.source === null ? [] : [`at ${placeMarkdown(change.source, urlOf)}`]),
    ...(change.adopted && change.renamedFrom === undefined ? ['(adopted)'] : []),
    ...(outside === null ? [] : [`(${outside})`]),
  ].join(' ');
  const cadence = cadenceText(change);
  return cadence === null ? subject : `${subject}: ${cadence}`;
}

/** `roster.yaml:17`, as a link if a commit is known. */
export function placeMarkdown(place: Place, urlOf: ChangeContext['urlOf']): string {
  const text = cut(`${escapeControls(place.file)}:${place.line}`, 120);
  const url = urlOf(place);
  return url === null ? shortCode(text, 120) : markdownLink(text, url);
}

/** The differences and the requests, folded. */
function details(change: Change, steps: readonly Step[]): FieldsMarkdown {
  const shown = change.nextRuns === null ? [] : runsMarkdown(change.nextRuns);
  const runs = shown.length === 0 ? [] : [...shown, ''];
  const calls = callSummaries(steps).map(({ method, path }) => shortCode(`${method} ${path}`, 160));
  const requests = [...(change.id === null ? [] : [`id ${shortCode(change.id, 80)}`]), ...calls];
  const fields = fieldsMarkdown(change);
  const body = [...fields.lines, ...runs];
  if (body.length === 0) return fields;
  const titles = [
    ...foldable(change).map((field) => field.path),
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
  return { ...fields, lines: lines.map((line) => (line === '' ? '' : `  ${line}`)) };
}
