import fc from 'fast-check';
import type { Agent } from '../../src/model/resource.js';
import { parseSeed, type Seed } from '../../src/sandbox/index.js';

/**
 * Random services with objects of this project, objects made by hand, the operator's objects, duplicate names, and objects
 * that are hidden because an agent is not assigned. Each has a seed for the sandbox, a manifest and an inventory.
 */
export interface RandomWorld {
  readonly groups: readonly RemoteGroup[];
  readonly schedules: readonly RemoteSchedule[];
  readonly manifest: {
    readonly groups: Readonly<Record<string, DeclaredGroup>>;
    readonly schedules: Readonly<Record<string, DeclaredSchedule>>;
  };
  /** Address -> id, of objects that exist or existed. */
  readonly owned: Readonly<Record<string, string>>;
  readonly prune: 'owned' | 'all' | 'never';
}

export interface RemoteGroup {
  readonly id: string;
  readonly name: string;
  readonly members: readonly string[];
  readonly canManage: boolean;
}

export interface RemoteSchedule {
  readonly id: string;
  /** externalAgentId of an agent. */
  readonly target: string;
  readonly hours: number;
  readonly inputs: Readonly<Record<string, string>>;
}

export interface DeclaredGroup {
  readonly name?: string;
  readonly members?: readonly string[];
  readonly id?: string;
  readonly external?: true;
}

export interface DeclaredSchedule {
  readonly target: string;
  readonly every: string;
  readonly startTime: string;
  readonly inputs: Readonly<Record<string, string>>;
}

export const startTime = '2099-12-01T06:00:00';
const agents = ['acme-shop', 'globex', 'initech'];

/** The agents that the caller sees. */
export const worldAgents: readonly Agent[] = agents.map((externalAgentId, index) => ({
  id: `aaaaaaaa-0000-4000-8000-00000000000${index}`,
  externalAgentId,
  name: externalAgentId,
  inputKeys: ['country', 'query'],
}));

export const agentId = (name: string) =>
  worldAgents.find((each) => each.externalAgentId === name)?.id ?? 'bbbbbbbb-0000-4000-8000-000000000000';

/** Not assigned to the caller: groups with it are not listed. */
const hiddenAgent = 'elsewhere';
const names = ['A', 'B', 'C', 'D'];
const keys = ['a', 'b', 'c', 'd', 'e'];

const idOf = (kind: number, index: number) =>
  `${kind}${kind}${kind}${kind}${kind}${kind}${kind}${kind}-0000-4000-8000-${String(index).padStart(12, '0')}`;

const members = fc.oneof(
  { weight: 6, arbitrary: fc.shuffledSubarray(agents, { minLength: 1 }) },
  { weight: 1, arbitrary: fc.constant(['acme-shop', hiddenAgent]) },
);
const inputs = fc.constantFrom<Record<string, string>>({}, { country: 'DE' }, { country: 'FR', query: 'x' });
const hours = fc.constantFrom(6, 12);

const remoteGroups = fc
  .array(fc.record({ name: fc.constantFrom(...names), members, canManage: fc.integer({ min: 0, max: 4 }) }), {
    maxLength: 6,
  })
  .map((list) => list.map((each, index) => ({ ...each, id: idOf(1, index), canManage: each.canManage > 0 })));

const remoteSchedules = fc
  .array(fc.record({ target: fc.constantFrom('acme-shop', 'globex'), hours, inputs }), { maxLength: 5 })
  .map((list) => list.map((each, index) => ({ ...each, id: idOf(2, index) })));

function declaredGroup(ids: readonly string[]): fc.Arbitrary<DeclaredGroup> {
  const visible = fc.shuffledSubarray(agents);
  const name = fc.constantFrom(...names);
  return fc.oneof(
    { weight: 6, arbitrary: fc.record({ name, members: visible }) },
    { weight: 2, arbitrary: fc.record({ members: visible }) },
    { weight: 1, arbitrary: fc.record({ name, external: fc.constant(true as const) }) },
    ...(ids.length === 0
      ? []
      : [{ weight: 1, arbitrary: fc.record({ id: fc.constantFrom(...ids), members: visible }) }]),
  );
}

