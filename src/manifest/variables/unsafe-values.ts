import type { Json } from '../../model/json.js';
import type { ProblemText } from '../../yaml/problem.js';
import { type TextRule, unsafe } from '../../yaml/text.js';

/** Null when all texts of a value are safe. Of a secret, not even the character is named. */
export function unsafeProblem(value: Json, rule: TextRule, isSecret: boolean): ProblemText | null {
  const invisible = unsafeIn(value, rule);
  if (invisible === null) return null;
  const which = isSecret ? 'an invisible character' : `${invisible}, an invisible character`;
  const help =
    rule === 'line'
      ? 'Write this text on one line, without control, bidirectional or zero-width characters.'
      : undefined;
  return { message: `the value contains ${which}`, help };
}

/** The first character in the texts of a value that is not allowed; null if there is none. */
function unsafeIn(value: Json, rule: TextRule): string | null {
  if (typeof value === 'string') return unsafe(value, rule);
  if (typeof value !== 'object' || value === null) return null;
  for (const each of Object.values(value)) {
    const found = unsafeIn(each, rule);
    if (found !== null) return found;
  }
  return null;
}
