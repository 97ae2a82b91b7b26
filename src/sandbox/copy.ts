import { addKey, newKeyText } from './keys.js';
import {
  type AgentRecord,
  type CollectionRecord,
  NEVER_RUN,
  NEVER_STARTED,
  put,
  type ScheduleRecord,
  type ScheduleSettings,
  type World,
} from './world.js';

/** An object of another service, in the words of its own requests (interface.md §4): what is not known is left out. */
export interface CopiedObject {
  readonly id: string;
  readonly name?: string | null | undefined;
  /** False for objects that the caller sees and cannot change. Default: true. */
  readonly canManage?: boolean;
  /** What a request that writes all of it would send. */
  readonly body: Readonly<Record<string, unknown>>;
  /** Of a key: it is the one that the caller uses. */
  readonly isCallers?: boolean;
  readonly createdDate?: string | undefined;
}

export interface CopiedService {
  readonly agents: readonly Pick<AgentRecord, 'id' | 'externalAgentId' | 'name' | 'inputParameters'>[];
  /** By the section of the manifest that declares such objects. */
  readonly objects: ReadonlyMap<string, readonly CopiedObject[]>;
  /** The scope names that the service knows. */
  readonly scopes: readonly string[];
}

/**
 * Fills a world that was just started with what another service showed, whatever the rules of a create say: it exists
 * there. The key of the world takes the place of the one that the caller uses there.
 */
export function copyInto(world: World, { agents, objects, scopes }: CopiedService, now: Date): void {
  for (const agent of agents) put(world, 'agents', { version: '', assigned: true, ...agent });
  world.scopes = [...scopes];
  const of = (section: string) => objects.get(section) ?? [];
  for (const section of ['groups', 'pipelines'] as const)
    for (const each of of(section)) put(world, section, collectionOf(each));
  for (const each of of('schedules')) put(world, 'schedules', scheduleOf(each));
  const callers = of('keys').find(({ isCallers }) => isCallers === true);
  if (callers !== undefined) giveOwnKey(world, keyFields(callers, now));
  for (const each of of('keys')) if (each !== callers) addKey(world, newKeyText(), now, keyFields(each, now));
}

function collectionOf({ id, name, canManage = true, body }: CopiedObject): CollectionRecord {
  const { description = '', isActive = true, agentIds = [] } = body as Partial<CollectionRecord>;
  return { id, name: name ?? '', description, isActive, agentIds: [...agentIds], canManage, ...NEVER_RUN };
}

function scheduleOf({ id, body }: CopiedObject): ScheduleRecord {
  const settings = {
    intervalValue: null,
    intervalUnit: null,
    cronExpression: null,
    inputParameters: '{}',
    ...(body as Partial<ScheduleSettings>),
  };
  return { ...(settings as ScheduleSettings), id, ...NEVER_STARTED };
}

function giveOwnKey(world: World, fields: ReturnType<typeof keyFields>): void {
  for (const [id, own] of [...world.keys]) {
    world.keys.delete(id);
    put(world, 'keys', { ...own, ...fields });
  }
}

function keyFields({ id, name, body, createdDate }: CopiedObject, now: Date) {
  const { scopes = [] } = body as { scopes?: readonly string[] };
  return { id, name: name ?? '', scopes: [...scopes], createdDate: createdDate ?? now.toISOString() };
}
