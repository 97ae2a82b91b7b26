import type { Json, JsonObject } from '../model/json.js';
import { inline, quoted } from '../yaml/text.js';
import type { ParentSchema } from './parent-schema.js';

/** Of a longer text a hint shows no more. */
const mostSigns = 80;
const kinds = new Set(['agent', 'group', 'pipeline']);
const spaceless = /^([A-Za-z][\w.-]*):([^\s:/].*)$/;

/**
 * How to write a value that has the wrong type. `written` is the value as it stands in the file, empty for what is no
 * scalar; `name` is the property's.
 */
export function typeHelp(
  wanted: readonly string[],
  value: Json,
  written: string,
  name: string,
  schema: ParentSchema,
): string | undefined {
  const [, variable] = /^["']?\$\{var\.([\w-]+)\}["']?$/.exec(written) ?? [];
  if (variable !== undefined) return `Change the value of the variable ${quoted(variable)}.`;
  if (wanted.includes('object')) return mapHelp(value, schema);
  if (wanted.includes('array') && typeof value === 'string') return listHelp(value, name);
  if (wanted.includes('string')) return textHelp(value, written, schema);
  if (wanted.includes('boolean'))
    return `Write true or false${/^["']/.test(written) ? ', without quotes' : ''}.`;
  const isNumber = typeof value === 'string' && /^\d+$/.test(value);
  return isNumber && wanted.includes('integer') ? 'Write it without quotes.' : undefined;
}

/** `members:[a]` is text to YAML. */
export function colonHelp(text: string): string | undefined {
  const [, key, rest] = spaceless.exec(text.slice(0, mostSigns)) ?? [];
  return key === undefined ? undefined : `A space is missing after the colon: ${inline(`${key}: ${rest}`)}`;
}

function mapHelp(value: Json, { examples: [example] = [] }: ParentSchema): string | undefined {
  const spaced = typeof value === 'string' ? colonHelp(value) : undefined;
  if (spaced !== undefined) return spaced;
  return example === undefined ? undefined : `For example: ${flow(example)}`;
}

/** A command line is no list of its words: what `>` or `|` mean in it, a shell must say. */
function listHelp(value: string, name: string): string {
  if (name === '`command`') return `Write it as a list: [sh, -c, ${quoted(value)}]`;
  const [, first] = /^-([^\s-]\S*)/.exec(value.slice(0, mostSigns)) ?? [];
  if (first !== undefined) return `A space is missing after the dash: ${inline(`- ${first}`)}`;
  if (/\S\s+-\s/.test(value.slice(0, mostSigns)))
    return 'A dash is missing: each item of a list begins with `- `.';
  const inside = value
    .slice(0, mostSigns)
    .replace(/^[\s[({]+/, '')
    .replace(/[\])}]$/, '');
  return `Write it as a list: [${inside.split(',').map(listItem).join(', ')}]`;
}

function listItem(written: string): string {
  const item = written.trim();
  return /^[\w./-]+$/.test(item) ? item : quoted(item);
}

function textHelp(value: Json, written: string, schema: ParentSchema): string | undefined {
  if (schema.enum !== undefined) return `There are ${schema.enum.map((each) => `\`${each}\``).join(', ')}.`;
  const { examples: [example] = [] } = schema;
  const isFree = typeof example === 'string' && !/^\d/.test(example);
  if (typeof value === 'boolean' && !isFree && example !== undefined) return `For example: ${flow(example)}`;
  if (typeof value === 'boolean') return `Put it in quotes: "${written}"`;
  if (typeof value === 'number') return numberHelp(value, written, schema);
  return isObject(value) ? pairHelp(value, schema) : undefined;
}

/** A number is short of its unit where a count belongs; where a time or the like belongs, quotes make none of it. */
function numberHelp(value: number, written: string, { examples: [example] = [] }: ParentSchema): string {
  if (typeof example !== 'string' || !/^\d/.test(example)) return `Put it in quotes: "${written}"`;
  if (!/^\d+ \w+$/.test(example)) return `For example: ${example}`;
  // Of a large number nobody knows whether it counts hours.
  const isLikely = Number.isInteger(value) && value > 0 && value < 48;
  return `Write the unit as well: ${isLikely ? example.replace(/^\d+/, String(value)) : example}`;
}

/** `target: { group: retail }` is meant as `group/retail`, and `{ agent: acme }` or `{acme}` as `acme`. */
function pairHelp(value: JsonObject, { examples: [example] = [] }: ParentSchema): string | undefined {
  const [[key, inner] = [], ...others] = Object.entries(value);
  if (key === undefined || typeof inner !== 'string' || others.length > 0) return undefined;
  // A key without a value stands as an empty text here.
  if (inner === '') return `Write it as text: ${inline(key)}`;
  const isAddress = typeof example === 'string' && example.includes('/');
  if (isAddress && kinds.has(key)) return `Write it as text: ${inline(`${key}/${inner}`)}`;
  return key === 'agent' ? `Write it as text: ${inline(inner)}` : undefined;
}

/** A value as it would be written on one line of YAML. */
export function flow(value: Json): string {
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return `[${value.map(flow).join(', ')}]`;
  if (!isObject(value)) return String(value);
  return `{ ${Object.entries(value)
    .map(([key, each]) => `${key}: ${flow(each)}`)
    .join(', ')} }`;
}

function isObject(value: Json): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
