import { byCodeUnit } from './json.js';

/** `1 error`, `2 errors`, `3 entries`: a noun with its number. */
export function count(number: number, noun: string, plural = `${noun}s`): string {
  return `${number} ${number === 1 ? noun : plural}`;
}

/** The form of a word that agrees with a number: `agree(2, 'is', 'are')` is `are`. */
export function agree(number: number, one: string, several: string): string {
  return number === 1 ? one : several;
}

/** `a, b, c and 4 more`: the first names of a list, and how many others there are. */
export function some(names: readonly string[], most: number, between = ', '): string {
  return names.slice(0, most).join(between) + andMore(names.length - most);
}

/** ` and 4 more`, or nothing where nothing is left. */
export function andMore(left: number): string {
  return left > 0 ? ` and ${left} more` : '';
}

/** Compares texts so that `g2` comes before `g10`. Numbers of any length, without `Intl`, which is slow to start. */
export function naturalOrder(a: string, b: string): number {
  const [left, right] = [parts(a), parts(b)];
  for (const [index, part] of left.entries()) {
    const other = right[index];
    if (other === undefined) return 1;
    const order = compareParts(part, other);
    if (order !== 0) return order;
  }
  return left.length === right.length ? byCodeUnit(a, b) : -1;
}

/** Digits and what is between them: `g10-b` is `g`, `10`, `-b`. */
function parts(text: string): string[] {
  return text.match(/\d+|\D+/g) ?? [];
}

function compareParts(a: string, b: string): number {
  const [left, right] = [withoutZeros(a), withoutZeros(b)];
  const areNumbers = /^\d/.test(a) && /^\d/.test(b);
  return (areNumbers && left.length - right.length) || byCodeUnit(left, right);
}

function withoutZeros(part: string): string {
  return part.replace(/^0+(?=\d)/, '');
}
