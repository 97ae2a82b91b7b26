import { isJsonObject, type Json, type JsonObject } from '../model/json.js';
import { count, typeWord, wordList } from '../model/words.js';
import type { SchemaPath } from './schema.js';

/** One rule that an entry breaks, as ajv reports it. */
export interface SchemaFailure {
  readonly keyword: string;
  /** JSON Pointer of the value. */
  readonly instancePath: string;
  readonly schemaPath: string;
  readonly params: Readonly<Record<string, unknown>>;
  /** Set for a rule about a name. */
  readonly propertyName?: string;
}

/** What failed, in words, and where in the entry. */
export interface Explanation {
  readonly path: SchemaPath;
  readonly what: string;
}

/** Rules whose branches are reported with them. */
const branching: ReadonlySet<string> = new Set(['anyOf', 'oneOf', 'contains', 'propertyNames']);
/** Rules that only repeat what another one says. */
const repeating: ReadonlySet<string> = new Set(['if', 'dependentSchemas']);
/** Failures of one entry that are told. */
const MOST_TOLD = 5;
/** Failures of one entry that are looked at: there may be as many as the schema has keywords. */
const MOST_SEEN = 300;
/** Alternatives that are told. */
const MOST_BRANCHES = 3;
const LONGEST_VALUE = 60;

/** What of an entry does not fit a schema: each value once. */
export function explain(
  all: readonly SchemaFailure[],
  entry: JsonObject,
  schema: Json,
): readonly Explanation[] {
  const failures = all.slice(0, MOST_SEEN);
  const groups = failures
    .filter(({ keyword }) => branching.has(keyword))
    .map((each) => `${each.schemaPath}/`);
  const outermost = (each: SchemaFailure) => !groups.some((group) => each.schemaPath.startsWith(group));
  const own = failures.filter((each) => each.propertyName === undefined && outermost(each));
  const causes = own.filter(({ keyword }) => !repeating.has(keyword));
  const told = causes.length === 0 ? own : causes;
  const context = { failures, entry, schema };
  const found = new Map(
    told.slice(0, MOST_TOLD).map((failure) => {
      const explanation = explained(failure, context);
      return [explanation.what, explanation];
    }),
  );
  return [...found.values()];
}

interface Context {
  readonly failures: readonly SchemaFailure[];
  readonly entry: JsonObject;
  readonly schema: Json;
}

function explained(failure: SchemaFailure, context: Context): Explanation {
  const path = segments(failure.instancePath);
  const { keyword, params } = failure;
  switch (keyword) {
    case 'required':
      return { path, what: `${nameOf([...path, String(params['missingProperty'])])} is missing` };
    case 'dependentRequired': {
      const [missing, property] = [params['missingProperty'], params['property']].map((each) =>
        nameOf([...path, String(each)]),
      );
      return { path, what: `${missing} is missing, which ${property} needs` };
    }
    case 'additionalProperties':
    case 'unevaluatedProperties':
    case 'propertyNames': {
      const name = params['additionalProperty'] ?? params['unevaluatedProperty'] ?? params['propertyName'];
      const own = [...path, String(name)];
      return { path: own, what: `${nameOf(own)} is not allowed` };
    }
    case 'false schema':
      return {
        path,
        what: path.length === 0 ? 'the entry is not allowed' : `${nameOf(path)} is not allowed`,
      };
    case 'not':
      return excluded(failure, path, context);
    case 'anyOf':
    case 'oneOf':
      return alternatives(failure, path, context);
    default:
      return { path, what: sentence(path, context.entry, reasonOf(failure)) };
  }
}

/** `` `every` is `30 minutes` ``, followed by what is wrong with it. */
function sentence(path: SchemaPath, entry: JsonObject, reason: string): string {
  if (path.length === 0) return `the entry ${reason === '' ? 'is not allowed' : reason}`;
  return `${nameOf(path)} is ${shown(valueAt(entry, path))}${reason === '' ? '' : `, which ${reason}`}`;
}

