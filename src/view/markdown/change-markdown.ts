import type { Place } from '../../model/diagnostic.js';
import type { Change } from '../../model/plan.js';
import { cadenceText, weeklyText } from '../cadence-text.js';
import { actionLabels, needsCare } from '../change-labels.js';
import { escapeControls } from '../escape.js';
import type { StepLookup } from '../plan-lookup.js';
import { sentencesOf } from '../sentences.js';
import { originText } from '../text/field-text.js';
import { count, cut, fits } from '../text/layout.js';
import { type FieldParts, fieldLine, fieldParts } from './field-line.js';
import {
  type FieldOwner,
  type FieldsMarkdown,
  fieldsMarkdown,
  wholeFieldsMarkdown,
} from './field-markdown.js';
import { htmlCode, markdownCode, markdownLink, shortCode, shortProse } from './markdown-escape.js';
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

/** A list item: the action, the resource and what changes, risks and notes, and what is long folded below. */
export function changeMarkdown(change: Change, context: ChangeContext): PackItem {
  const parts = fieldParts(change);
  const sentences = visibleSentences(change);
  const short = [
    heading(change, parts, context),
    ...belowHeading(change, parts),
    ...sentences.slice(0, maxSentences).map((each) => `  - ${shortProse(each, maxSentenceColumns)}`),
    ...leftOut(sentences.length - maxSentences),
  ].join('\n');
  const shortened = shortenedParts(change, sentences);
  return {
    short,
    full: () => {
      const { lines, shortened: fields } = details(change, parts);
      return { text: [short, ...lines].join('\n'), shortened: shortened + fields };
    },
    shortened,
  };
}

/** An empty list item would underline the line before it and so make it a heading. */
function visibleSentences(change: Change): string[] {
  return sentencesOf(change).filter((each) => /\S/.test(each));
}

function leftOut(sentences: number): string[] {
  return sentences > 0 ? [`  - … and ${count(sentences, 'more note')}`] : [];
}

/** What must be seen and is too long for the heading. */
function belowHeading(change: Change, parts: FieldParts): string[] {
  const line = fitsHeading(parts) ? null : fieldLine(parts, change, markdownCode);
  const whole = wholeFieldsMarkdown(change).map((each) => (each === '' ? '' : `  ${each}`));
  const identity = parts.below.length > 0 ? deletedObject(change, parts) : [];
  return [...(line === null ? [] : [`  - ${line}`]), ...whole, ...identity];
}

/** One or two fields do not hide the place and the name before them. */
function fitsHeading({ onLine }: FieldParts): boolean {
  return onLine.length <= 2;
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

/** The rest of the natural key of what is deleted, which is never folded: name and id are in the heading. */
function deletedObject({ action, name }: Change, { below }: FieldParts): string[] {
  if (action !== 'delete' || name !== null) return [];
  const texts = below.flatMap(({ path, before, sensitive }) =>
    sensitive || typeof before !== 'string' || before === ''
      ? []
      : `${shortProse(path)} ${shortCode(before, maxNameColumns)}`,
  );
  return texts.length === 0 ? [] : [`  - ${texts.join(', ')}`];
}

function heading(change: Change, parts: FieldParts, { urlOf, stepsOf }: ChangeContext): string {
  const { verb } = actionLabels[change.action];
  const outside = change.origin === 'remote' || change.origin === 'both' ? originText(change.origin) : null;
  const words = [
    `- **${needsCare(change, stepsOf(change)) ? verb.toUpperCase() : verb}**`,
    shortCode(change.address, maxNameColumns),
    ...(isNameKnown(change) ? [] : [`named ${shortCode(change.name ?? '', maxNameColumns)}`]),
    ...(isIdentified(change) && change.id !== null ? [`id ${shortCode(change.id, maxNameColumns)}`] : []),
    ...(change.source === null ? [] : [`at ${placeMarkdown(change.source, urlOf)}`]),
    ...(isFromOutside(change) ? ['(adopted)'] : []),
    ...(outside === null ? [] : [`(${outside})`]),
  ].join(' ');
  const fields = fitsHeading(parts) ? fieldLine(parts, change, markdownCode) : null;
  const cadence = fields === null ? cadenceBeside(change) : weeklyText(change);
  const facts = [briefly(change, fields), fields, cadence].filter((each) => each !== null);
  return facts.length === 0 ? words : `${words}: ${facts.join('; ')}`;
}

/** Describes an object that does not change, or one that is new and whose fields are below. */
function briefly({ action, inBrief }: Change, fields: string | null): string | null {
  const isShown = action === 'adopt' || (action === 'create' && fields === null);
  return isShown && inBrief !== undefined ? shortProse(inBrief) : null;
}

/** Without what `inBrief` says of a new schedule: an interval, that it is paused, or runs once. */
function cadenceBeside(change: Change): string | null {
  const { action, inBrief } = change;
  const cadence = cadenceText(change);
  if (action !== 'create' || inBrief === undefined || cadence === null) return cadence;
  const more = cadence.split(', ').filter((part) => !inBrief.includes(part.replace(/^runs /, '')));
  return more.length === 0 ? null : more.join(', ');
}

function isFromOutside({ action, adopted, renamedFrom }: Change): boolean {
  return adopted && action !== 'adopt' && renamedFrom === undefined;
}

/** A name that repeats the key adds nothing, except for deletes. */
function isNameKnown(change: Change): boolean {
  return change.name === null || (change.action !== 'delete' && isNameInAddress(change));
}

export function isNameInAddress({ address, name }: Pick<Change, 'address' | 'name'>): boolean {
  return name === null || name === address.slice(address.indexOf('/') + 1);
}

/** Where it matters which object is meant: one that is lost, or that this project has not managed so far. */
function isIdentified({ action, adopted }: Change): boolean {
  return action === 'delete' || action === 'forget' || adopted;
}

/** `roster.yaml:17`, as a link if a commit is known. */
export function placeMarkdown(place: Place, urlOf: ChangeContext['urlOf']): string {
  const text = cut(`${escapeControls(place.file)}:${place.line}`, 120);
  const url = urlOf(place);
  return url === null ? shortCode(text, 120) : markdownLink(text, url);
}

/** The differences that are too long for a line, and the next runs, folded. */
function details(change: Change, { below }: FieldParts): FieldsMarkdown {
  const runs = change.nextRuns === null ? [] : runsMarkdown(change.nextRuns);
  return folded(below, change, runs);
}

/** The differences that are too long for a line, folded. */
export function foldedFields({ below }: FieldParts, owner: FieldOwner): FieldsMarkdown {
  return folded(below, owner, []);
}

function folded(below: FieldParts['below'], owner: FieldOwner, runs: readonly string[]): FieldsMarkdown {
  const fields = fieldsMarkdown(below, owner);
  if (below.length === 0 && runs.length === 0) return fields;
  const titles = [...below.map((field) => field.path), ...(runs.length === 0 ? [] : ['next runs'])];
  const title = htmlCode(cut(escapeControls(titles.join(', ')), 120));
  const lines = [
    '',
    `<details><summary>${title}</summary>`,
    '',
    ...fields.lines,
    ...runs,
    '',
    '</details>',
    '',
  ];
  return { ...fields, lines: lines.map((each) => (each === '' ? '' : `  ${each}`)) };
}
