import type { Json } from '../../model/json.js';
import type { ProblemText } from '../../yaml/problem.js';
import { inline, quoted } from '../../yaml/text.js';
import type { Suggestions } from '../suggest.js';
import { interfaceWord, withMeaning } from './interface-words.js';
import {
  type Failure,
  type FailureAt,
  type ParentSchema,
  parentOf,
  requiredNames,
} from './schema-failure.js';
import { flow, listed, typeHint } from './type-hints.js';

/** A longer text is not a typing mistake. */
const LONGEST_CORRECTED = 80;

export interface SchemaMessage extends ProblemText {
  readonly code?: 'unknown-property' | 'missing-setting';
  /** Where it is reported if not at the value. */
  readonly at?: 'key' | undefined;
}

export function messageFor(at: FailureAt, suggestions: Suggestions): SchemaMessage {
  const { failure, name } = at;
  const parent = parentOf(failure);
  switch (failure.keyword) {
    case 'additionalProperties':
      return unknownProperty(failure, suggestions);
    case 'propertyNames':
      return { message: `${name} is not a valid name: use ${ruleOf(parent.propertyNames ?? {})}`, at: 'key' };
    case 'required':
      return missingProperty(at);
    case 'dependencies':
      return dependentProperty(at);
    case 'not':
      return { message: parent.errorMessage ?? `${name} is not allowed here`, at: 'key' };
    case 'oneOf':
      return { message: `${name} needs ${choiceOf(failure)}`, at: 'key' };
    case 'type':
      return wrongType(at);
    case 'enum':
      return wrongChoice(at, suggestions);
    case 'anyOf':
      return { message: `${name} must be ${ruleOf(parent.anyOf?.[0] ?? {})}${shownValue(at)}` };
    default:
      return { message: `${name} ${limitOf(failure)}${shownValue(at)}`, help: ruleHelp(at) };
  }
}

const fromEnvironment = 'The value comes from the environment and is not shown.';

function ruleHelp(at: FailureAt): string | undefined {
  if (at.secret) return fromEnvironment;
  return at.failure.keyword === 'pattern' ? patternHelp(at) : undefined;
}

/** A text that would be valid, made of what was written. */
function patternHelp({ failure, name }: FailureAt): string | undefined {
  const { type = [] } = parentOf(failure);
  const text = String(failure.data);
  if ([type].flat().includes('array'))
    return text.toLowerCase() === 'full'
      ? 'Did you mean `full`?'
      : `Write it as a list: \`[${inline(text)}]\`.`;
  const meant = corrected(text.slice(0, LONGEST_CORRECTED), name);
  const isValid = new RegExp(String(failure.params['pattern']), 'u').test(meant);
  return meant !== text && isValid ? `Write ${quoted(meant)}.` : undefined;
}

function corrected(text: string, name: string): string {
  if (name === '`project`')
    return text
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, '-')
      .replace(/^-|-$/g, '');
  return name === '`url`' && !text.includes('://') ? `https://${text.trim()}` : text.trim();
}

/** What a choice is between, and which were chosen if there is more than one. */
function choiceOf(failure: Failure): string {
  const found = requiredNames(failure).filter((each) => Object.hasOwn(failure.data as object, each));
  const rule = parentOf(failure).oneOf?.[0]?.errorMessage ?? 'one of several properties';
  return found.length === 0 ? rule : `${rule}, but has ${found.map((each) => `\`${each}\``).join(' and ')}`;
}

function limitOf(failure: Failure): string {
  const limit = String(failure.params['limit']);
  const parent = parentOf(failure);
  switch (failure.keyword) {
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

function ruleOf({ patternErrorMessage, errorMessage, type }: ParentSchema): string {
  return patternErrorMessage ?? errorMessage ?? typeLabels([type ?? 'something else'].flat());
}

function unknownProperty(failure: Failure, suggestions: Suggestions): SchemaMessage {
  const near = closestProperty(failure, suggestions);
  const word = String(failure.params['additionalProperty']);
  const known = Object.keys(parentOf(failure).properties ?? {});
  return {
    code: 'unknown-property',
    message: `unknown property ${quoted(word)}`,
    help:
      near === null
        ? `Valid properties: ${listed(known)}.`
        : `Did you mean \`${withMeaning(near, word, failure)}\`?`,
    at: 'key',
  };
}

function missingProperty({ failure, name }: FailureAt): SchemaMessage {
  const property = String(failure.params['missingProperty']);
  return {
    ...(property === 'project' ? { code: 'missing-setting' } : {}),
    message: name === '' ? `\`${property}\` is missing` : `\`${property}\` is missing in ${name}`,
    help: exampleOf(property, failure),
    at: 'key',
  };
}

function dependentProperty({ failure }: FailureAt): SchemaMessage {
  const property = String(failure.params['missingProperty']);
  const message = `\`${String(failure.params['property'])}\` also needs \`${property}\``;
  return { message, help: exampleOf(property, failure), at: 'key' };
}

function exampleOf(property: string, failure: Failure): string | undefined {
  const [example] = parentOf(failure).properties?.[property]?.examples ?? [];
  return example === undefined ? undefined : `For example: \`${property}: ${flow(example)}\`.`;
}

function wrongType(at: FailureAt): SchemaMessage {
  const { failure, name, secret } = at;
  const expected = [failure.params['type'] as string | string[]].flat();
  const value = failure.data as Json;
  const isFraction = typeof value === 'number' && expected.includes('integer') && !secret;
  const actual = isFraction ? String(value) : typeLabels([typeName(value)]);
  const message = `${name} must be ${typeLabels(expected)}, not ${actual}`;
  // Quotes would not make it right where a number is meant.
  const meant = isFraction ? expected.filter((type) => type !== 'string') : expected;
  return { message, help: secret ? fromEnvironment : typeHint(at, meant) };
}

function wrongChoice(at: FailureAt, suggestions: Suggestions): SchemaMessage {
  const allowed = at.failure.params['allowedValues'] as string[];
  const near = at.secret ? null : suggestions.of(String(at.failure.data), allowed, allowed.length);
  return {
    message: `${at.name} must be one of ${listed(allowed)}${shownValue(at)}`,
    help: near === null ? undefined : `Did you mean \`${near}\`?`,
  };
}

const typeLabel: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  integer: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'a map',
};

function typeLabels(types: readonly string[]): string {
  return types.map((type) => typeLabel[type] ?? type).join(' or ');
}

function typeName(value: Json): string {
  return Array.isArray(value) ? 'array' : value === null ? 'null' : typeof value;
}

/** The actual value, if it is one that may and can be shown. */
function shownValue({ failure, secret }: FailureAt): string {
  if (secret || failure.keyword === 'minLength' || failure.keyword === 'maxLength') return '';
  const value: unknown = failure.data;
  if (typeof value === 'string') return `, not ${quoted(value)}`;
  return typeof value === 'number' || typeof value === 'boolean' ? `, not ${value}` : '';
}

export function closestProperty(failure: Failure, suggestions: Suggestions): string | null {
  const known = parentOf(failure).properties ?? {};
  const name = String(failure.params['additionalProperty']);
  // `target:agent/a`, without a space, is a key to YAML.
  const [property = ''] = name.split(':', 1);
  if (Object.hasOwn(known, property)) return property;
  return interfaceWord(property, known) ?? suggestions.keyOf(name, known);
}
