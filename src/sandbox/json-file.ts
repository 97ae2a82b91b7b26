import { isMap, isNode, isScalar, LineCounter, type Node, parseDocument } from 'yaml';
import { syntaxFault } from './json-syntax.js';

/** A part of a text: `line` and `column` count from 1, columns and `length` in UTF-16 units. */
export interface TextPosition {
  readonly line: number;
  readonly column: number;
  readonly length: number;
}

interface Details {
  /** A property of the part, which the error is about. */
  readonly key?: string;
  readonly position?: TextPosition;
  /** What else is wrong in the file. */
  readonly others?: readonly JsonFileError[];
}

/** `where` of an error about the file as a whole. */
export const TOP_LEVEL = 'the top level';

/** Most errors that are found in a file before the search ends. */
export const MOST_ERRORS = 100;

/** Says what is wrong in a JSON file that describes a sandbox, where, and how to fix it. */
export class JsonFileError extends Error {
  readonly position: TextPosition | null;
  readonly others: readonly JsonFileError[];

  constructor(
    /** `agents[0].outcomes`. */
    readonly where: string,
    readonly what: string,
    readonly help: string,
    readonly details: Details = {},
  ) {
    const { position = null, others = [] } = details;
    const line = `${position === null ? '' : `${position.line}:${position.column}: `}${where} ${what}. ${help}`;
    super([line, ...others.map(({ message }) => message)].join('\n'));
    this.position = position;
    this.others = others;
  }

  /** It, and what else is wrong, each on its own. */
  get all(): JsonFileError[] {
    const { where, what, help, details, others } = this;
    return others.length === 0
      ? [this]
      : [new JsonFileError(where, what, help, { ...details, others: [] }), ...others];
  }
}

/** Makes checks that do not depend on each other. Their JsonFileErrors are thrown as one. */
export function checkAll<T>(entries: Iterable<T>, check: (entry: T) => void): void {
  const errors: JsonFileError[] = [];
  for (const entry of entries) {
    try {
      check(entry);
    } catch (error) {
      if (!(error instanceof JsonFileError)) throw error;
      errors.push(...error.all);
    }
    if (errors.length >= MOST_ERRORS) break;
  }
  if (errors.length > 0) throw joined(errors.slice(0, MOST_ERRORS));
}

/** Joins at least one error. */
function joined([first, ...others]: readonly JsonFileError[]): JsonFileError {
  if (first === undefined) throw new Error('no error');
  return new JsonFileError(first.where, first.what, first.help, { ...first.details, others });
}

/** Reads a text as JSON and checks it. The JsonFileErrors of it get their positions, and are in their order. */
export function readJsonFile<T>(text: string, check: (value: unknown) => T): T {
  const value = parse(text);
  try {
    return check(value);
  } catch (error) {
    if (!(error instanceof JsonFileError)) throw error;
    const positionOf = finder(text);
    const placed = error.all.map(({ where, what, help, details }) => {
      const position = positionOf(where, details.key);
      return new JsonFileError(where, what, help, position === null ? {} : { position });
    });
    throw joined(placed.toSorted(byPosition));
  }
}

function byPosition({ position: a }: JsonFileError, { position: b }: JsonFileError): number {
  return (a?.line ?? 0) - (b?.line ?? 0) || (a?.column ?? 0) - (b?.column ?? 0);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const fault = syntaxFault(text);
    if (fault === null) throw error;
    const { offset, length, what, help } = fault;
    const lines = text.slice(0, offset).split('\n');
    const position = { line: lines.length, column: (lines.at(-1)?.length ?? 0) + 1, length };
    throw new JsonFileError('the file', `is not JSON: ${what}`, help, { position });
  }
}

/** Finds a part, or the nearest part around it that the text has. */
function finder(text: string): (where: string, key?: string) => TextPosition | null {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, schema: 'json', uniqueKeys: false });
  return (where, key) => {
    const names = where === TOP_LEVEL ? [] : [...where.matchAll(/[^.[\]]+/g)];
    const path = names.map(([name]) => (/^\d+$/.test(name) ? Number(name) : name));
    for (let length = path.length; length >= 0; length -= 1) {
      const node = document.getIn(path.slice(0, length), true);
      if (!isNode(node)) continue;
      const range = ((length === path.length && keyOf(node, key)) || node).range;
      if (range) return position(lines, range[0], range[1]);
    }
    return null;
  };
}

function keyOf(node: Node, key: string | undefined): Node | null {
  if (key === undefined || !isMap(node)) return null;
  const keys = node.items.map((pair) => pair.key);
  return keys.filter(isScalar).find(({ value }) => value === key) ?? null;
}

function position(lines: LineCounter, start: number, end: number): TextPosition {
  const { line, col } = lines.linePos(start);
  return { line, column: col, length: Math.max(1, end - start) };
}
