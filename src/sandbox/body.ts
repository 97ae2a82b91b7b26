import { badRequest } from './api.js';
import { Digits } from './digits.js';

/** Reads the fields of request bodies. Unknown fields are ignored; a null field counts as omitted. */

export type Fields = Record<string, unknown>;

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Digits);
}

/** The body as an object; a missing body counts as an empty one. */
export function bodyFields(body: unknown): Fields {
  if (body === undefined) return {};
  if (!isFields(body)) throw badRequest('The request body must be a JSON object.');
  return body;
}

export function optionalText(body: Fields, field: string): string | undefined {
  const value = body[field] ?? undefined;
  if (value === undefined || typeof value === 'string') return value;
  throw badRequest(`The field '${field}' must be a string.`);
}

export function requiredText(body: Fields, field: string): string {
  const value = optionalText(body, field);
  if (value === undefined || value.trim() === '') throw badRequest(`The field '${field}' is required.`);
  return value;
}

export function optionalFlag(body: Fields, field: string): boolean | undefined {
  const value = body[field] ?? undefined;
  if (value === undefined || typeof value === 'boolean') return value;
  throw badRequest(`The field '${field}' must be true or false.`);
}

export function requiredFlag(body: Fields, field: string): boolean {
  const value = optionalFlag(body, field);
  if (value === undefined) throw badRequest(`The field '${field}' is required.`);
  return value;
}

export function optionalTexts(body: Fields, field: string): string[] | undefined {
  const value = body[field] ?? undefined;
  if (value === undefined) return undefined;
  if (Array.isArray(value) && value.every((entry) => typeof entry === 'string')) return value;
  throw badRequest(`The field '${field}' must be an array of strings.`);
}

export function requiredTexts(body: Fields, field: string): string[] {
  const value = optionalTexts(body, field);
  if (value === undefined) throw badRequest(`The field '${field}' is required.`);
  return value;
}

/** One of a closed set of words, spelled exactly. */
export function optionalWord<T extends string>(
  body: Fields,
  field: string,
  words: readonly T[],
): T | undefined {
  const value = optionalText(body, field);
  if (value === undefined) return undefined;
  const word = words.find((known) => known === value);
  if (word === undefined) throw badRequest(`The field '${field}' must be one of ${words.join(', ')}.`);
  return word;
}

/** `inputParameters`: a string that contains a JSON object (interface.md §1, convention 5). */
export function optionalInputs(body: Fields): string | undefined {
  const text = optionalText(body, 'inputParameters');
  if (text === undefined || holdsObject(text)) return text;
  throw badRequest("The field 'inputParameters' must be a string that contains a JSON object.");
}

function holdsObject(text: string): boolean {
  try {
    return isFields(JSON.parse(text));
  } catch {
    return false;
  }
}
