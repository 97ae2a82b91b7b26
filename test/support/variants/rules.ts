import { targetName } from '../../../src/sandbox/access.js';
import { badRequest, notFound, Refusal } from '../../../src/sandbox/api.js';
import { type Fields, isFields } from '../../../src/sandbox/body.js';
import { collectionsOf, readAgentIds } from '../../../src/sandbox/collections.js';
import type { Exchange, KeyRecord, Reply, ScheduleRecord } from '../../../src/sandbox/index.js';
import { isActiveKey } from '../../../src/sandbox/keys.js';
import { pageSize } from '../../../src/sandbox/paging.js';
import { readSettings } from '../../../src/sandbox/schedules/settings.js';
import { fireTimes } from '../../../src/sandbox/schedules/timetable.js';
import { byId, type CollectionRecord, isGuid, put, remove } from '../../../src/sandbox/world.js';
import type { Variant } from './names.js';
import type { Operation } from './operations.js';
import { cronDaysFromOne, cronPlain, daysElapsed, repeatedTwice, skippedDropped } from './timing.js';

/** The variants that change what a request does, or whether it is refused. They run inside the rewriting of responses. */

type Rule = (reply: () => Reply, exchange: Exchange, operation: Operation) => Reply;

/** Functions, because `numeric-schedule-ids` counts. */
export const RULES: Partial<Record<Variant, () => Rule>> = {
  'hidden-by-id': () => hiddenById,
  'empty-hidden': () => (reply, _, operation) =>
    mapData(reply(), (data) =>
      isCollection(operation) && operation.action === 'list' && Array.isArray(data)
        ? data.filter(({ memberCount, stepCount }) => (memberCount ?? stepCount) > 0)
        : data,
    ),
  'create-honours-active': () => createHonoursActive,
  'empty-refused': before(isCollection, (exchange, { kind }) => {
    if (agentIdsOf(exchange)?.length === 0) throw badRequest(`A ${kind} needs an agent.`);
  }),
  'duplicate-names-refused': before(isCollection, refuseDuplicateName),
  'duplicate-members-refused': before(isCollection, (exchange, { kind }) => {
    const ids = agentIdsOf(exchange) ?? [];
    if (kind === 'group' && new Set(ids).size < ids.length) {
      throw badRequest('An agent appears twice in the group.');
    }
  }),
  'delete-cascades':
    () =>
    (reply, exchange, { kind, action }) => {
      const targeting = action === 'delete' ? schedulesTargeting(exchange, kind) : [];
      const result = reply();
      if (result.status === 200) {
        for (const { id } of targeting) exchange.core.world.schedules.delete(id.toLowerCase());
      }
      return result;
    },
  'delete-refuses-targeted': before(isCollection, (exchange, { kind, action }) => {
    const count = action === 'delete' ? schedulesTargeting(exchange, kind).length : 0;
    if (count > 0) throw new Refusal(409, `The ${kind} is the target of ${count} schedule(s).`);
  }),
  'delete-missing-ok': () => (reply, exchange, operation) => {
    const result = reply();
    const isMissing =
      operation.action === 'delete' && result.status === 404 && !collectionOf(exchange, operation);
    return isMissing
      ? { status: 200, body: { success: true, message: 'It was deleted.', data: null } }
      : result;
  },
  'numeric-schedule-ids': () => counted((next) => `${next}`),
  'text-schedule-ids': () => counted((next) => `S-${next}`),
  'past-once-refused': before(hasScheduleBody, (exchange) => {
    const settings = settingsOf(exchange);
    if (settings.scheduleType !== 'Once' || fireTimes(settings, exchange.core.clock(), 1).length > 0) return;
    throw badRequest("The 'startTime' has passed.");
  }),
  'frequent-refused': before(hasScheduleBody, (exchange) => {
    const [first, second] = fireTimes(settingsOf(exchange), exchange.core.clock(), 2);
    if (first === undefined || second === undefined || second.getTime() - first.getTime() >= 300_000) return;
    throw badRequest('A schedule may start its target at most once every 5 minutes.');
  }),
  'unknown-target-404': before(hasScheduleBody, ({ core, call }) => {
    const { targetType = 'Agent', targetId } = bodyOf(call);
    const target = { targetType, targetId } as Pick<ScheduleRecord, 'targetType' | 'targetId'>;
    if (typeof targetId === 'string' && isGuid(targetId) && targetName(core.world, target) === undefined) {
      throw new Refusal(404, `The target ${targetType} '${targetId}' does not exist or is not accessible.`);
    }
  }),
  'preview-unavailable': before(
    ({ action }) => action === 'preview',
    () => {
      throw notFound('The requested path');
    },
  ),
  'revokes-calling-key-only': () => revokesCallingKeyOnly,
  'cron-plain': () => cronPlain,
  'cron-days-from-one': () => cronDaysFromOne,
  'skipped-times-dropped': () => skippedDropped,
  'repeated-times-twice': () => repeatedTwice,
  'days-elapsed': () => daysElapsed,
  'last-page-repeats': () => lastPageRepeats,
  'pages-refused': before(
    () => true,
    ({ call }) => {
      const refused = (name: string, most: number) => {
        const text = call.query.get(name);
        if (text !== null && !(Number(text) >= 1 && Number(text) <= most))
          throw badRequest(`The query value '${name}' is out of range.`);
      };
      refused('page', Number.MAX_SAFE_INTEGER);
      refused('pageSize', 100);
    },
  ),
};

