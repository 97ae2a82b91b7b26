import { JsonFileError } from '../json-file.js';
import { byId, isGuid, type World } from '../world.js';
import type { SeedSchedule } from './seed.js';

/** What a seed refers to by its name or its id. */

/** Throws JsonFileError. */
export function agentId(world: World, where: string, name: string): string {
  const id = findAgent(world, name);
  if (id) return id;
  const known = [...world.agents.values()].map((agent) => agent.externalAgentId).join(', ');
  throw new JsonFileError(where, `refers to the agent "${name}", which does not exist`, `Agents: ${known}.`);
}

function findAgent(world: World, name: string): string | undefined {
  return byId(world.agents, name)?.id ?? namesIn(world.agents, 'externalAgentId').get(name)?.[0];
}

/** Groups and pipelines by id, or by a name that only one of them has. Throws JsonFileError. */
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
  throw new JsonFileError(`${where}.targetId`, `is "${name}", ${what}`, `Use an id, or one of: ${names}.`);
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
