import { isJsonObject, type Json, type JsonObject } from '../model/json.js';
import { typeWord } from '../model/words.js';
import type { ProblemText } from '../yaml/source.js';
import { inline, quoted } from '../yaml/text.js';
import { addressPrefixes, externalPrefixes, propertyNames } from './generated/validators.js';
import { ownSpelling } from './numbers.js';
import type { Suggestions } from './suggest.js';

export interface Validator {
  (value: Json): boolean;
  readonly errors?: readonly Failure[] | null;
}

/** One rule that a value breaks, as the compiled schema reports it. */
export interface Failure {
  readonly keyword: string;
  /** JSON Pointer of the value. */
  readonly instancePath: string;
  readonly schemaPath: string;
  readonly params: Readonly<Record<string, unknown>>;
  /** Set for a problem with a key. */
  readonly propertyName?: string;
  readonly parentSchema?: unknown;
  readonly data?: unknown;
}

/** A failure with what the file says of the value. */
export interface FailureAt {
  readonly failure: Failure;
  /** The name of the value in backticks; empty for the file itself. */
  readonly name: string;
  /** The value as written in the file; empty for a map or list. */
  readonly written: string;
  /** True for a value that comes from the environment: it is never shown. */
  readonly secret: boolean;
}

/** The schema around the rule that a value breaks: messages are built from it. */
export interface ParentSchema {
  readonly errorMessage?: string;
  readonly patternErrorMessage?: string;
  readonly type?: string | readonly string[];
  readonly examples?: readonly Json[];
  readonly properties?: Readonly<Record<string, { readonly examples?: readonly Json[] }>>;
  readonly oneOf?: readonly { readonly required?: readonly string[]; readonly errorMessage?: string }[];
  readonly anyOf?: readonly ParentSchema[];
  readonly enum?: readonly string[];
  readonly propertyNames?: ParentSchema;
}

export function parentOf(failure: Failure): ParentSchema {
  return (failure.parentSchema ?? {}) as ParentSchema;
}

export function requiredNames(failure: Failure): readonly string[] {
  const { keyword, params } = failure;
  if (keyword === 'required' || keyword === 'dependencies') return [String(params['missingProperty'])];
  if (keyword !== 'oneOf') return [];
  return (parentOf(failure).oneOf ?? []).flatMap((each) => each.required ?? []);
}

/** A longer text is not a typing mistake. */
const LONGEST_CORRECTED = 80;

export interface SchemaMessage extends ProblemText {
  readonly code?: 'unknown-property' | 'missing-setting' | undefined;
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
    case 'uniqueItems':
      return `must not name ${quoted(String(Object(failure.data)[Number(failure.params['i'])]))} twice`;
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
  const said = { code: 'unknown-property', message: `unknown property ${quoted(word)}`, at: 'key' } as const;
  // A rule about a property of an entry, in the JSON Schema of a policy.
  if (known.includes('additionalProperties') && entryProperties.has(word))
    return {
      ...said,
      help: `Rules about properties are below \`properties\`: \`properties: { ${word}: … }\`.`,
    };
  const valid = `Valid properties: ${listed(known)}.`;
  return { ...said, help: near === null ? valid : `Did you mean \`${withMeaning(near, word, failure)}\`?` };
}

const entryProperties: ReadonlySet<string> = new Set(Object.values(propertyNames).flat());

