import type { Answer } from './api.js';
import { isFields } from './body.js';
import { pageByCursor, pageByNumber } from './paging.js';
import type { Variant } from './variants.js';
import { isGuid } from './world.js';

/** The variants that change the payload as a whole: how lists are wrapped, what an action gives back. */

export type AnswerEdge = (data: unknown, answer: Answer, query: URLSearchParams) => unknown;

export const ANSWER_EDGES: Partial<Record<Variant, AnswerEdge>> = {
  'uppercase-guids': (data) => deep(data, (text) => (isGuid(text) ? text.toUpperCase() : text)),
  'extra-fields': (data) =>
    deep(data, (text) => text, { tenantId: 'acme', tags: ['x'], audit: { by: null } }),
  'answers-id-only': (data, answer) => (isSilent(answer) && isFields(data) ? { id: idOf(data) } : data),
  'answers-bare-id': (data, answer) => (isSilent(answer) && isFields(data) ? idOf(data) : data),
  'lists-newest-first': onLists((list) => list.toReversed()),
  'lists-as-items': onLists((list) => ({ items: list })),
  'lists-paged': onLists(pageByNumber),
  'lists-cursor': onLists(pageByCursor),
  'preview-short': onPreview((times) => times.slice(0, 3)),
  'preview-objects': onPreview((times) => times.map((runTime) => ({ runTime }))),
  'preview-run-times': onPreview((times) => ({ runTimes: times })),
};

/**
 * Answers whose body interface.md does not show (end of §4). The create answers of schedules and keys are
 * shown, so they keep their data whatever the variant.
 */
export function isSilent({ kind, operation }: Answer): boolean {
  if (kind === 'group' || kind === 'pipeline') return ['create', 'update', 'delete'].includes(operation);
  if (kind === 'schedule') return operation === 'update' || operation === 'delete';
  return kind === 'key' && operation === 'delete';
}

/** Agents are left alone: that their list is an array is stated (§4, Agents). */
function onLists(change: (list: unknown[], query: URLSearchParams) => unknown): AnswerEdge {
  return (data, { kind, operation }, query) =>
    operation === 'list' && kind !== 'agent' && Array.isArray(data) ? change(data, query) : data;
}

function onPreview(change: (times: unknown[]) => unknown): AnswerEdge {
  return (data, { operation }) => (operation === 'preview' && Array.isArray(data) ? change(data) : data);
}

function idOf(record: Record<string, unknown>): unknown {
  return record.id ?? record.scheduleId;
}

/** Rewrites every text of a payload, and adds fields to every object of it. */
function deep(value: unknown, change: (text: string) => string, extra: object = {}): unknown {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) return value.map((entry) => deep(entry, change, extra));
  if (!isFields(value)) return value;
  const entries = Object.entries(value).map(([key, entry]) => [key, deep(entry, change, extra)]);
  return { ...Object.fromEntries(entries), ...extra };
}
