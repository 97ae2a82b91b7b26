import type { Action, FieldChange } from '../../model/plan.js';
import { word } from '../escape.js';
import { isWorthALine, originText, tooDifferent, wholeLines } from '../text/field-text.js';
import { lineDiff } from '../text/line-diff.js';
import {
  changesOrder,
  elements,
  isBlank,
  isMultiline,
  listDifference,
  valueText,
} from '../text/value-text.js';
import type { PageField } from './page-data.js';

/** In characters. Longer values are read as lines. */
const longestValue = 200;

type PageDifference = Omit<PageField, 'path' | 'remark'>;

/** The fields of a change that say something, each as it is read best. */
export function fieldsData(fields: readonly FieldChange[], action: Action): PageField[] {
  return fields.filter(isWorthALine).map((field) => ({
    path: field.path,
    remark: field.origin === 'manifest' || action !== 'update' ? undefined : originText(field.origin),
    ...differenceOf(field, action),
  }));
}

function differenceOf(field: FieldChange, action: Action): PageDifference {
  switch (field.layout) {
    case 'value':
      return sides(field, action);
    case 'set':
    case 'sequence':
      return listSides(field, action);
    case 'text':
    case 'map':
      return isShort(field) ? sides(field, action) : lines(field);
    case 'whole':
      return isShort(field) ? sides(field, action) : { lines: wholeLines(field) };
    default:
      return field.layout satisfies never;
  }
}

/** A side that cannot have a value is missing, as opposed to one that has none. */
function sides({ before, after }: FieldChange, action: Action): PageDifference {
  return {
    before: action === 'create' ? undefined : valueText(before),
    after: action === 'delete' ? undefined : valueText(after),
  };
}

function listSides(field: FieldChange, action: Action): PageDifference {
  const [before, after] = [elements(field.before), elements(field.after)];
  const { added, removed } = listDifference(before, after);
  const inOrder = field.layout === 'sequence' && action !== 'create' && action !== 'delete';
  const order = inOrder && changesOrder(before, after) ? { before: chain(before), after: chain(after) } : {};
  return { added: added.map(word), removed: removed.map(word), ...order };
}

function chain(list: readonly string[]): string {
  return list.map(word).join(' → ');
}

function isShort({ before, after }: FieldChange): boolean {
  const isShortSide = (value: FieldChange['before']) =>
    isBlank(value) || valueText(value).length <= longestValue;
  return !isMultiline(before, after) && isShortSide(before) && isShortSide(after);
}

function lines({ before, after }: FieldChange): PageDifference {
  return { lines: lineDiff(before, after) ?? [{ kind: 'same', text: tooDifferent(before, after) }] };
}
