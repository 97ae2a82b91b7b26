import { isMap, isNode, isScalar, LineCounter, type Node, parseDocument } from 'yaml';
import { DURATION_EXAMPLES, durationMs } from './clock.js';
import { type Fields, isFields } from './http.js';

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
const TOP_LEVEL = 'the top level';

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

/** Checks the properties of a JSON file and their types. All throw JsonFileError. */

export interface Shape {
  readonly required: Readonly<Record<string, Check>>;
  readonly optional: Readonly<Record<string, Check>>;
}

/** The top level of a file. */
export function checkObject(value: unknown, parts: readonly string[]): asserts value is Fields {
  if (!isFields(value))
    throw new JsonFileError(TOP_LEVEL, 'is not a JSON object', `Use an object with any of ${listed(parts)}.`);
  checkKnown(TOP_LEVEL, value, parts);
}

/** An array of entries of one shape. */
export function checkSection(name: string, entries: unknown, shape: Shape): void {
  if (entries === undefined) return;
  if (!Array.isArray(entries)) throw new JsonFileError(name, 'is not an array', `Write "${name}": [ … ].`);
  checkAll(entries.entries(), ([index, entry]: [number, unknown]) => {
    checkEntry(`${name}[${index}]`, entry, shape);
  });
}

export function checkEntry(where: string, entry: unknown, { required, optional }: Shape): void {
  const known = { ...required, ...optional };
  if (!isFields(entry)) {
    throw new JsonFileError(
      where,
      'is not an object',
      `Use an object with ${listed(Object.keys(required))}.`,
    );
  }
  const missing = (key: string) => {
    if (entry[key] === undefined) throw new JsonFileError(where, `has no "${key}"`, 'Add it.');
  };
  checkTogether(
    () => checkKnown(where, entry, Object.keys(known)),
    () => checkAll(Object.keys(required), missing),
    () =>
      checkAll(Object.entries(known), ([key, check]) => {
        if (entry[key] !== undefined) checkField(`${where}.${key}`, entry[key], check);
      }),
  );
}

/** All of what they find is thrown as one. */
export function checkTogether(...checks: readonly (() => void)[]): void {
  checkAll(checks, (check) => check());
}

export function checkField(where: string, value: unknown, check: Check): void {
  if (!check.holds(value)) throw new JsonFileError(where, `is not ${check.name}`, `Use ${check.name}.`);
}

function checkKnown(where: string, entry: Fields, known: readonly string[]): void {
  const unknown = Object.keys(entry).filter((key) => !known.includes(key));
  checkAll(unknown, (key) => {
    throw new JsonFileError(where, `has an unknown property "${key}"`, `Properties: ${listed(known)}.`, {
      key,
    });
  });
}

export function listed(names: readonly string[]): string {
  return names.join(', ');
}

/**
 * Finds what is wrong in a text that is not JSON. `JSON.parse` says it differently in each version of Node, and often without
 * a place.
 */

export interface SyntaxFault {
  readonly offset: number;
  /** At least 1; may reach beyond the text, at its end. */
  readonly length: number;
  /** The end of "the file is not JSON: …". */
  readonly what: string;
  readonly help: string;
}

/** The first fault. Null for a text that is JSON. */
export function syntaxFault(text: string): SyntaxFault | null {
  return new Scanner(text).find();
}

/** What comes next. */
type State = 'value' | 'first value' | 'key' | 'first key' | 'colon' | 'next' | 'end';