function missingProperty({ failure, name }: FailureAt): SchemaMessage {
  const property = String(failure.params['missingProperty']);
  return {
    code: property === 'project' ? 'missing-setting' : undefined,
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
  const actual = isFraction ? ownSpelling(at.written, value) : typeLabels([typeName(value)]);
  const message = `${name} must be ${typeLabels(expected)}, not ${actual}`;
  // Quotes would not make it right where a number is meant.
  const meant = isFraction ? expected.filter((type) => type !== 'string') : expected;
  return { message, help: secret ? fromEnvironment : typeHint(at, meant) };
}

function wrongChoice(at: FailureAt, suggestions: Suggestions): SchemaMessage {
  const allowed = at.failure.params['allowedValues'] as string[];
  const word = String(at.failure.data);
  const isShort = (each: string) => word.length >= 3 && each.startsWith(word.toLowerCase());
  const near = at.secret
    ? null
    : (suggestions.of(word, allowed, allowed.length) ?? allowed.find(isShort) ?? null);
  return {
    message: `${at.name} must be one of ${listed(allowed)}${shownValue(at)}`,
    help: near === null ? undefined : `Did you mean \`${near}\`?`,
  };
}

function typeLabels(types: readonly string[]): string {
  return types.map(typeWord).join(' or ');
}

function typeName(value: Json): string {
  return Array.isArray(value) ? 'array' : value === null ? 'null' : typeof value;
}

/** The actual value, if it is one that may and can be shown. */
function shownValue(at: FailureAt): string {
  const { failure, secret } = at;
  if (secret || failure.keyword === 'minLength' || failure.keyword === 'maxLength') return '';
  const value: unknown = failure.data;
  if (typeof value === 'string') return `, not ${quoted(value)}`;
  return typeof value === 'number' || typeof value === 'boolean'
    ? `, not ${ownSpelling(at.written, value)}`
    : '';
}

export function closestProperty(failure: Failure, suggestions: Suggestions): string | null {
  const known = parentOf(failure).properties ?? {};
  const name = String(failure.params['additionalProperty']);
  // `target:agent/a`, without a space, is a key to YAML.
  const [property = ''] = name.split(':', 1);
  if (Object.hasOwn(known, property)) return property;
  return interfaceWord(property, known) ?? suggestions.keyOf(name, known);
}

/** A hint shows no more of a longer text. */
const LONGEST_SHOWN = 80;
const withoutSpace = /^([A-Za-z][\w.-]*):([^\s:/].*)$/;

/** How to write a value that has the wrong type. */
function typeHint(mistyped: FailureAt, expected: readonly string[]): string | undefined {
  const { failure, written } = mistyped;
  const value = failure.data as Json;
  const schema = parentOf(failure);
  const [, variable] = /^["']?\$\{var\.([\w-]+)\}["']?$/.exec(written) ?? [];
  if (variable !== undefined) return `Change the value of the variable ${quoted(variable)}.`;
  if (/\$\{each\./.test(written)) return 'Change the value of the item.';
  if (expected.includes('object'))
    return (typeof value === 'string' ? colonHint(value) : undefined) ?? exampleHint(schema);
  if (expected.includes('array') && typeof value === 'string') return listHint(value, mistyped.name);
  if (expected.includes('string')) return textHint(value, written, schema);
  if (expected.includes('boolean'))
    return `Write \`true\` or \`false\`${/^["']/.test(written) ? ', without quotes' : ''}.`;
  const isNumber = typeof value === 'string' && /^\d+$/.test(value);
  return isNumber && expected.includes('integer') ? 'Remove the quotes.' : undefined;
}

/** True for a property whose values are addresses such as `group/retail`, by its examples. */
export function isAddress({ examples: [example] = [] }: ParentSchema): boolean {
  return typeof example === 'string' && addressPrefixes.includes(example.split('/', 1)[0] ?? '');
}

/** `members:[a]` is text to YAML. */
export function colonHint(text: string): string | undefined {
  const [, key, rest] = withoutSpace.exec(text.slice(0, LONGEST_SHOWN)) ?? [];
  return key === undefined ? undefined : `Add a space after the colon: \`${inline(`${key}: ${rest}`)}\`.`;
}

function exampleHint({ examples: [example] = [] }: ParentSchema): string | undefined {
  return example === undefined ? undefined : `For example: \`${flow(example)}\`.`;
}

/** A command line is not a list of its words: what `>` or `|` mean in it, only a shell knows. */
function listHint(value: string, name: string): string {
  if (name === '`command`') return `Write it as a list: \`[sh, -c, ${quoted(value)}]\`.`;
  const start = value.slice(0, LONGEST_SHOWN);
  const [, first] = /^-([^\s-]\S*)/.exec(start) ?? [];
  if (first !== undefined) return `Add a space after the dash: \`${inline(`- ${first}`)}\`.`;
  if (/\S\s+-\s/.test(start)) return 'Begin each item of the list with `- `, on a separate line.';
  const inside = start.replace(/^[\s[({]+/, '').replace(/[\])}]$/, '');
  return `Write it as a list: \`[${inside.split(',').map(listItem).join(', ')}]\`.`;
}

function listItem(written: string): string {
  const item = written.trim();
  return /^[\w./-]+$/.test(item) ? item : quoted(item);
}

function textHint(value: Json, written: string, schema: ParentSchema): string | undefined {
  if (schema.enum !== undefined) return `Valid values: ${listed(schema.enum)}.`;
  const { examples: [example] = [] } = schema;
  const isFree = typeof example === 'string' && !/^\d/.test(example);
  if (typeof value === 'boolean' && !isFree && example !== undefined) return exampleHint(schema);
  if (typeof value === 'boolean') return `Put it in quotes: \`"${written}"\`.`;
  if (typeof value === 'number') return numberHint(value, written, schema);
  return isJsonObject(value) ? pairHint(value, schema) : undefined;
}

/** A number lacks its unit where a duration belongs. Where a time belongs, quotes do not make it one. */
function numberHint(value: number, written: string, schema: ParentSchema): string | undefined {
  const { examples: [example] = [] } = schema;
  if (typeof example !== 'string' || !/^\d/.test(example)) return `Put it in quotes: \`"${written}"\`.`;
  if (!/^\d+ \w+$/.test(example)) return exampleHint(schema);
  // A large number may well not count hours.
  const isLikely = Number.isInteger(value) && value > 0 && value < 48;
  return `Add the unit: \`${isLikely ? example.replace(/^\d+/, String(value)) : example}\`.`;
}

/** `target: { group: retail }` is meant as `group/retail`, and `{ agent: acme }` or `{acme}` as `acme`. */
function pairHint(value: JsonObject, schema: ParentSchema): string | undefined {
  const [[key, inner] = [], ...others] = Object.entries(value);
  if (key === undefined || typeof inner !== 'string' || others.length > 0) return undefined;
  const asText = (text: string) => `Write it as text: \`${inline(text)}\`.`;
  // A key without a value is an empty text here.
  if (inner === '') return asText(key);
  if (!addressPrefixes.includes(key)) return undefined;
  if (isAddress(schema)) return asText(`${key}/${inner}`);
  return externalPrefixes.includes(key) ? asText(inner) : undefined;
}

/** A value as it would be written on one line of YAML. */
function flow(value: Json): string {
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return `[${value.map(flow).join(', ')}]`;
  if (!isJsonObject(value)) return String(value);
  const entries = Object.entries(value).map(([key, each]) => `${key}: ${flow(each)}`);
  return `{ ${entries.join(', ')} }`;
}

export function listed(names: readonly string[]): string {
  return names.map((name) => `\`${name}\``).join(', ');
}

/** How entries call what the service's interface and dashboard call otherwise. Of several, the one that is known counts. */
const words: ReadonlyMap<string, readonly string[]> = new Map([
  ['agentIds', ['members', 'stages']],
  ['agents', ['members', 'stages']],
  ['cronExpression', ['cron']],
  ['desc', ['description']],
  ['disabled', ['enabled', 'active']],
  ['enabled', ['active']],
  ['externalAgentIds', ['members', 'stages']],
  ['inputParameters', ['inputs']],
  ['interval', ['every']],
  ['intervalUnit', ['every']],
  ['intervalValue', ['every']],
  ['isActive', ['active', 'enabled']],
  ['isEnabled', ['enabled', 'active']],
  ['members', ['stages']],
  ['parameters', ['inputs']],
  ['paused', ['enabled', 'active']],
  ['scraperAgentIds', ['members', 'stages']],
  ['scraperAgents', ['members', 'stages']],
  ['stages', ['members']],
  ['start', ['startTime']],
  ['steps', ['stages', 'members']],
  ['targetId', ['target']],
  ['targetType', ['target']],
  ['timeZoneId', ['timeZone']],
  ['timezone', ['timeZone']],
  ['tz', ['timeZone']],
  ['zone', ['timeZone']],
]);

/** Words that mean the opposite. */
const opposites: ReadonlySet<string> = new Set(['disabled', 'paused']);

/** The property of a manifest that a word of the interface stands for; null for other words. */
function interfaceWord(word: string, known: object): string | null {
  return words.get(word)?.find((property) => Object.hasOwn(known, property)) ?? null;
}

/** `enabled: false`, for `paused: true`. */
function withMeaning(property: string, word: string, { data }: Failure): string {
  if (!opposites.has(word)) return property;
  const value: unknown = Object.getOwnPropertyDescriptor(data ?? {}, word)?.value;
  return typeof value === 'boolean' ? `${property}: ${!value}` : property;
}
