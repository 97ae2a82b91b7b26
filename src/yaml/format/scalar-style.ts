import type { Scalar, ScalarTag } from 'yaml';

/** Where a text on several lines is broken. */
const FOLD_WIDTH = 80;

/** Prints a value as close as possible to how it is written: the library prints what it has understood. */
export function asWritten(tag: ScalarTag, text: string): ScalarTag {
  const isText = tag.tag === 'tag:yaml.org,2002:str';
  const stringify: ScalarTag['stringify'] = (item, context, ...rest) => {
    const print = (options = context.options) =>
      tag.stringify?.(item, { ...context, options }, ...rest) ?? '';
    // `1.10` and `007` are more than the numbers that they are read as.
    if (!isText) return item.source ?? print();
    const written = item.range ? text.slice(item.range[0], item.range[1]) : '';
    const printed = print(
      isFolded(item, written) ? { ...context.options, lineWidth: FOLD_WIDTH } : undefined,
    );
    return item.type === 'QUOTE_DOUBLE' ? keepEscapes(printed, written) : printed;
  };
  return { ...tag, stringify };
}

/** True for a text whose lines are joined by spaces: it is meant to stay on several lines. */
function isFolded({ type }: Scalar, written: string): boolean {
  return type === 'BLOCK_FOLDED' || (type !== 'BLOCK_LITERAL' && written.includes('\n'));
}

/** Characters that are invisible or look like a space: control, format, separating and ignorable ones. */
export const invisible = /(?![ \n])[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}]/gu;

/**
 * A printed text in double quotes, with escapes where the written text has them. A character that occurs both raw and
 * escaped is escaped everywhere, which does not change the meaning.
 */
function keepEscapes(printed: string, written: string): string {
  if (!written.includes('\\')) return printed;
  const before = count(written);
  const after = count(printed);
  return printed.replace(invisible, (found) =>
    (after.get(found) ?? 0) > (before.get(found) ?? 0) ? escapeOf(found) : found,
  );
}

function count(text: string): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const [found] of text.matchAll(invisible)) counts.set(found, (counts.get(found) ?? 0) + 1);
  return counts;
}

export function escapeOf(character: string): string {
  const code = (character.codePointAt(0) ?? 0).toString(16);
  return code.length > 4 ? `\\U${code.padStart(8, '0')}` : `\\u${code.padStart(4, '0')}`;
}
