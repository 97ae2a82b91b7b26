import type { Change, FieldChange } from '../model/plan.js';
import { inert, word } from './escape.js';
import { tooDifferent } from './field-text.js';
import { cut } from './layout.js';
import { lineDiff } from './line-diff.js';
import { runText, zoneText } from './runs-text.js';
import { changesOrder, elements, isBlank, listDifference, valueText } from './value-text.js';

/** Longer lines and longer differences are cut: a comment is for reading, the text plan holds all. */
const lineWidth = 160;
const shownLines = 60;

/** What a change does, as lines of a `diff` block: every one begins with `+`, `-`, `!` or a space, and is inert. */
export function changeDiff(change: Change): string[] {
  const fields = change.fields.flatMap((field) => limited(fieldDiff(field, change)));
  return limited([...fields, ...runsDiff(change)].map((line) => cut(line, lineWidth)));
}

function limited(lines: readonly string[]): string[] {
  if (lines.length <= shownLines) return [...lines];
  return [...lines.slice(0, shownLines), `  … ${lines.length - shownLines} more lines`];
}

function fieldDiff(field: FieldChange, change: Change): string[] {
  const path = inert(field.path);
  if (field.sensitive) return [`! ${path}: (sensitive, changed)`];
  if (isBlank(field.before) && isBlank(field.after)) return [];
  switch (field.layout) {
    case 'value':
      return valueDiff(path, field, change);
    case 'set':
      return listDiff(path, field);
    case 'sequence':
      return [...listDiff(path, field), ...orderDiff(path, field)];
    case 'text':
    case 'map':
      return textDiff(path, field, change);
    default:
      return field.layout satisfies never;
  }
}

function valueDiff(path: string, { before, after }: FieldChange, { action }: Change): string[] {
  const from = action === 'create' ? [] : [`- ${path}: ${valueText(before)}`];
  const to = action === 'delete' ? [] : [`+ ${path}: ${valueText(after)}`];
  return [...from, ...to];
}

function listDiff(path: string, { before, after }: FieldChange): string[] {
  const { added, removed } = listDifference(elements(before), elements(after));
  const line = (sign: string) => (each: string) => `${sign} ${path}: ${word(each)}`;
  return [...removed.map(line('-')), ...added.map(line('+'))];
}

function orderDiff(path: string, field: FieldChange): string[] {
  const [before, after] = [elements(field.before), elements(field.after)];
  if (after.length === 0 || !changesOrder(before, after)) return [];
  const line = (list: readonly string[]) => list.map(word).join(', ');
  return [`- order of ${path}: ${line(before)}`, `+ order of ${path}: ${line(after)}`];
}

function textDiff(path: string, field: FieldChange, change: Change): string[] {
  const { before, after } = field;
  const short = valueDiff(path, field, change);
  const several = [before, after].some((each) => typeof each === 'string' && each.includes('\n'));
  if (!several && short.every((line) => line.length <= 80)) return short;
  const lines = lineDiff(before, after);
  if (lines === null) return [`! ${path}: ${tooDifferent(before, after)}`];
  const signs = { added: '+', removed: '-', same: ' ', hunk: ' ' } as const;
  return [`  ${path}:`, ...lines.map(({ kind, text }) => `${signs[kind]}   ${text}`)];
}

function runsDiff({ nextRuns }: Change): string[] {
  if (nextRuns === null) return [];
  const { before, after, by } = nextRuns;
  const source = by === 'service' ? "from the service's preview" : 'computed by roster';
  const lines = (sign: string, runs: typeof before) =>
    (runs ?? []).slice(0, 5).map((run) => `${sign} ${runText(run, nextRuns)}`);
  return [`  next runs in ${zoneText(nextRuns)}, ${source}:`, ...lines('-', before), ...lines('+', after)];
}
