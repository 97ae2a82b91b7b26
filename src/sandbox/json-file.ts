import { isNode, LineCounter, parseDocument } from 'yaml';
import { syntaxFault } from './json-syntax.js';

/** A part of a text: `line` and `column` count from 1, columns and `length` in UTF-16 units. */
export interface TextPosition {
  readonly line: number;
  readonly column: number;
  readonly length: number;
}

/** Says what is wrong in a JSON file that describes a sandbox, where, and how to fix it. */
export class JsonFileError extends Error {
  constructor(
    /** `agents[0].outcomes`. */
    readonly where: string,
    readonly what: string,
    readonly help: string,
    readonly position: TextPosition | null = null,
  ) {
    super(`${position === null ? '' : `${position.line}:${position.column}: `}${where} ${what}. ${help}`);
  }
}

/** Reads a text as JSON and checks it. A JsonFileError of it gets its position. */
export function readJsonFile<T>(text: string, check: (value: unknown) => T): T {
  try {
    return check(parse(text));
  } catch (error) {
    if (!(error instanceof JsonFileError) || error.position !== null) throw error;
    throw new JsonFileError(error.where, error.what, error.help, positionOf(text, error.where));
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const fault = syntaxFault(text);
    if (fault === null) throw error;
    const { offset, length, what, help } = fault;
    const lines = text.slice(0, offset).split('\n');
    const place = { line: lines.length, column: (lines.at(-1)?.length ?? 0) + 1, length };
    throw new JsonFileError('the file', `is not JSON: ${what}`, help, place);
  }
}

/** Of a part, or of the nearest part around it that the text has. Null where the text cannot be read. */
function positionOf(text: string, where: string): TextPosition | null {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, schema: 'json', uniqueKeys: false });
  const path = [...where.matchAll(/[^.[\]]+/g)].map(([part]) => (/^\d+$/.test(part) ? Number(part) : part));
  for (let length = path.length; length >= 0; length -= 1) {
    const node = document.getIn(path.slice(0, length), true);
    if (isNode(node) && node.range) return position(lines, node.range[0], node.range[1]);
  }
  return null;
}

function position(lines: LineCounter, start: number, end: number): TextPosition {
  const { line, col } = lines.linePos(start);
  return { line, column: col, length: Math.max(1, end - start) };
}
