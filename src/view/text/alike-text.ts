import { type Alike, type ChangeBlock, ofEach, type Tally, tallyText } from '../alike.js';
import { escapeControls } from '../escape.js';
import { actionText, riskLines, type SaidOnce } from './change-text.js';
import { hangingIndent, indent, type TextLayout, wrap } from './layout.js';

/** Changes that are read as one: what they are and where, their risks, the values that they share, and those that vary. */
export function alikeText(
  [first]: ChangeBlock['views'],
  alike: Alike,
  { owners: common }: SaidOnce,
  layout: TextLayout,
): string[] {
  const { paint, width } = layout;
  const inner = { ...layout, width: width - 12 };
  const line = (label: string, text: string | null) =>
    text === null ? [] : hangingIndent(label, wrap(text, inner.width - label.length));
  const owners = common.length > 0 ? null : tallyText(alike.owners);
  const where = [tallyText(alike.places), owners].filter((each) => each !== null).join(' · ');
  const below = [
    ...sentences(ofEach(alike.risks)).flatMap((each) => riskLines([each], inner)),
    ...line('', tallyText(alike.addresses)),
    ...line('in ', where === '' ? null : where).map((each) => paint('faint', each)),
    ...alike.fields.flatMap(({ path, values }) => line(`${path}: `, tallyText(values) ?? 'different texts')),
    ...line('', tallyText(ofEach(alike.cadences))),
    ...sentences(alike.notes).flatMap((each) => line('note: ', escapeControls(each))),
    ...alike.outliers.flatMap((each) => line('', each)),
  ];
  const { shown } = actionText(first, paint);
  const remarks = sentences(alike.remarks).map((each) => `  (${escapeControls(each)})`);
  return [`  ${shown} ${paint('strong', alike.what)}${remarks.join('')}`, ...indent(below, 12)];
}

/** `no longer declared`, or with the number of the changes where it is not said of all: `12 of 60: needed elsewhere`. */
function sentences({ shown, more, of }: Tally): string[] {
  const texts = shown.map(({ text, number }) => (number === of ? text : `${number} of ${of}: ${text}`));
  return more > 0 ? [...texts, `and ${more} more like this`] : texts;
}
