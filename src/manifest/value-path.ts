import { isJsonObject, type Json } from '../model/json.js';
import type { ProblemText } from '../yaml/source.js';
import { quoted } from '../yaml/text.js';
import { listed } from './schema-messages.js';
import type { Suggestions } from './suggest.js';

/** The names that lead from a map to a value inside it. */
export type ValuePath = readonly string[];

/** Where a path leads; or the value that has nothing of that name, and how many names lead to it. */
export type Reached =
  | { readonly found: Json }
  | { readonly found?: undefined; readonly parent: Json; readonly depth: number };

export function reach(value: Json, path: ValuePath): Reached {
  let parent = value;
  for (const [depth, name] of path.entries()) {
    const next = isJsonObject(parent) && Object.hasOwn(parent, name) ? parent[name] : undefined;
    if (next === undefined) return { parent, depth };
    parent = next;
  }
  return { found: parent };
}

/** How many known names are listed where none is close. */
const MOST_LISTED = 10;

/** What is wrong with a path, and the one that was most likely meant. `root` is what it begins with: `var.zones`. */
export function noSuchPath(
  root: string,
  path: ValuePath,
  { parent, depth }: Exclude<Reached, { found: Json }>,
  suggestions: Suggestions,
): ProblemText {
  const name = path[depth] ?? '';
  const owner = quoted([root, ...path.slice(0, depth)].join('.'));
  if (!isJsonObject(parent)) {
    const message = `${owner} is ${typeOf(parent)}, so it has no ${quoted(name)}`;
    return {
      message,
      help: `Only a map has named values. Use \`\${${[root, ...path.slice(0, depth)].join('.')}}\`.`,
    };
  }
  const names = suggestions.keysOf(parent);
  const closest = suggestions.keyOf(name, parent);
  // Other names cannot be written in a path.
  const near = closest !== null && /^[\w-]+$/.test(closest) ? closest : null;
  const meant = [root, ...path.slice(0, depth), near, ...path.slice(depth + 1)].join('.');
  const known = names.length === 0 ? 'It is empty.' : `It has ${listed(names.slice(0, MOST_LISTED))}.`;
  return {
    message: `${owner} has no ${quoted(name)}`,
    help: near === null ? known : `Did you mean \`\${${meant}}\`?`,
  };
}

/** Of a list or a map inside a longer text: what is wrong, and how to write what was meant. */
export function notText(
  written: string,
  value: Json,
  isKey = false,
): ProblemText & { readonly help: string } {
  const place = isKey ? 'in a key' : 'inside a text';
  const message = `${quoted(written)} is ${typeOf(value)}, which is not allowed ${place}`;
  const use = isKey ? 'Use `${each.key}`' : `Use \`${written}\` as the whole value`;
  const name = isJsonObject(value) ? Object.keys(value).find((each) => /^[\w-]+$/.test(each)) : undefined;
  if (name !== undefined)
    return { message, help: `${use}, or one of its values: \`${written.slice(0, -1)}.${name}}\`.` };
  if (isKey || !Array.isArray(value)) return { message, help: `${use}.` };
  const text = `add a value that is the text${joinedText(value)}, and use that here`;
  return { message, help: `${use}. Lists are not joined: ${text}.` };
}

/** A list that is longer is no example. */
const MOST_JOINED = 5;

function joinedText(list: readonly Json[]): string {
  const isShort =
    list.length <= MOST_JOINED && list.every((each) => typeof each !== 'object' && String(each).length <= 20);
  return list.length > 0 && isShort ? `, such as \`${JSON.stringify(list.join(', '))}\`` : '';
}

/** `a list`, for messages. */
export function typeOf(value: Json): string {
  if (Array.isArray(value)) return 'a list';
  if (isJsonObject(value)) return 'a map';
  if (typeof value === 'boolean') return 'true or false';
  return typeof value === 'number' ? 'a number' : 'text';
}
