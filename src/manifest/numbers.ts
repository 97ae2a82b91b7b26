import { isInexact } from '../model/exact-number.js';
import type { ProblemText } from '../yaml/source.js';
import type { ScalarNode } from '../yaml/tree.js';

const LONGEST_SHOWN = 60;

/** Why a number cannot stand in a manifest as it is written; null if it can. */
export function numberProblem(written: string, value: number): ProblemText | null {
  if (written === String(value)) return null;
  const quoted = `\`"${written}"\``;
  if (isInexact(written)) {
    const help = `Put it in quotes if it is text, such as an id${written.length > LONGEST_SHOWN ? '' : `: ${quoted}`}.`;
    return { message: 'this number cannot be stored exactly', help };
  }
  if (!/^[-+]?0\d/.test(written)) return null;
  return {
    message: 'this number would lose its leading zero',
    help: `Put it in quotes if it is text: ${quoted}.`,
  };
}

/** What becomes of a number that is sent in another spelling; null for one that is sent as it is written. */
export function rewriting(written: string, value: number): ProblemText | null {
  if (written === String(value)) return null;
  const shown = written.length > LONGEST_SHOWN ? 'this number' : written;
  const text = written.length > LONGEST_SHOWN ? '' : `: \`"${written}"\``;
  return {
    message: `${shown} is sent as ${value}`,
    help: `Write \`${value}\`; or, if the digits matter, put it in quotes, and it is sent as text${text}.`,
  };
}

/** A number with the digits in the file; or its value, where it comes from somewhere else. */
export function writtenNumber({ source, start, end, value }: ScalarNode): string {
  return ownSpelling(source.text.slice(start, end), value);
}

/** `written` if that is the number. A variable or an escape may stand there in its place. */
export function ownSpelling(written: string, value: unknown): string {
  return written.trim() !== '' && Number(written) === value ? written : String(value);
}
