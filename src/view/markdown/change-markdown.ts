import type { Json } from '../../model/json.js';
import { andMore, count, wordList } from '../../model/words.js';
import { briefOf, type ChangeView, sentencesOf } from '../change-view.js';
import { cut, fits, pieces } from '../columns.js';
import { escapeControls, word } from '../escape.js';
import {
  type FieldParts,
  type FieldView,
  fieldLine,
  fieldParts,
  isBlank,
  MOST_LINES,
  sidesText,
  tooDifferent,
  valueText,
} from '../field-view.js';
import type { DiffLine } from '../line-diff.js';
import { cadenceBesideBrief, type RunsView, type RunText, weeklyText } from '../next-runs.js';
import type { PlaceUrl } from '../plan-words.js';
import {
  htmlCode,
  markdownCode,
  markdownFence,
  markdownProse,
  markdownTable,
  shortCode,
  shortProse,
  tableCode,
} from './markdown-escape.js';
import { type PageItem, placeMarkdown } from './page-parts.js';

/** Risks and notes shown for one change. */
const MOST_SENTENCES = 10;
export const LONGEST_SENTENCE = 2_000;
/** No name, id or address of a manifest is longer; those of the service may be. */
export const LONGEST_NAME = 2_000;
const LONGEST_OWNER = 100;
/** Owners that are named for one change. */
const MOST_OWNERS = 3;
/** Nobody scrolls sideways to the end of a line of code. */
const WIDEST_LINE = 100;

/** What is said of a plan as a whole, and how its places are linked. */
export interface PageContext {
  readonly urlOf: PlaceUrl;
  /** The owners of every change: they are not said with each. */
  readonly owners: readonly string[];
  /** Whether the changes of blocks are listed, too, and not only the deletes among them. */
  readonly listsAll: boolean;
}

/** A list item: the action, the resource and what changes, risks before values, notes, and what is long folded below. */
export function changeMarkdown(view: ChangeView, context: PageContext): PageItem {
  const parts = fieldParts(view.fields);
  // An empty list item would underline the line before it and so make it a heading.
  const isText = (each: string) => /\S/.test(each);
  const sentences = sentencesOf(view).filter(isText);
  const riskCount = view.risks.filter(({ besideCadence }) => isText(besideCadence)).length;
  const items = sentences.slice(0, MOST_SENTENCES).map((each) => `  - ${shortProse(each, LONGEST_SENTENCE)}`);
  const left = sentences.length - MOST_SENTENCES;
  const short = [
    heading(view, parts, context),
    ...items.slice(0, riskCount),
    ...belowHeading(view, parts),
    ...items.slice(riskCount),
    ...(left > 0 ? [`  - … and ${count(left, 'more note')}`] : []),
  ].join('\n');
  const shortened = shortenedParts(view, sentences);
  return {
    short,
    full: () => {
      const { lines, shortened: fields } = foldedFields(parts, view.runs);
      return { text: [short, ...lines].join('\n'), shortened: shortened + fields };
    },
    shortened,
  };
}

/** How much of what is always shown is not shown in full. */
function shortenedParts({ change, name }: ChangeView, sentences: readonly string[]): number {
  const names = [change.address, name, change.id].filter((each) => each !== null);
  const isLong = (text: string, columns: number) => !fits(escapeControls(text), columns);
  return (
    names.filter((each) => isLong(each, LONGEST_NAME)).length +
    sentences.slice(0, MOST_SENTENCES).filter((each) => isLong(each, LONGEST_SENTENCE)).length +
    Math.max(0, sentences.length - MOST_SENTENCES)
  );
}

