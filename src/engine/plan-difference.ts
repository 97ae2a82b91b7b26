import { canonical, isJsonObject, type Json, type JsonObject, parseJson } from '../model/json.js';

/** How many differences are listed; the rest are counted. */
const mostListed = 8;

/**
 * How two saved plans differ, in words: `create group/a is new; update group/b: members differs`. The saved text is
 * never trusted: only known names are taken from it. Empty when there is nothing to say.
 */
export function planDifference(saved: string, current: string): string {
  const [before, after] = [parseJson(saved), parseJson(current)];
  // It was not written by `plan --out`, or was changed since.
  if (!isJsonObject(before) || !isJsonObject(after)) return 'the file is not a saved plan';
  const parts = [...heads(before, after), ...changes(before, after)];
  const more = parts.length - mostListed;
  return [...parts.slice(0, mostListed), ...(more > 0 ? [`${more} more`] : [])].join('; ');
}

const headNames = [
  'project',
  'environment',
  'service',
  'account',
  'inventory',
  'prune',
  'limits',
  'roster',
] as const;

const headDifference: Readonly<Record<string, string>> = {
  prune: '`prune` differs',
  limits: '`limits` differ',
  roster: 'the version of roster differs',
};

function heads(before: JsonObject, after: JsonObject): string[] {
  return headNames
    .filter((name) => !same(before[name], after[name]))
    .map((name) => headDifference[name] ?? `the ${name} differs`);
}

function changes(before: JsonObject, after: JsonObject): string[] {
  const [old, current] = [changesOf(before), changesOf(after)];
  const gone = [...old]
    .filter(([address]) => !current.has(address))
    .map(([, each]) => `no longer planned: ${words(each)}`);
  const fresh = [...current]
    .filter(([address]) => !old.has(address))
    .map(([, each]) => `newly planned: ${words(each)}`);
  const other = [...current].flatMap(([address, each]) => {
    const was = old.get(address);
    return was === undefined || same(was, each) ? [] : [`${words(each)}: ${inWhat(was, each)}`];
  });
  return [...gone, ...fresh, ...other];
}

function inWhat(was: JsonObject, is: JsonObject): string {
  if (!same(was['action'], is['action'])) return `it was ${words(was).split(' ')[0]}`;
  const [old, current] = [fieldsOf(was), fieldsOf(is)];
  const paths = [...new Set([...old.keys(), ...current.keys()])].filter(
    (path) => !same(old.get(path), current.get(path)),
  );
  return paths.length === 0
    ? 'its object or its requests differ'
    : `${paths.join(', ')} ${paths.length === 1 ? 'differs' : 'differ'}`;
}

function words({ action, address }: JsonObject): string {
  return `${typeof action === 'string' ? action.slice(0, 20) : '?'} ${typeof address === 'string' ? address.slice(0, 100) : '?'}`;
}

function changesOf(plan: JsonObject): Map<string, JsonObject> {
  return byName(plan['changes'], 'address');
}

function fieldsOf(change: JsonObject): Map<string, JsonObject> {
  return byName(change['fields'], 'path');
}

function byName(list: Json | undefined, name: string): Map<string, JsonObject> {
  const items = Array.isArray(list) ? (list as readonly Json[]) : [];
  return new Map(items.flatMap((each) => (isJsonObject(each) ? [[String(each[name]), each] as const] : [])));
}

function same(a: Json | undefined, b: Json | undefined): boolean {
  return canonical(a ?? null) === canonical(b ?? null);
}