/** Checks a request of certain operations before the sandbox handles it. */
function before(
  applies: (operation: Operation) => boolean,
  check: (exchange: Exchange, operation: Operation) => void,
): () => Rule {
  return () => (reply, exchange, operation) => {
    if (applies(operation)) check(exchange, operation);
    return reply();
  };
}

function isCollection({ kind, action }: Operation): boolean {
  return (kind === 'group' || kind === 'pipeline') && action !== 'run';
}

function hasScheduleBody({ kind, action }: Operation): boolean {
  return kind === 'schedule' && ['create', 'update', 'preview'].includes(action);
}

const bodyOf = ({ body }: Exchange['call']): Fields => (isFields(body) ? body : {});

/** The settings of a valid body; the handler refuses the others with the same error. */
const settingsOf = ({ core, call }: Exchange) => readSettings(core.world, bodyOf(call));

/** In lower case; undefined where the body has none. */
function agentIdsOf({ call }: Exchange): string[] | undefined {
  const { agentIds } = bodyOf(call);
  return Array.isArray(agentIds) ? agentIds.map((id) => String(id).toLowerCase()) : undefined;
}

/** The group or pipeline that the path names. */
function collectionOf({ core, call }: Exchange, { kind }: Operation): CollectionRecord | undefined {
  if (kind !== 'group' && kind !== 'pipeline') return undefined;
  return byId(collectionsOf(core.world, kind), call.params.id ?? '');
}

function refuseDuplicateName(exchange: Exchange, operation: Operation): void {
  const { kind, action } = operation;
  if ((kind !== 'group' && kind !== 'pipeline') || !['create', 'update'].includes(action)) return;
  const { name } = bodyOf(exchange.call);
  const self = collectionOf(exchange, operation);
  const others = [...collectionsOf(exchange.core.world, kind).values()].filter((other) => other !== self);
  if (others.some((other) => other.name === name)) throw badRequest(`A ${kind} named '${name}' exists.`);
}

/** The schedules whose target the path names. */
function schedulesTargeting({ core, call }: Exchange, kind: Operation['kind']): ScheduleRecord[] {
  const type = { group: 'Group', pipeline: 'Pipeline', agent: null, schedule: null, key: null, run: null }[
    kind
  ];
  const id = (call.params.id ?? '').toLowerCase();
  return [...core.world.schedules.values()].filter(
    (schedule) => schedule.targetType === type && schedule.targetId.toLowerCase() === id,
  );
}