const WORD = /[^\s,:[\]{}"'/#]+/y;
const SCALAR = /^(true|false|null|-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?)$/;
const SPACE = /[ \t\r\n]*/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;
/** In a string: its end, an escape, or a control character. */
const SPECIAL = /["\\]|[^ -\uFFFF]/g;
const MOST_SHOWN = 30;

/** Has no recursion: a text may be nested deeply. */
class Scanner {
  private at = 0;
  private state: State = 'value';
  private readonly open: ('{' | '[')[] = [];
  /** Where the last comma is. */
  private comma = 0;

  constructor(private readonly text: string) {}

  find(): SyntaxFault | null {
    const { text } = this;
    if (text.startsWith('\uFEFF'))
      return this.fault('it begins with a byte order mark', 'Save it as UTF-8 without one.');
    if (text.trim() === '') return this.fault('it is empty', 'Write an object, such as { }.');
    for (;;) {
      this.at += this.match(SPACE)?.length ?? 0;
      const char = text[this.at];
      if (char === undefined) return this.state === 'end' ? null : this.truncated();
      const fault = char === '/' || char === '#' ? this.comment() : this.step(char);
      if (fault !== null) return fault;
    }
  }

  private step(char: string): SyntaxFault | null {
    switch (this.state) {
      case 'first value':
        return char === ']' ? this.close() : this.value(char);
      case 'value':
        return char === ']' && this.open.at(-1) === '[' ? this.trailingComma() : this.value(char);
      case 'first key':
        return char === '}' ? this.close() : this.key(char);
      case 'key':
        return char === '}' ? this.trailingComma() : this.key(char);
      case 'colon':
        if (char !== ':') return this.fault('a colon is missing before this', 'Write "name": value.');
        return this.move('value');
      case 'next':
        return this.next(char);
      case 'end':
        return this.fault('there is more after its end', 'Remove it, or an earlier bracket.');
    }
  }

  private value(char: string): SyntaxFault | null {
    if (char === '{' || char === '[') {
      this.open.push(char);
      return this.move(char === '{' ? 'first key' : 'first value');
    }
    if (char === '"') return this.string() ?? this.finish();
    const word = this.match(WORD);
    if (word === null) return this.unexpected(char, 'a value');
    if (!SCALAR.test(word)) return this.badWord(word);
    this.at += word.length;
    return this.finish();
  }

  private key(char: string): SyntaxFault | null {
    if (char === '"') {
      const fault = this.string();
      this.state = 'colon';
      return fault;
    }
    const word = this.match(WORD);
    if (word === null) return this.unexpected(char, 'a property');
    return this.fault('the name of a property is not in double quotes', 'Add the quotes.', word.length);
  }

  private next(char: string): SyntaxFault | null {
    const isObject = this.open.at(-1) === '{';
    if (char === (isObject ? '}' : ']')) return this.close();
    if (char === ',') {
      this.comma = this.at;
      return this.move(isObject ? 'key' : 'value');
    }
    if (char === '}' || char === ']')
      return this.unexpected(char, isObject ? '} or a comma' : '] or a comma');
    return this.fault('a comma is missing before this', 'Add it.');
  }

  private string(): SyntaxFault | null {
    const start = this.at;
    for (SPECIAL.lastIndex = start + 1; ; SPECIAL.lastIndex = this.at) {
      const special = SPECIAL.exec(this.text);
      if (special === null || /[\r\n]/.test(special[0])) {
        const length = (special?.index ?? this.text.length) - start;
        this.at = start;
        return this.fault('a string does not end on its line', 'Add a double quote.', length);
      }
      this.at = special.index;
      if (special[0] === '"') return this.past(1);
      if (special[0] !== '\\')
        return this.fault('a string contains a control character', 'Write it as an escape, such as \\t.');
      const escaped = this.match(ESCAPE);
      if (escaped === null)
        return this.fault('a string contains an unknown escape', 'Write a backslash as \\\\.', 2);
      this.at += escaped.length;
    }
  }

  private close(): null {
    this.open.pop();
    this.at += 1;
    return this.finish();
  }

  /** After a value. */
  private finish(): null {
    this.state = this.open.length === 0 ? 'end' : 'next';
    return null;
  }

  /** Over one character. */
  private move(state: State): null {
    this.state = state;
    return this.past(1);
  }

  private past(length: number): null {
    this.at += length;
    return null;
  }

  private match(pattern: RegExp): string | null {
    pattern.lastIndex = this.at;
    return pattern.exec(this.text)?.[0] ?? null;
  }

  private trailingComma(): SyntaxFault {
    this.at = this.comma;
    return this.fault('a comma follows the last entry', 'Remove the comma.');
  }

  private comment(): SyntaxFault {
    return this.fault('it has a comment, or a slash or # outside of a string', 'Remove it.');
  }

  private truncated(): SyntaxFault {
    const [what, sign] = this.open.at(-1) === '[' ? ['an array', ']'] : ['an object', '}'];
    return this.fault(`it ends within ${what}`, `Add what is missing, such as ${sign}.`);
  }

  private unexpected(char: string, expected: string): SyntaxFault {
    if (char === "'") return this.fault('it has a single quote', 'Use double quotes.');
    const code = char.charCodeAt(0);
    const shown = code > 32 && code < 127 ? char : `U+${code.toString(16).toUpperCase().padStart(4, '0')}`;
    return this.fault(`${shown} is in the place of ${expected}`, 'Correct the syntax.');
  }

  private badWord(word: string): SyntaxFault {
    const shown = word.length > MOST_SHOWN ? `${word.slice(0, MOST_SHOWN)}…` : word;
    const help = 'Use true, false, null, a number such as 0.5, or a text in double quotes.';
    return this.fault(`${shown} is not a value`, help, word.length);
  }

  private fault(what: string, help: string, length = 1): SyntaxFault {
    return { offset: this.at, length, what, help };
  }
}

/** What the value of a property in a seed or faults file can be. */

export interface Check {
  readonly holds: (value: unknown) => boolean;
  readonly name: string;
}

const isText = (value: unknown): value is string => typeof value === 'string';

export const TEXT: Check = { holds: isText, name: 'a string' };
export const FLAG: Check = { holds: (value) => typeof value === 'boolean', name: 'true or false' };
export const NUMBER: Check = { holds: (value) => typeof value === 'number', name: 'a number' };
export const TEXTS: Check = {
  holds: (value) => Array.isArray(value) && value.every(isText),
  name: 'an array of strings',
};
export const TEXT_OR_NULL: Check = {
  holds: (value) => value === null || isText(value),
  name: 'a string or null',
};
export const ID: Check = {
  holds: (value) => isText(value) || typeof value === 'number',
  name: 'a string or a number',
};
export const OBJECTS: Check = {
  holds: (value) => Array.isArray(value) && value.every(isFields),
  name: 'an array of objects',
};
export const INPUTS: Check = {
  holds: (value) => Array.isArray(value) && value.every(isInput),
  name: 'an array of { "key": string, "defaultValue": string }',
};

function isInput(value: unknown): boolean {
  return isFields(value) && isText(value.key) && isText(value.defaultValue);
}

export function wordOf(...words: string[]): Check {
  return { holds: (value) => isText(value) && words.includes(value), name: `one of ${words.join(', ')}` };
}

export function integerFrom(low: number, high: number): Check {
  const holds = (value: unknown) =>
    typeof value === 'number' && Number.isInteger(value) && value >= low && value <= high;
  return { holds, name: `an integer from ${low} to ${high}` };
}

export function numberTo(high: number): Check {
  const holds = (value: unknown) => typeof value === 'number' && value >= 0 && value <= high;
  return { holds, name: `a number from 0 to ${high}` };
}

export const WEEK_SECONDS = 604_800;
const COUNT = integerFrom(1, 1_000_000);
export const COUNTS: Check = {
  holds: (value) =>
    COUNT.holds(value) || (Array.isArray(value) && value.length > 0 && value.every(COUNT.holds)),
  name: 'an integer of at least 1, or a list of them',
};

export const OBJECT: Check = { holds: isFields, name: 'an object' };
export const INSTANT: Check = {
  holds: (value) => isText(value) && INSTANT_FORM.test(value) && !Number.isNaN(Date.parse(value)),
  name: 'a time with an offset, such as 2026-12-01T06:00:00Z',
};
const INSTANT_FORM = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2})$/;
export const DURATION: Check = {
  holds: (value) => isText(value) && durationMs(value) !== null,
  name: `a duration, such as ${DURATION_EXAMPLES}`,
};

export const FILLED: Check = { holds: (value) => isText(value) && value.trim() !== '', name: 'a text' };
