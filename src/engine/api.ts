import { resolve } from 'node:path';
import { readRegular } from '../files/atomic.js';
import { withoutMark } from '../files/given-file.js';
import { type Diagnostic, Problem, problem } from '../model/diagnostic.js';
import { type Json, parseJson } from '../model/json.js';
import type { Request } from '../model/request.js';
import { ServiceFailure } from '../service/failure.js';
import type { Session } from './session.js';

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

/** A request as somebody typed it. */
export interface ApiRequest {
  /** In any case. Default: GET. */
  readonly method?: string | undefined;
  /** `/api/schedules?status=active` */
  readonly path: string;
  /** JSON, or `@` and the path of a file that contains it. */
  readonly data?: string | undefined;
  /** Whether to read every page of a list. */
  readonly all?: boolean | undefined;
  /** Whether anything but a GET is allowed. */
  readonly write?: boolean | undefined;
}

/** Checks a request without sending it. Throws a Problem. */
export function apiRequest(asked: ApiRequest, cwd: string): Request {
  const method = methodNamed(asked.method ?? 'GET');
  const { path, query } = splitPath(asked.path);
  const request = {
    // A plan holds no PATCH, so the type of its requests has none.
    method: method as Request['method'],
    path,
    ...(Object.keys(query).length === 0 ? {} : { query }),
    ...(asked.data === undefined ? {} : { body: bodyOf(asked.data, cwd) }),
    effect: effectOf(method),
  };
  checkWrite(request, asked);
  if (asked.all === true) checkAll(request);
  return request;
}

/**
 * Sends it, and returns the `data` of the answer: null when there is none. With `all`, the items of every page. `uncertain`
 * is called when a write has failed although it may have taken effect. Throws a Problem.
 */
export async function callApi(
  { client }: Session,
  request: Request,
  all: boolean,
  uncertain: () => void,
): Promise<unknown> {
  if (all) return client.readAll({ request, noun: 'item', parse: (item) => item });
  if (request.effect === 'read') return client.read({ request, parse: (data) => data });
  try {
    return (await client.send(request)).data;
  } catch (error) {
    if (!(error instanceof ServiceFailure) || error.certainty !== 'unknown') throw error;
    uncertain();
    throw new Problem([...error.diagnostics.map(mayHaveHappened)]);
  }
}

function mayHaveHappened(diagnostic: Diagnostic): Diagnostic {
  const help = 'The request may have taken effect. Read the object before you send it again.';
  return { ...diagnostic, help: diagnostic.help === undefined ? help : `${diagnostic.help} ${help}` };
}

/** A POST may create something each time, and nobody knows what a PATCH does: neither is sent twice. */
function effectOf(method: (typeof methods)[number]): Request['effect'] {
  if (method === 'GET') return 'read';
  return method === 'POST' || method === 'PATCH' ? 'create' : 'repeatable';
}

function methodNamed(text: string): (typeof methods)[number] {
  const found = methods.find((each) => each === text.toUpperCase());
  if (found !== undefined) return found;
  throw problem('usage', `"${text}" is not a method`, `One of: ${methods.join(', ')}.`);
}

function splitPath(text: string): { path: string; query: Record<string, string> } {
  if (/^[a-z][a-z0-9+.-]*:|^\/\//i.test(text))
    throw invalidPath(text, 'is a URL', 'Give the path only: requests go to the service of the project.');
  const [path = '', search = ''] = text.split(/\?(.*)/s);
  if (!path.startsWith('/api/'))
    throw invalidPath(text, 'is not below /api/', 'For example: `roster api /api/search-groups`.');
  const bad = path
    .split('/')
    .slice(1)
    .find((each) => !isSegment(each));
  if (bad !== undefined || search.includes('#'))
    throw invalidPath(text, 'is not a path of the service', helpFor(bad ?? search));
  return { path, query: queryOf(search, text) };
}

/** One segment of a path, encoded. `..` would leave `/api/`, also between slashes that the service decodes. */
function isSegment(text: string): boolean {
  if (!/^(?:[A-Za-z0-9._~-]|%[0-9A-Fa-f]{2})+$/.test(text)) return false;
  const parts = decoded(text).split(/[/\\]/);
  return parts.every((each) => each !== '.' && each !== '..');
}

function decoded(text: string): string {
  return text.replace(/%[0-9a-f]{2}/gi, (code) => String.fromCharCode(Number.parseInt(code.slice(1), 16)));
}

function helpFor(part: string): string {
  if (part === '') return 'It has an empty part: remove the extra `/`.';
  return /[{}<>]/.test(part)
    ? 'Put the id in place of the placeholder.'
    : 'Write other characters than letters, digits and `-._~` as %XX.';
}

function queryOf(search: string, text: string): Record<string, string> {
  const query: Record<string, string> = {};
  for (const [name, value] of new URLSearchParams(search)) {
    if (Object.hasOwn(query, name)) throw invalidPath(text, `sets "${name}" twice`, 'Set it once.');
    Object.defineProperty(query, name, { value, enumerable: true });
  }
  return query;
}

function invalidPath(text: string, what: string, help: string): Problem {
  return problem('usage', `"${text}" ${what}`, help);
}

function bodyOf(data: string, cwd: string): Json {
  const file = data.startsWith('@') ? data.slice(1) : null;
  const text = file === null ? data : readBody(resolve(cwd, file), file);
  const body = parseJson(text);
  if (body !== undefined) return body as Json;
  // The text is not shown: a part of it may be a part of a secret, which is masked only as a whole.
  throw problem(
    'usage',
    `--data: ${file ?? 'the text'} is not JSON`,
    'For example: `--data \'{"name": "Retail"}\'`.',
  );
}

function readBody(path: string, file: string): string {
  const text = readRegular(path, `the file ${file}`);
  if (text !== null) return withoutMark(text, `the file ${file}`);
  throw problem('unreadable-file', `--data: there is no file ${file}`);
}

function checkWrite(
  { method, path, body, effect }: Request,
  { write = false, all = false }: ApiRequest,
): void {
  if (effect === 'read') {
    if (body !== undefined)
      throw problem('usage', 'GET takes no `--data`', `Name the method, as in \`roster api POST ${path}\`.`);
    if (write) throw problem('usage', '`--write` is for requests that write, and GET reads', 'Omit it.');
    return;
  }
  if (all) throw problem('usage', `\`--all\` reads a list, and ${method} writes`, 'Omit it.');
  // Its answer holds the only copy of a key, which roster never prints, and the caller's own key is revoked.
  if (method === 'POST' && isKeys(path))
    throw problem(
      'usage',
      'creating an API key revokes your active one, and the new one would be masked here and lost',
      'Declare the key in a manifest, with `deliver`, and apply.',
    );
  if (!write) throw problem('usage', `${method} ${path} may change something`, 'To send it, add `--write`.');
}

/** However it is spelled: the service decides what it accepts. */
function isKeys(path: string): boolean {
  return /^\/api\/api-keys[/\\\s]*$/.test(decoded(path).toLowerCase());
}

function checkAll({ query = {} }: Request): void {
  const size = query['pageSize'];
  if (size !== undefined && !/^(?:[1-9]\d?|100)$/.test(String(size)))
    throw problem('usage', `"${size}" is not a size of pages`, 'Set `pageSize` to a number from 1 to 100.');
  const own = ['page', 'cursor'].find((name) => Object.hasOwn(query, name));
  if (own !== undefined)
    throw problem(
      'usage',
      `\`--all\` reads every page, so the path cannot set "${own}"`,
      'Omit one of them.',
    );
}
