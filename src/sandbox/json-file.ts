import { type Document, isMap, isNode, isScalar, LineCounter, type Node, parseDocument } from 'yaml';

/** The files that describe a sandbox: read as JSON or YAML, and checked with a JSON Schema. */

/** A part of a text: `line` and `column` count from 1, columns and `length` in UTF-16 units. */
export interface TextPosition {
  readonly line: number;
  readonly column: number;
  readonly length: number;
}

export interface FileFault {
  /** `agents[0].outcomes`. */
  readonly where: string;
  readonly what: string;
  readonly help: string;
  /** A property of the part, which it is about. */
  readonly key?: string;
  readonly position: TextPosition | null;
}

/** `where` of a fault of the file as a whole. */
const TOP_LEVEL = 'the top level';

/** Most faults that are found in a file before the search ends. */
export const MOST_ERRORS = 100;

/** Says what is wrong in a file that describes a sandbox, where, and how to fix it. */
export class JsonFileError extends Error {
  constructor(readonly faults: readonly FileFault[]) {
    super(faults.map(textOf).join('\n'));
  }
}

function textOf({ where, what, help, position }: FileFault): string {
  return `${position === null ? '' : `${position.line}:${position.column}: `}${where} ${what}. ${help}`;
}

export function fileError(where: string, what: string, help: string): JsonFileError {
  return new JsonFileError([{ where, what, help, position: null }]);
}

/** Makes checks that do not depend on each other. Their JsonFileErrors are thrown as one. */
export function checkAll<T>(entries: Iterable<T>, check: (entry: T) => void): void {
  const faults: FileFault[] = [];
  for (const entry of entries) {
    try {
      check(entry);
    } catch (error) {
      if (!(error instanceof JsonFileError)) throw error;
      faults.push(...error.faults);
    }
    if (faults.length >= MOST_ERRORS) break;
  }
  if (faults.length > 0) throw new JsonFileError(faults.slice(0, MOST_ERRORS));
}

/** Reads a text, checks it with its schema, and then with `check`. Faults get their positions, and are in their order. */
export function readJsonFile<T>(text: string, validator: Validator, check: (value: T) => void): T {
  const value = read(text);
  try {
    if (!validator(value)) throw new JsonFileError(schemaFaults(validator.errors ?? []));
    check(value as T);
  } catch (error) {
    if (!(error instanceof JsonFileError)) throw error;
    const file = parse(text);
    const placed = error.faults.map((fault) => ({ ...fault, position: positionOf(file, fault) }));
    throw new JsonFileError(placed.toSorted(byPosition));
  }
  return value as T;
}

function byPosition({ position: a }: FileFault, { position: b }: FileFault): number {
  return (a?.line ?? 0) - (b?.line ?? 0) || (a?.column ?? 0) - (b?.column ?? 0);
}

/** `JSON.parse` reads what it can, because it is a thousand times as fast. */
function read(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    if (keysIn(text) === keysOf(value)) return value;
  } catch {
    // Another syntax, or none: the parser of YAML says where.
  }
  return plainValue(parse(text));
}

/** `JSON.parse` says nothing of a property that is there twice: fewer are left than were written. */
function keysIn(text: string): number {
  let count = 0;
  for (const [, colon] of text.matchAll(/"[^"\\]*(?:\\.[^"\\]*)*"(\s*:)?/gs))
    if (colon !== undefined) count += 1;
  return count;
}

function keysOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  const parts = Object.values(value);
  return parts.reduce<number>((sum, part) => sum + keysOf(part), Array.isArray(value) ? 0 : parts.length);
}

interface ParsedFile {
  readonly document: Document;
  readonly lines: LineCounter;
}

/** More levels than a file needs. The parser of YAML would need very much memory for many. */
const MOST_LEVELS = 200;

function parse(text: string): ParsedFile {
  if (levelsOf(text) > MOST_LEVELS)
    throw fileError('the file', `has more than ${MOST_LEVELS} levels`, 'Nest less.');
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const [error] = document.errors;
  if (error === undefined) return { document, lines };
  const [what, help] =
    error.code === 'DUPLICATE_KEY'
      ? ['has a property twice', 'Remove one of them.']
      : [`is not valid: ${error.message}`, 'Correct the syntax.'];
  const position = positionAt(lines, error.pos[0], error.pos[1]);
  throw new JsonFileError([{ where: 'the file', what, help, position }]);
}

/** At least as many as there are: brackets in texts count, too. */
function levelsOf(text: string): number {
  let level = 0;
  let most = 0;
  for (const [bracket] of text.matchAll(/[[\]{}]/g)) {
    level += bracket === '[' || bracket === '{' ? 1 : -1;
    most = Math.max(most, level);
  }
  return most;
}

function plainValue({ document }: ParsedFile): unknown {
  try {
    return document.toJS();
  } catch (error) {
    throw fileError(
      'the file',
      `cannot be read: ${error instanceof Error ? error.message : error}`,
      'Write it without aliases.',
    );
  }
}

