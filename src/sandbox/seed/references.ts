import { randomUUID } from 'node:crypto';
import { Refusal } from '../api.js';
import { checkAll, fileError } from '../json-file.js';
import { byId, CALLER, isGuid, type World } from '../world.js';
import type { Seed, SeedSchedule } from './seed.js';

/** What a seed refers to by its name or its id. */

/** Throws JsonFileError. */
export function agentId(world: World, where: string, name: string): string {
  const id = findAgent(world, name);
  if (id) return id;
  const known = [...world.agents.values()].map((agent) => agent.externalAgentId).join(', ');
  throw fileError(where, `refers to the agent "${name}", which does not exist`, `Agents: ${known}.`);
}

/** Throws JsonFileError for an id that is no GUID, or that is in use. Without an id, a random one. */
export function freshId(used: { has(id: string): boolean }, where: string, id: string | undefined): string {
  if (id === undefined) return randomUUID();
  if (!isGuid(id)) throw fileError(`${where}.id`, `is not a GUID: "${id}"`, 'Use a GUID, or leave it out.');
  if (used.has(id.toLowerCase())) throw fileError(`${where}.id`, `is used twice: "${id}"`, 'Use another id.');
  return id;
}

/** Owners and users of keys. Without `users`, any name is one of the caller's colleagues. Throws JsonFileError. */
export function checkUsers({ users, groups, pipelines, schedules, history, keys }: Seed): void {
  if (users === undefined) return;
  const known = new Set([CALLER, ...users.map(({ name }) => name)]);
  const help = `Add it to \`users\`, or use one of: ${[...known].join(', ')}.`;
  const owners = Object.entries({ groups, pipelines, schedules, history }).flatMap(
    ([section, entries = []]) =>
      entries.map(({ owner }: { owner?: string }, index) => [`${section}[${index}].owner`, owner] as const),
  );
  const holders = (keys ?? []).map(({ user }, index) => [`keys[${index}].user`, user] as const);
  checkAll([...owners, ...holders], ([where, name]) => {
    if (name !== undefined && !known.has(name))
      throw fileError(where, `is "${name}", which is not one of the users`, help);
  });
}

function findAgent(world: World, name: string): string | undefined {
  return byId(world.agents, name)?.id ?? namesIn(world.agents, 'externalAgentId').get(name)?.[0];
}

/** Groups and pipelines by id, or by a name that only one of them has. `where` is what names it. Throws JsonFileError. */
export function targetId(
  world: World,
  where: string,
  { targetType, targetId: name }: Pick<SeedSchedule, 'targetType' | 'targetId'>,
): string {
  if (targetType === undefined || targetType === 'Agent') return findAgent(world, name) ?? name;
  const idsByName = namesIn(targetType === 'Group' ? world.groups : world.pipelines, 'name');
  const [found, other] = idsByName.get(name) ?? [];
  if (found !== undefined && other === undefined) return found;
  if (found === undefined && isGuid(name)) return name;
  const what = found === undefined ? 'which does not exist' : 'a name that several have';
  const names = [...idsByName.keys()].join(', ') || 'none';
  throw fileError(where, `is "${name}", ${what}`, `Use an id, or one of: ${names}.`);
}

type IdsByName = ReadonlyMap<string, readonly string[]>;

const indexes = new WeakMap<object, Map<string, IdsByName>>();

/** The ids by name, once all records are there: each of thousands of schedules names its target. */
function namesIn<K extends string>(
  records: Map<string, { id: string } & Record<K, string>>,
  key: K,
): IdsByName {
  const byKey = indexes.get(records) ?? new Map<string, IdsByName>();
  const ids = byKey.get(key) ?? idsBy(key, [...records.values()]);
  indexes.set(records, byKey.set(key, ids));
  return ids;
}

function idsBy<K extends string>(key: K, records: ({ id: string } & Record<K, string>)[]): IdsByName {
  const ids = new Map<string, string[]>();
  for (const record of records) {
    const same = ids.get(record[key]);
    if (same === undefined) ids.set(record[key], [record.id]);
    else same.push(record.id);
  }
  return ids;
}

/** Applies the rules of the service, so that a seed cannot describe an impossible world. Throws JsonFileError. */
export function checkedByService<T>(where: string, what: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const reason = `breaks a rule of the service: ${error.message.replace(/\.$/, '')}`;
    throw fileError(where, reason, `See "Seed" in docs/sandbox.md for the fields of ${what}.`);
  }
}
