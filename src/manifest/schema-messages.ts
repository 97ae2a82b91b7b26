import type { Json } from '../model/json.js';
import { inline, quoted } from '../yaml/text.js';
import type { Diagnostics } from './diagnostics.js';
import type { ParentSchema } from './parent-schema.js';
import { flow, typeHelp } from './type-hints.js';

/** A longer text is no slip of the pen. */
const longestShown = 80;

/** A compiled schema. */
export interface Validator {
  (value: Json): boolean;
  readonly errors?: readonly Failure[] | null;
}

/** One rule that a value breaks, as the schema compiler's code reports it. */
export interface Failure {
  readonly keyword: string;
  /** JSON Pointer of the value. */
  readonly instancePath: string;
  readonly schemaPath: string;
  readonly params: Readonly<Record<string, unknown>>;
  /** Set for what is wrong with a key. */
  readonly propertyName?: string;
  readonly parentSchema?: unknown;
  readonly data?: unknown;
}

/** What a person is told. */
export interface Words {
  readonly code?: 'unknown-property' | 'missing-setting';
  readonly message: string;
  readonly help?: string | undefined;
  /** Where it is told when not at the value. */
  readonly at?: 'key' | undefined;
}

/**
 * The words for one error. `name` is the value's, in backquotes, or empty; a secret's value is never shown. `written`
 * is the value as it stands in the file, empty for what is no scalar.
 */
export function wordsFor(
  error: Failure,
  name: string,
  written: string,
  secret: boolean,
  told: Diagnostics,
): Words {
  const parent = parentOf(error);
  switch (error.keyword) {
    case 'additionalProperties':
      return unknownProperty(error, told);
    case 'propertyNames':
      return {
        message: `${name} is not a name that can stand here: ${ruleOf(parent.propertyNames ?? {})}`,
        at: 'key',
      };
    case 'required':
      return missing(String(error.params['missingProperty']), parent, name);
    case 'dependencies':
      return dependent(error, parent);
    case 'not':
      return { message: parent.errorMessage ?? `${name} cannot stand here`, at: 'key' };
    case 'oneOf':
      return { message: `${name} needs ${choiceWords(error, parent)}`, at: 'key' };
    case 'type':
      return wrongType(error, name, written, secret);
    case 'enum':
      return {
        message: `${name} must be one of ${(error.params['allowedValues'] as string[]).map((each) => `\`${each}\``).join(', ')}${foundText(error, secret)}`,
        help: nearValue(error, secret, told),
      };
    case 'anyOf':
      return { message: `${name} must be ${ruleOf(parent.anyOf?.[0] ?? {})}${foundText(error, secret)}` };
    default:
      return {
        message: `${name} ${limitWords(error, parent)}${foundText(error, secret)}`,
        help: secret
          ? fromEnvironment
          : error.keyword === 'pattern'
            ? patternHelp(error, name, parent)
            : undefined,
      };
  }
}

/** A text that would fit, made of what was written. */
function patternHelp(
  { params, data }: Failure,
  name: string,
  { type = [] }: ParentSchema,
): string | undefined {
  const text = String(data);
  if ([type].flat().includes('array'))
    return text.toLowerCase() === 'full' ? 'Did you mean `full`?' : `Write it as a list: [${inline(text)}]`;
  const meant = rewritten(text.slice(0, longestShown), name);
  return meant !== text && new RegExp(String(params['pattern']), 'u').test(meant)
    ? `Write ${quoted(meant)}.`
    : undefined;
}

function rewritten(text: string, name: string): string {
  if (name === '`project`')
    return text
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, '-')
      .replace(/^-|-$/g, '');
  return name === '`url`' && !text.includes('://') ? `https://${text.trim()}` : text.trim();
}

/** What a choice is between, and what was chosen where that is too much. */
function choiceWords({ data }: Failure, parent: ParentSchema): string {
  const names = (parent.oneOf ?? []).flatMap((each) => each.required ?? []);
  const found = names.filter((each) => Object.hasOwn(data as object, each)).map((each) => `\`${each}\``);
  const words = parent.errorMessage ?? 'one of several properties';
  return found.length === 0 ? words : `${words}, but has ${found.join(' and ')}`;
}