const declaredSchedule = fc.record({
  target: fc.constantFrom('agent/acme-shop', 'agent/globex', 'agent/initech'),
  every: hours.map((n) => `${n} hours`),
  startTime: fc.constant(startTime),
  inputs,
});

export const randomWorld: fc.Arbitrary<RandomWorld> = fc
  .tuple(remoteGroups, remoteSchedules)
  .chain(([groups, schedules]) => {
    const groupIds = groups.map((each) => each.id);
    const gone = [idOf(8, 0), idOf(8, 1)];
    const owners = (kind: string, ids: readonly string[]) =>
      fc.dictionary(
        fc.constantFrom(...keys).map((key) => `${kind}/${key}`),
        fc.constantFrom(...ids, ...gone),
        {
          maxKeys: 4,
          noNullPrototype: true,
        },
      );
    return fc.record({
      groups: fc.constant(groups),
      schedules: fc.constant(schedules),
      manifest: fc.record({
        groups: fc.dictionary(fc.constantFrom(...keys), declaredGroup(groupIds), {
          maxKeys: 5,
          noNullPrototype: true,
        }),
        schedules: fc.dictionary(fc.constantFrom(...keys), declaredSchedule, {
          maxKeys: 4,
          noNullPrototype: true,
        }),
      }),
      owned: fc
        .tuple(
          owners('group', groupIds),
          owners(
            'schedule',
            schedules.map((each) => each.id),
          ),
        )
        .map(([a, b]) => onceEach({ ...a, ...b })),
      prune: fc.constantFrom('owned' as const, 'all' as const, 'never' as const),
    });
  });

/** An inventory never has one object in two entries. */
function onceEach(owned: Record<string, string>): Record<string, string> {
  const seen = new Set<string>();
  return Object.fromEntries(Object.entries(owned).filter(([, id]) => !seen.has(id) && seen.add(id)));
}

/** The natural key of each object, as an apply records it. */
function recorded({ groups, schedules }: RandomWorld, id: string): object {
  const group = groups.find((each) => each.id === id);
  const schedule = schedules.find((each) => each.id === id);
  if (group !== undefined) return { name: group.name };
  if (schedule === undefined) return {};
  return {
    target: ['agent', agentId(schedule.target)],
    ...{ every: [schedule.hours, 'Hours'], cron: null, once: null, startTime, timeZone: 'UTC' },
  };
}

export function inventoryText(world: RandomWorld): string {
  const entries = Object.entries(world.owned).map(([address, id]) => {
    const applied = recorded(world, id);
    return [address, { kind: address.split('/')[0], id, name: null, protect: false, applied, sensitive: [] }];
  });
  return JSON.stringify({
    version: 1,
    project: 'world',
    environment: null,
    entries: Object.fromEntries(entries),
    drafts: {},
  });
}

export function manifestText({ manifest, prune }: RandomWorld): string {
  return JSON.stringify({ project: 'world', prune, ...manifest });
}

export function isHidden(group: RemoteGroup): boolean {
  return group.members.includes(hiddenAgent);
}

/** The seed of a sandbox. */
export function seedOf({ groups, schedules }: RandomWorld): Seed {
  const seed = {
    agents: [
      ...worldAgents.map(({ inputKeys, ...each }) => ({
        ...each,
        inputParameters: inputKeys.map((key) => ({ key, defaultValue: '' })),
      })),
      { id: agentId(hiddenAgent), externalAgentId: hiddenAgent, name: hiddenAgent, assigned: false },
    ],
    groups,
    schedules: schedules.map(({ id, target, hours, inputs }) => ({
      id,
      targetId: target,
      scheduleType: 'Basic',
      intervalValue: hours,
      intervalUnit: 'Hours',
      startTime,
      inputParameters: JSON.stringify(inputs),
    })),
  };
  return parseSeed(JSON.stringify(seed));
}