/** The agents of the record count as assigned while the sandbox handles the request, which it does at once. */
function hiddenById(reply: () => Reply, exchange: Exchange, operation: Operation): Reply {
  const { world } = exchange.core;
  const record = isCollection(operation) ? collectionOf(exchange, operation) : undefined;
  if (record === undefined) return reply();
  if (agentIdsOf(exchange) !== undefined && (operation.kind === 'group' || operation.kind === 'pipeline')) {
    readAgentIds(world, operation.kind, bodyOf(exchange.call)); // refuses what the sandbox refuses
  }
  const hidden = record.agentIds
    .flatMap((id) => byId(world.agents, id) ?? [])
    .filter((agent) => !agent.assigned);
  for (const agent of hidden) agent.assigned = true;
  try {
    return reply();
  } finally {
    for (const agent of hidden) agent.assigned = false;
  }
}

function createHonoursActive(
  reply: () => Reply,
  { core, call }: Exchange,
  { kind, action }: Operation,
): Reply {
  const result = reply();
  const { isActive } = bodyOf(call);
  if ((kind !== 'group' && kind !== 'pipeline') || action !== 'create' || typeof isActive !== 'boolean')
    return result;
  return changeCreated(result, (data) => {
    const record = byId(collectionsOf(core.world, kind), String(data.id));
    if (record) record.isActive = isActive;
    return { ...data, isActive };
  });
}

/** New schedules get an id with the next free number. Numbers in stored ids become numbers in responses. */
function counted(idOf: (next: number) => string): Rule {
  let next = 1;
  return (reply, { core }, { kind, action }) => {
    const result = reply();
    if (kind !== 'schedule') return result;
    if (action !== 'create') return mapData(result, withNumericIds);
    return changeCreated(result, (data) => {
      const { schedules } = core.world;
      const record = byId(schedules, String(data.id));
      if (record === undefined) return data;
      remove(core.world, 'schedules', record.id);
      while (schedules.has(idOf(next).toLowerCase())) next += 1;
      record.id = idOf(next++);
      put(core.world, 'schedules', record);
      return withNumericIds({ ...data, id: record.id }) as Fields;
    });
  };
}

function withNumericIds(data: unknown): unknown {
  if (Array.isArray(data)) return data.map(withNumericIds);
  if (!isFields(data)) return data;
  if (Array.isArray(data.items)) return { ...data, items: data.items.map(withNumericIds) };
  const numbers = ['id', 'scheduleId'].filter((field) => /^\d+$/.test(String(data[field])));
  return { ...data, ...Object.fromEntries(numbers.map((field) => [field, Number(data[field])])) };
}

/** Beyond the end, the request counts as one for the last page. */
function lastPageRepeats(reply: () => Reply, { call: { query } }: Exchange): Reply {
  const result = reply();
  const { data } = isFields(result.body) ? result.body : {};
  if (!isFields(data) || !Array.isArray(data.items) || typeof data.total !== 'number') return result;
  const last = Math.max(1, Math.ceil(data.total / pageSize(query)));
  if (data.items.length > 0 || Number(query.get('page') ?? 1) <= last) return result;
  query.set('page', String(last));
  return reply();
}

function revokesCallingKeyOnly(
  reply: () => Reply,
  { core, call }: Exchange,
  { kind, action }: Operation,
): Reply {
  if (kind !== 'key' || action !== 'create') return reply();
  const others: KeyRecord[] = [...core.world.keys.values()].filter(
    (key) => key !== call.caller && isActiveKey(key, core.clock()),
  );
  const result = reply();
  for (const key of others) key.isRevoked = false;
  return result;
}

function changeCreated(reply: Reply, change: (data: Fields) => Fields): Reply {
  return mapData(reply, (data) => (isFields(data) ? change(data) : data));
}

/** Changes `data` of a success. */
export function mapData(reply: Reply, change: (data: unknown) => unknown): Reply {
  if (reply.status >= 400 || !isFields(reply.body)) return reply;
  return { ...reply, body: { ...reply.body, data: change(reply.body.data) } };
}
