import { isJsonObject, type Json, type JsonObject } from '../../model/json.js';
import { inline, quoted } from '../../yaml/text.js';
import { addressPrefixes, externalPrefixes } from '../generated/validators.js';
import { type FailureAt, type ParentSchema, parentOf } from './schema-failure.js';

/** A hint shows no more of a longer text. */
const LONGEST_SHOWN = 80;
const withoutSpace = /^([A-Za-z][\w.-]*):([^\s:/].*)$/;

/** How to write a value that has the wrong type. */
export function typeHint(mistyped: FailureAt, expected: readonly string[]): string | undefined {
  const { failure, written } = mistyped;
  const value = failure.data as Json;
  const schema = parentOf(failure);
  const [, variable] = /^["']?\$\{var\.([\w-]+)\}["']?$/.exec(written) ?? [];
  if (variable !== undefined) return `Change the value of the variable ${quoted(variable)}.`;
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
export function flow(value: Json): string {
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return `[${value.map(flow).join(', ')}]`;
  if (!isJsonObject(value)) return String(value);
  const entries = Object.entries(value).map(([key, each]) => `${key}: ${flow(each)}`);
  return `{ ${entries.join(', ')} }`;
}

export function listed(names: readonly string[]): string {
  return names.map((name) => `\`${name}\``).join(', ');
}