function heading(view: ChangeView, parts: FieldParts, { urlOf, owners: common }: PageContext): string {
  const { change, verb, name, isIdentified, remarks } = view;
  const { address, id, source, formerFile } = change;
  const owners = common.length > 0 ? [] : (change.owners ?? []);
  const words = [
    `- **${verb}**`,
    shortCode(address, LONGEST_NAME),
    ...(name === null ? [] : [`named ${shortCode(name, LONGEST_NAME)}`]),
    ...(isIdentified && id !== null ? [`id ${shortCode(id, LONGEST_NAME)}`] : []),
    ...(source === null ? [] : [`at ${placeMarkdown(source, urlOf)}`]),
    ...(formerFile === undefined ? [] : [`last declared in ${shortCode(formerFile, LONGEST_NAME)}`]),
    ...(owners.length === 0 ? [] : [`owned by ${ownersMarkdown(owners)}`]),
    ...remarks.map((each) => `(${shortProse(each)})`),
  ].join(' ');
  const facts = headingFacts(view, parts).filter((each) => each !== null);
  return facts.length === 0 ? words : `${words}: ${facts.join('; ')}`;
}

/** As code: a mention would notify them. */
export function ownersMarkdown(owners: readonly string[]): string {
  const names = owners.map((each) => shortCode(each, LONGEST_OWNER));
  return wordList(names.slice(0, MOST_OWNERS), 'and') + andMore(names.length - MOST_OWNERS);
}

/** The same in a table. */
export function ownerCell({ owners = [] }: { readonly owners?: readonly string[] | undefined }): string {
  const names = owners.slice(0, MOST_OWNERS).map((each) => tableCode(cut(each, LONGEST_OWNER)));
  return names.join(' ') + andMore(owners.length - MOST_OWNERS);
}

/** What changes, if it fits; otherwise what it is in brief. And how often it runs, in the words that the rest leaves. */
function headingFacts({ change, cadence }: ChangeView, parts: FieldParts): (string | null)[] {
  const brief = change.action === 'adopt' ? briefOf(change) : null;
  if (brief !== null) return [shortProse(brief), cadenceBesideBrief(change)];
  const fields = fieldLine(parts, markdownCode);
  return fields === null ? [cadence] : [fitsHeading(parts) ? fields : null, weeklyText(change)];
}

/** One or two fields do not hide the place and the name before them. */
function fitsHeading({ onLine }: FieldParts): boolean {
  return onLine.length <= 2;
}

/** What must be seen and is too long for the heading. */
function belowHeading({ change, name, fields }: ChangeView, parts: FieldParts): string[] {
  const line = fitsHeading(parts) ? null : fieldLine(parts, markdownCode);
  const whole = fields.filter(({ isWhole }) => isWhole).flatMap(wholeField);
  // The rest of the natural key of what is deleted is never folded: name and id are in the heading.
  const identity = change.action === 'delete' && name === null ? deletedTexts(parts) : [];
  return [
    ...(line === null ? [] : [`  - ${line}`]),
    ...whole.map((each) => (each === '' ? '' : `  ${each}`)),
    ...(identity.length === 0 ? [] : [`  - ${identity.join(', ')}`]),
  ];
}

function deletedTexts({ below }: FieldParts): string[] {
  return below.flatMap(({ path, difference }) => {
    const before = difference.kind === 'list' ? null : difference.before;
    if (typeof before !== 'string' || before === '') return [];
    return `${shortProse(path)} ${shortCode(before, LONGEST_NAME)}`;
  });
}

/** In full, whatever else is left out. */
function wholeField(field: FieldView): string[] {
  const { path, difference } = field;
  if (difference.kind === 'value') {
    const value = sidesText(difference, (each) => markdownCode(valueText(each)));
    return [`- ${markdownCode(path)}: ${value}`];
  }
  return ['', ...fence([`  ${escapeControls(path)}:`, ...(signedLines(field) ?? []).flatMap(diffLine)]), ''];
}

interface FoldedText {
  readonly lines: readonly string[];
  /** How many fields are not shown in full. */
  readonly shortened: number;
}

