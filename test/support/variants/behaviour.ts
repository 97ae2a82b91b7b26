import { type Fields, isFields } from '../../../src/sandbox/body.js';
import type { Behaviour, Exchange, Reply } from '../../../src/sandbox/index.js';
import type { Variant } from './names.js';
import { hasUnspecifiedBody, type Operation, operationOf } from './operations.js';
import { PAYLOAD_REWRITES } from './payloads.js';
import { RECORD_REWRITES, type RecordRewrite } from './records.js';
import { mapData, RULES } from './rules.js';

/** The variants as a behaviour of the sandbox: rules around its handler, then what they change in the response. */

type EnvelopeRewrite = (reply: Reply, operation: Operation) => Reply;

/** The variants that change the envelope of a success. */
const ENVELOPE_REWRITES: Partial<Record<Variant, EnvelopeRewrite>> = {
  'no-data-answers': (reply, operation) =>
    hasUnspecifiedBody(operation) ? { ...reply, body: dropData(reply.body) } : reply,
  'key-answers-top-level': (reply, { kind, action }) =>
    kind === 'key' && action === 'create' ? { ...reply, body: liftKey(reply.body) } : reply,
  'extra-fields': (reply) =>
    isFields(reply.body) ? { ...reply, body: { ...reply.body, traceId: '00-1' } } : reply,
  'created-201': (reply, { action }) => (action === 'create' ? { ...reply, status: 201 } : reply),
  'deleted-204': (reply, { action }) => (action === 'delete' ? { status: 204, body: null } : reply),
};

/** The variants that change the body of an error; its complete shape is not shown (§7). */
const ERROR_REWRITES: Partial<Record<Variant, (body: Fields) => Reply['body']>> = {
  'errors-text': ({ message }) => String(message),
  'errors-page': ({ message }) => `<!doctype html><title>${message}</title>`,
  'errors-empty': () => null,
  'errors-problem': ({ message, errorCode }) => ({
    title: 'Refused',
    detail: message,
    ...(errorCode ? { code: errorCode } : {}),
  }),
  'errors-nested': ({ message, errorCode }) => ({
    error: { message, ...(errorCode ? { code: errorCode } : {}) },
  }),
};

/** A behaviour keeps state: make one for each sandbox. */
export function behaviourOf(variants: readonly Variant[]): Behaviour {
  const chosen = new Set(variants);
  const rules = active(RULES, chosen).map((make) => make());
  const errors = active(ERROR_REWRITES, chosen);
  return (reply, exchange) => {
    if (exchange === null) return rewriteError(reply(), errors);
    const operation = operationOf(exchange.route);
    const run = rules.reduce<() => Reply>((next, rule) => () => rule(next, exchange, operation), reply);
    const result = run();
    return result.status < 400 ? rewriteSuccess(result, exchange, chosen) : rewriteError(result, errors);
  };
}

function rewriteSuccess(reply: Reply, { route, call }: Exchange, variants: ReadonlySet<Variant>): Reply {
  const operation = operationOf(route);
  const records = (data: unknown) =>
    active(RECORD_REWRITES, variants).reduce((value, rewrite) => onRecords(value, operation, rewrite), data);
  const payload = (data: unknown) =>
    active(PAYLOAD_REWRITES, variants).reduce(
      (value, rewrite) => rewrite(value, operation, call.query),
      data,
    );
  const rewritten = mapData(reply, (data) => payload(records(data)));
  return active(ENVELOPE_REWRITES, variants).reduce(
    (result, rewrite) => rewrite(result, operation),
    rewritten,
  );
}

/** At most one of the variants applies. */
function rewriteError(
  { status, body, headers }: Reply,
  [rewrite]: readonly ((body: Fields) => Reply['body'])[],
): Reply {
  const rewritten = rewrite !== undefined && isFields(body) ? rewrite(body) : body;
  return { status, body: rewritten, ...(headers === undefined ? {} : { headers }) };
}

/** The entries of a table whose variants are on, in the order of the table. */
function active<T>(table: Partial<Record<Variant, T>>, variants: ReadonlySet<Variant>): T[] {
  return Object.entries(table)
    .filter(([name]) => variants.has(name as Variant))
    .map(([, entry]) => entry);
}

const WITHOUT_RECORDS: readonly Operation['action'][] = ['upcoming', 'preview', 'run', 'bulk', 'other'];

function onRecords(data: unknown, operation: Operation, rewrite: RecordRewrite): unknown {
  if (WITHOUT_RECORDS.includes(operation.action)) return data;
  const change = (record: unknown): unknown => (isFields(record) ? rewrite(record, operation) : record);
  if (Array.isArray(data)) return data.map(change);
  if (operation.action === 'page' && isFields(data) && Array.isArray(data.items)) {
    return { ...data, items: data.items.map(change) };
  }
  return change(data);
}

function dropData(body: Reply['body']): Reply['body'] {
  if (!isFields(body)) return body;
  const { data: _dropped, ...rest } = body;
  return rest;
}

function liftKey(body: Reply['body']): Reply['body'] {
  if (!isFields(body) || !isFields(body.data)) return body;
  const { data, ...rest } = body;
  return { ...rest, key: isFields(data) ? data.key : undefined };
}
