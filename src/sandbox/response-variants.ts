import type { Answer, Core, Refusal } from './api.js';
import { type Fields, isFields } from './body.js';
import { ANSWER_EDGES, isSilent } from './response-variants-answers.js';
import { RECORD_EDGES, type RecordEdge } from './response-variants-records.js';
import type { Variant } from './variants.js';

/** The edge: answers and refusals become bodies here, and here alone the variants change how they look. */

/** What goes over the wire: JSON for an object, plain text for a string, nothing for null. */
export interface Wire {
  readonly status: number;
  readonly body: Fields | string | null;
}

type Variants = ReadonlySet<Variant>;
type WireEdge = (wire: Wire, answer: Answer) => Wire;

/** The variants that change the envelope of a success. */
const WIRE_EDGES: Partial<Record<Variant, WireEdge>> = {
  'no-data-answers': (wire, answer) => (isSilent(answer) ? { ...wire, body: dropData(wire.body) } : wire),
  'key-answers-top-level': (wire, { kind, operation }) =>
    kind === 'key' && operation === 'create' ? { ...wire, body: liftKey(wire.body) } : wire,
  'extra-fields': (wire) =>
    isFields(wire.body) ? { ...wire, body: { ...wire.body, traceId: '00-1' } } : wire,
  'created-201': (wire, { operation }) => (operation === 'create' ? { ...wire, status: 201 } : wire),
  'deleted-204': (wire, { operation }) => (operation === 'delete' ? { status: 204, body: null } : wire),
};

/** A success as the envelope `{ success, message?, data }` (interface.md §1, convention 3). */
export function successWire({ variants }: Core, answer: Answer, query: URLSearchParams): Wire {
  const shaped = active(RECORD_EDGES, variants).reduce(
    (data, edge) => onRecords(data, answer, edge),
    answer.data,
  );
  const data = active(ANSWER_EDGES, variants).reduce((value, edge) => edge(value, answer, query), shaped);
  const message = answer.message === undefined ? {} : { message: answer.message };
  const wire: Wire = { status: 200, body: { success: true, ...message, data } };
  return active(WIRE_EDGES, variants).reduce((result, edge) => edge(result, answer), wire);
}

/** A refusal as an error body; its complete shape is not shown (§7). */
export function refusalWire({ variants }: Core, refusal: Refusal): Wire {
  const { status, message, errorCode } = refusal;
  if (variants.has('errors-text')) return { status, body: message };
  if (variants.has('errors-nested')) {
    return { status, body: { error: { message, ...(errorCode ? { code: errorCode } : {}) } } };
  }
  return { status, body: { success: false, message, ...(errorCode ? { errorCode } : {}) } };
}

/** The edges of a table that are on, in the order of the table. */
function active<T>(table: Partial<Record<Variant, T>>, variants: Variants): T[] {
  return Object.entries(table)
    .filter(([name]) => variants.has(name as Variant))
    .map(([, edge]) => edge);
}

function onRecords(data: unknown, { kind, operation }: Answer, edge: RecordEdge): unknown {
  if (kind === 'none') return data;
  const change = (record: unknown): unknown =>
    isFields(record) ? edge(record, { kind, operation }) : record;
  if (Array.isArray(data)) return data.map(change);
  if (operation === 'page' && isFields(data) && Array.isArray(data.items)) {
    return { ...data, items: data.items.map(change) };
  }
  return change(data);
}

function dropData(body: Wire['body']): Wire['body'] {
  if (!isFields(body)) return body;
  const { data: _dropped, ...rest } = body;
  return rest;
}

function liftKey(body: Wire['body']): Wire['body'] {
  if (!isFields(body) || !isFields(body.data)) return body;
  const { data, ...rest } = body;
  return { ...rest, key: isFields(data) ? data.key : undefined };
}
