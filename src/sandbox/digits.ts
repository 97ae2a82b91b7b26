import { randomUUID } from 'node:crypto';

/**
 * A number that JavaScript would write in another way, with its digits: what a client stores, the service returns as it was.
 * The sandbox shares no code with the client, so it has a reader and a writer of its own.
 */
export class Digits {
  constructor(readonly text: string) {}

  toString(): string {
    return this.text;
  }

  toJSON(): string {
    return MARK + this.text;
  }
}

/** No text that a client sends begins with it. */
const MARK = randomUUID();

/** A text, of which all is skipped, or what may be a number. */
const texts = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*/gs;
const number = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** For what is no text to the service, such as a page. */
export function plainNumber(value: unknown): unknown {
  return value instanceof Digits ? Number(value) : value;
}

/** As `JSON.parse`, which reads the text. */
export function parseJson(text: string): unknown {
  let found = false;
  const marked = text.replace(texts, (part: string, at: number) => {
    const isKept = part !== String(Number(part)) && number.test(part) && !isKey(text, at + part.length);
    found ||= isKept;
    return isKept ? `"${MARK}${part}"` : part;
  });
  if (!found) return JSON.parse(text);
  return JSON.parse(marked, (_, value: unknown) =>
    typeof value === 'string' && value.startsWith(MARK) ? new Digits(value.slice(MARK.length)) : value,
  );
}

/** JSON has no such keys. */
function isKey(text: string, end: number): boolean {
  return /^\s*:/.test(text.slice(end, end + 100));
}

/** As `JSON.stringify`. */
export function writeJson(value: unknown, indent?: number): string {
  const text = JSON.stringify(value, null, indent);
  return text.includes(MARK) ? text.replaceAll(new RegExp(`"${MARK}([^"]*)"`, 'g'), '$1') : text;
}