const fromEnvironment = 'The value comes from the environment, and is not shown.';

function limitWords({ keyword, params }: Failure, parent: ParentSchema): string {
  const limit = String(params['limit']);
  switch (keyword) {
    case 'minLength':
      return 'must not be empty';
    case 'maxLength':
      return `must not be longer than ${limit} characters`;
    case 'minimum':
      return `must be at least ${limit}`;
    case 'maximum':
      return `must be at most ${limit}`;
    case 'minItems':
      return `needs ${parent.errorMessage ?? `at least ${limit}`}`;
    default:
      return `must be ${ruleOf(parent)}`;
  }
}

function ruleOf(schema: ParentSchema): string {
  return (
    schema.patternErrorMessage ?? schema.errorMessage ?? typeWords([schema.type ?? 'something else'].flat())
  );
}

function unknownProperty(error: Failure, told: Diagnostics): Words {
  const near = nearestProperty(error, told);
  const known = Object.keys(parentOf(error).properties ?? {}).map((each) => `\`${each}\``);
  return {
    code: 'unknown-property',
    message: `there is no property ${quoted(String(error.params['additionalProperty']))} here`,
    help: near === null ? `There are ${known.join(', ')}.` : `Did you mean \`${near}\`?`,
    at: 'key',
  };
}

function missing(property: string, parent: ParentSchema, name: string): Words {
  const message = name === '' ? `\`${property}\` is missing` : `\`${property}\` is missing in ${name}`;
  return {
    ...(property === 'project' ? { code: 'missing-setting' } : {}),
    message,
    help: exampleOf(property, parent),
    at: 'key',
  };
}

function dependent(error: Failure, parent: ParentSchema): Words {
  const property = String(error.params['missingProperty']);
  const message = `\`${String(error.params['property'])}\` needs \`${property}\` as well`;
  return { message, help: exampleOf(property, parent), at: 'key' };
}

function exampleOf(property: string, parent: ParentSchema): string | undefined {
  const [example] = parent.properties?.[property]?.examples ?? [];
  return example === undefined ? undefined : `For example: ${property}: ${flow(example)}`;
}

function wrongType(error: Failure, name: string, written: string, secret: boolean): Words {
  const wanted = [error.params['type'] as string | string[]].flat();
  const value = error.data as Json;
  const isFraction = typeof value === 'number' && wanted.includes('integer') && !secret;
  const found = isFraction ? String(value) : typeWords([typeName(value)]);
  const message = `${name} must be ${typeWords(wanted)}, not ${found}`;
  return {
    message,
    help: secret ? fromEnvironment : typeHelp(wanted, value, written, name, parentOf(error)),
  };
}

const typeNames: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  integer: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'a map',
};

function typeWords(types: readonly string[]): string {
  return types.map((type) => typeNames[type] ?? type).join(' or ');
}

function typeName(value: Json): string {
  return Array.isArray(value) ? 'array' : value === null ? 'null' : typeof value;
}

function nearValue(error: Failure, secret: boolean, told: Diagnostics): string | undefined {
  const allowed = error.params['allowedValues'] as string[];
  const near = secret ? null : told.near(String(error.data), allowed, allowed.length);
  return near === null ? undefined : `Did you mean \`${near}\`?`;
}

/** The value that was found, where it is one that may and can be shown. */
function foundText(error: Failure, secret: boolean): string {
  if (secret || error.keyword === 'minLength' || error.keyword === 'maxLength') return '';
  const value: unknown = error.data;
  if (typeof value === 'string') return `, not ${quoted(value)}`;
  return typeof value === 'number' || typeof value === 'boolean' ? `, not ${value}` : '';
}

export function nearestProperty(error: Failure, told: Diagnostics): string | null {
  const known = parentOf(error).properties ?? {};
  const name = String(error.params['additionalProperty']);
  // `target:agent/a`, without a space, is a key to YAML.
  const [property = ''] = name.split(':', 1);
  return Object.hasOwn(known, property) ? property : told.nearKey(name, known);
}

export function parentOf(error: Failure): ParentSchema {
  return (error.parentSchema ?? {}) as ParentSchema;
}