/** The differences that are too long for a line, and the next runs, folded. */
export function foldedFields({ below }: FieldParts, runs: RunsView | null): FoldedText {
  if (below.length === 0 && runs === null) return { lines: [], shortened: 0 };
  const blocks = below.map(block);
  const titles = [...below.map((field) => field.path), ...(runs === null ? [] : ['next runs'])];
  const lines = [
    '',
    `<details><summary>${htmlCode(cut(escapeControls(titles.join(', ')), WIDEST_LINE))}</summary>`,
    '',
    ...(blocks.length === 0 ? [] : [...fence(blocks.flatMap((each) => each.lines)), '']),
    ...(runs === null ? [] : runsMarkdown(runs)),
    '',
    '</details>',
    '',
  ];
  return {
    lines: lines.map((each) => (each === '' ? '' : `  ${each}`)),
    shortened: blocks.filter(({ isShortened }) => isShortened).length,
  };
}

/** The lines of one field in a `diff` block. */
function block(field: FieldView): { readonly lines: readonly string[]; readonly isShortened: boolean } {
  const { path, remark, difference } = field;
  const name = `${cut(escapeControls(path), 40)}${remark === null ? '' : ` (${remark})`}`;
  const found = signedLines(field);
  if (found === null) return { lines: [`! ${name}: ${tooDifferent(difference)}`], isShortened: true };
  const lines = found.flatMap(diffLine);
  const left = lines.length - MOST_LINES;
  const more = left > 0 ? [`  … ${count(left, 'more line')}`] : [];
  return { lines: [`  ${name}:`, ...lines.slice(0, MOST_LINES), ...more], isShortened: left > 0 };
}

/** What goes, and then what comes. Null for what differs in too much to be read. */
function signedLines({ difference }: FieldView): DiffLine[] | null {
  const lines = (kind: DiffLine['kind'], texts: readonly string[]) => texts.map((text) => ({ kind, text }));
  switch (difference.kind) {
    case 'lines':
      return difference.lines();
    case 'value': {
      const text = (value: Json = null) => (isBlank(value) ? [] : [valueText(value)]);
      return [...lines('removed', text(difference.before)), ...lines('added', text(difference.after))];
    }
    case 'list': {
      const { before = [], after = [], added, removed, isOrdered } = difference;
      const [gone, come] = isOrdered ? [before, after] : [removed, added];
      return [...lines('removed', gone.map(word)), ...lines('added', come.map(word))];
    }
    default:
      return difference satisfies never;
  }
}

function fence(lines: readonly string[]): string[] {
  return markdownFence('diff', lines).split('\n');
}

/** A line of a `diff` block begins with `+`, `-` or a space. A bar marks where a long line goes on. */
function diffLine({ kind, text }: DiffLine): string[] {
  const sign = { added: '+', removed: '-', same: ' ', hunk: ' ' }[kind];
  return pieces(text, WIDEST_LINE).map((piece, index) => `${sign} ${index === 0 ? ' ' : '┊'} ${piece}`);
}

/** The next runs of a schedule, before and after, as a sentence and a table. */
function runsMarkdown({ zone, source, before, after, computed, clockChanges }: RunsView): string[] {
  const title = `Next runs in ${markdownCode(zone)}${zone === 'UTC' ? '' : ' and UTC'}, ${source}:`;
  const differs = 'The preview differs from what roster computes:';
  const changes = clockChanges.map((line) => `- ${markdownProse(line)}`);
  return [
    title,
    '',
    ...(before === null ? runTable(['runs'], [after]) : runTable(['before', 'after'], [before, after])),
    ...(computed === null ? [] : ['', differs, '', ...runTable(['computed'], [computed])]),
    ...(changes.length === 0 ? [] : ['', ...changes]),
  ];
}

function runTable(titles: readonly string[], columns: readonly (readonly RunText[])[]): string[] {
  const rows = Math.max(...columns.map((each) => each.length));
  const cell = (run: RunText | undefined) =>
    run === undefined ? '' : run.isTime ? tableCode(run.text) : run.text;
  return markdownTable(
    titles,
    Array.from({ length: rows }, (_, index) => columns.map((each) => cell(each[index]))),
  );
}
