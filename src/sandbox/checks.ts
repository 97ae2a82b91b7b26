import { DURATION_EXAMPLES, durationMs } from './clock.js';
import { isFields } from './http.js';

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