function reasonOf({ keyword, params }: SchemaFailure): string {
  const limit = Number(params['limit']);
  switch (keyword) {
    case 'pattern':
      return `does not match ${quotedPattern(params['pattern'])}`;
    case 'minLength':
      return `has fewer than ${count(limit, 'character')}`;
    case 'maxLength':
      return `has more than ${count(limit, 'character')}`;
    case 'minItems':
      return `has fewer than ${count(limit, 'item')}`;
    case 'maxItems':
      return `has more than ${count(limit, 'item')}`;
    case 'minProperties':
      return `has fewer than ${count(limit, 'property', 'properties')}`;
    case 'maxProperties':
      return `has more than ${count(limit, 'property', 'properties')}`;
    case 'minimum':
    case 'maximum':
    case 'exclusiveMinimum':
    case 'exclusiveMaximum':
      return `is not ${String(params['comparison'])} ${limit}`;
    case 'multipleOf':
      return `is not a multiple of ${String(params['multipleOf'])}`;
    case 'type':
      return `is not ${wordList([params['type']].flat().map(String).map(typeWord), 'or')}`;
    case 'const':
      return `is not ${shown(params['allowedValue'] as Json)}`;
    case 'enum': {
      const allowed = (params['allowedValues'] as readonly Json[]).slice(0, 6).map(shown);
      const [only] = allowed;
      return allowed.length === 1 ? `is not ${only}` : `is none of ${wordList(allowed, 'or')}`;
    }
    case 'contains':
      return 'has no item that fits, or too many';
    case 'uniqueItems':
      return 'has an item twice';
    default:
      return 'does not fit';
  }
}

/** What is excluded is what the schema names, as far as the entry has it. */
function excluded({ schemaPath }: SchemaFailure, path: SchemaPath, { entry, schema }: Context): Explanation {
  const not = valueAt({ schema }, ['schema', ...segments(schemaPath)]);
  const value = path.length === 0 ? entry : valueAt(entry, path);
  const { properties, required, pattern } = isJsonObject(not) ? not : {};
  if (!isJsonObject(value)) {
    const reason = typeof pattern === 'string' ? `matches ${quotedPattern(pattern)}` : '';
    return { path, what: sentence(path, entry, reason) };
  }
  const names = [
    ...(isJsonObject(properties) ? Object.keys(properties) : []),
    ...(Array.isArray(required) ? required.map(String) : []),
  ];
  const here = [...new Set(names)].filter((name) => Object.hasOwn(value, name)).slice(0, MOST_BRANCHES);
  const [first] = here;
  if (first === undefined) return { path, what: sentence(path, entry, '') };
  const parts = here.map((name) => sentence([...path, name], entry, ''));
  return { path: [...path, first], what: wordList(parts, 'and') };
}

/** Why each of the alternatives does not fit. */
function alternatives(failure: SchemaFailure, path: SchemaPath, context: Context): Explanation {
  const { schemaPath, keyword, params } = failure;
  const passing = params['passingSchemas'];
  if (keyword === 'oneOf' && passing !== null && passing !== undefined)
    return { path, what: sentence(path, context.entry, 'fits more than one alternative') };
  const inner = context.failures.filter((each) => each.schemaPath.startsWith(`${schemaPath}/`));
  const reasons = explain(inner, context.entry, context.schema).map(({ what }) => what);
  const told = reasons.slice(0, MOST_BRANCHES);
  if (told.length === 0) return { path, what: sentence(path, context.entry, 'fits no alternative') };
  const deepest = explain(inner, context.entry, context.schema)[0]?.path ?? path;
  return { path: reasons.length === 1 ? deepest : path, what: wordList(told, 'and') };
}

/** JSON Pointer, or the path of a schema: `#/properties/every/not`. */
function segments(pointer: string): string[] {
  const parts = pointer.split('/').slice(1);
  return parts.map((part) => decoded(part).replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** ajv encodes the paths of schemas as for URLs. */
function decoded(part: string): string {
  return /%[0-9A-F]{2}/.test(part) ? decodeURIComponent(part) : part;
}

function valueAt(value: Json, path: SchemaPath): Json | undefined {
  let found: Json | undefined = value;
  for (const name of path) {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, name)) return undefined;
    found = (found as JsonObject)[name];
  }
  return found;
}

/** `inputs.country`, `members[2]`. */
function nameOf(path: SchemaPath): string {
  const text = path.map((name, index) => {
    if (/^\d+$/.test(String(name)) && index > 0) return `[${name}]`;
    return index === 0 ? String(name) : `.${name}`;
  });
  return `\`${cut(text.join('').replaceAll('`', "'"))}\``;
}

function shown(value: Json | undefined): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value ?? null);
  return text === '' ? 'empty' : `\`${cut(text.replaceAll('`', "'"))}\``;
}

function quotedPattern(pattern: unknown): string {
  return `\`${cut(String(pattern).replaceAll('`', "'"))}\``;
}

function cut(text: string): string {
  return text.length > LONGEST_VALUE ? `${text.slice(0, LONGEST_VALUE - 1)}…` : text;
}
