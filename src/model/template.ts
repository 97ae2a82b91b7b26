import { equal, isJsonObject, type Json, type JsonObject } from './json.js';

/*
 * A template is what a manifest says where a value from the environment belongs: `user-${env.SHOP_USER}`. Variables are
 * replaced, and `$${` stands for `${`. It holds no secret, so plans, digests and inventories hold it in place of the value.
 */

/** Hides a whole value: all that is known is that it came from the environment. */
export const UNKNOWN_TEMPLATE = '${env._}';

const opening = /\$\$\{|\$\{env\.\w+\}/g;

/** The template of a text that uses no environment variable. */
export function escaped(text: string): string {
  // A function, because `$$` means one `$` in a replacement text.
  return text.replaceAll('${', () => '$${');
}

/**
 * Templates one after the other. What only the seam makes an opening is text; a `$` before `${env.NAME}` cannot be
 * written.
 */
export function joined(templates: readonly string[]): string {
  return templates.reduce((before, each) => before + (isSeam(before, each) ? '$' : '') + each, '');
}

function isSeam(before: string, next: string): boolean {
  return before.endsWith('$') && next.startsWith('{');
}

/** The template of a value that uses no environment variable. */
export function escapedValue(value: Json): Json {
  if (typeof value === 'string') return escaped(value);
  if (Array.isArray(value)) return value.map(escapedValue);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, escapedValue(each)]));
}

/** A value as a manifest writes it: as a template, with the names in maps escaped as well. Templates have the names themselves. */
export function writtenValue(value: Json): Json {
  if (typeof value === 'string') return escaped(value);
  if (Array.isArray(value)) return value.map(writtenValue);
  return isJsonObject(value) ? withWrittenNames(value, writtenValue) : value;
}

/** A template as a manifest writes it. */
export function writtenTemplate(template: Json): Json {
  if (Array.isArray(template)) return template.map(writtenTemplate);
  return isJsonObject(template) ? withWrittenNames(template, writtenTemplate) : template;
}

function withWrittenNames(map: JsonObject, each: (value: Json) => Json): JsonObject {
  return Object.fromEntries(Object.entries(map).map(([name, value]) => [escaped(name), each(value)]));
}

/** The name in a map that a manifest writes: no variable is replaced in it. */
export function unescapedName(written: string): string {
  return written.includes('$${') ? written.replaceAll('$${', '${') : written;
}

/** The value of a template that uses no environment variable. */
export function unescapedValue(template: Json): Json {
  if (typeof template === 'string') return literalsOf(template).join('');
  if (Array.isArray(template)) return template.map(unescapedValue);
  if (!isJsonObject(template)) return template;
  return Object.fromEntries(Object.entries(template).map(([name, each]) => [name, unescapedValue(each)]));
}

/** True for a template in which a value from the environment belongs. */
export function usesEnvironment(template: Json | undefined): boolean {
  if (typeof template === 'string') return literalsOf(template).length > 1;
  if (Array.isArray(template)) return template.some(usesEnvironment);
  return isJsonObject(template) && Object.values(template).some(usesEnvironment);
}

/** The literal text before, between and after the values from the environment. */
function literalsOf(template: string): string[] {
  const literals: string[] = [];
  let text = '';
  let from = 0;
  for (const { 0: found, index } of template.matchAll(opening)) {
    text += template.slice(from, index);
    from = index + found.length;
    if (found === '$${') text += '${';
    else {
      literals.push(text);
      text = '';
    }
  }
  return [...literals, text + template.slice(from)];
}

/** Whether a template can have produced a value, with any environment. */
export function fits(value: Json, template: Json): boolean {
  if (typeof template === 'string') return typeof value === 'string' && textFits(value, literalsOf(template));
  if (!isContainer(template)) return equal(value, template);
  if (!isContainer(value) || Array.isArray(value) !== Array.isArray(template)) return false;
  const [own, wanted] = [Object.entries(value), Object.entries(template)];
  const names = new Map<string, Json>(own);
  return own.length === wanted.length && wanted.every(([name, each]) => fits(names.get(name) ?? null, each));
}

function isContainer(value: Json): value is readonly Json[] | JsonObject {
  return Array.isArray(value) || isJsonObject(value);
}

function textFits(text: string, literals: readonly string[]): boolean {
  const [first = '', ...rest] = literals;
  const last = rest.pop();
  if (last === undefined) return text === first;
  if (!text.startsWith(first)) return false;
  let at = first.length;
  for (const literal of rest) {
    const found = text.indexOf(literal, at);
    if (found < 0) return false;
    at = found + literal.length;
  }
  return text.length - last.length >= at && text.endsWith(last);
}

/** The text of a template with `mask` for each value from the environment. */
export function masked(template: string, mask: string): string {
  return literalsOf(template).map(escaped).join(mask);
}