/** The position of a part, or of the nearest part around it that the text has. */
function positionOf({ document, lines }: ParsedFile, { where, key }: FileFault): TextPosition | null {
  const names = where === TOP_LEVEL ? [] : [...where.matchAll(/[^.[\]]+/g)];
  const path = names.map(([name]) => (/^\d+$/.test(name) ? Number(name) : name));
  for (let length = path.length; length >= 0; length -= 1) {
    const node = document.getIn(path.slice(0, length), true);
    if (!isNode(node)) continue;
    const range = ((length === path.length && keyNode(node, key)) || node).range;
    if (range) return positionAt(lines, range[0], range[1]);
  }
  return null;
}

function keyNode(node: Node, key: string | undefined): Node | null {
  if (key === undefined || !isMap(node)) return null;
  const keys = node.items.map((pair) => pair.key);
  return keys.filter(isScalar).find(({ value }) => value === key) ?? null;
}

function positionAt(lines: LineCounter, start: number, end: number): TextPosition {
  const { line, col } = lines.linePos(start);
  return { line, column: col, length: Math.max(1, end - start) };
}

/** What a schema says of a value. */
interface Shape {
  readonly type?: string | readonly string[];
  readonly enum?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly anyOf?: readonly Shape[];
  readonly oneOf?: readonly { readonly required: readonly string[] }[];
  readonly properties?: Readonly<Record<string, unknown>>;
  readonly patternErrorMessage?: string;
}

/** A failure of a validator that `ajv` has compiled. */
interface SchemaError {
  readonly instancePath: string;
  readonly schemaPath: string;
  readonly keyword: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly parentSchema: Shape;
}

export interface Validator {
  (value: unknown): boolean;
  readonly errors?: readonly SchemaError[] | null;
}

/** The failures of alternatives are left out: that of the alternatives as a whole names them all. */
function schemaFaults(errors: readonly SchemaError[]): FileFault[] {
  const own = errors.filter(
    ({ keyword, schemaPath }) => keyword !== 'if' && !/\/(anyOf|oneOf)\/\d/.test(schemaPath),
  );
  return own.slice(0, MOST_ERRORS).map((error) => {
    const where = placeOf(error.instancePath);
    return { where, position: null, ...explained(error) };
  });
}

function placeOf(pointer: string): string {
  const names = pointer.split('/').slice(1);
  if (names.length === 0) return TOP_LEVEL;
  return names
    .map((name) => (/^\d+$/.test(name) ? `[${name}]` : `.${name}`))
    .join('')
    .replace(/^\./, '');
}

function explained({ keyword, params, parentSchema }: SchemaError): Pick<FileFault, 'what' | 'help' | 'key'> {
  switch (keyword) {
    case 'required':
      return { what: `has no "${params['missingProperty']}"`, help: 'Add it.' };
    case 'additionalProperties': {
      const key = String(params['additionalProperty']);
      const known = Object.keys(parentSchema.properties ?? {}).filter((name) => !name.startsWith('$'));
      return { what: `has an unknown property "${key}"`, help: `Properties: ${known.join(', ')}.`, key };
    }
    case 'dependencies': {
      const key = String(params['property']);
      const what = `has "${key}", which needs "${params['missingProperty']}"`;
      return { what, help: 'Add that one, or remove this one.', key };
    }
    case 'oneOf': {
      const names = (parentSchema.oneOf ?? []).flatMap(({ required }) => required).join(', ');
      const count = params['passingSchemas'] === null ? 'none' : 'several';
      return { what: `has ${count} of ${names}`, help: 'Use one of them.' };
    }
    case 'pattern':
      return { what: 'is not valid', help: parentSchema.patternErrorMessage ?? 'Correct it.' };
    default:
      return { what: `is not ${nounOf(parentSchema)}`, help: `Use ${nounOf(parentSchema)}.` };
  }
}

const NOUNS: Readonly<Record<string, string>> = {
  string: 'a string',
  boolean: 'true or false',
  number: 'a number',
  integer: 'an integer',
  object: 'an object',
  array: 'an array',
  null: 'null',
};

/** `an integer from 1 to 20`. */
function nounOf(shape: Shape): string {
  // The other alternative is a list.
  if (shape.anyOf?.[0] !== undefined) return `${nounOf(shape.anyOf[0])}, or a list of them`;
  if (shape.enum !== undefined) return `one of ${shape.enum.join(', ')}`;
  const types = [shape.type ?? []].flat().map((type) => NOUNS[type] ?? type);
  return types.join(' or ') + rangeOf(shape);
}

function rangeOf({ minimum, maximum }: Shape): string {
  if (minimum === undefined) return '';
  return maximum === undefined ? ` of at least ${minimum}` : ` from ${minimum} to ${maximum}`;
}
