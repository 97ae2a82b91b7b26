import fc from 'fast-check';
import { expect, test } from 'vitest';
import { defaultSeed, type Sandbox, type World } from '../../src/sandbox/index.js';
import { inventoryAt } from '../support/json.js';
import { Workspace } from '../support/roster.js';
import { startSandbox } from '../support/sandbox.js';
import { experiments } from './support/experiments.js';
import { foreign } from './support/scenarios.js';

/** I22: an update leaves other fields, other objects and values of the service itself unchanged. */

const texts = fc.constantFrom('', 'Every shop', 'Two\nlines', 'ünï', '"quoted"');
const someOf = (...names: string[]) => fc.shuffledSubarray(names, { minLength: 1 });
const collection = (field: 'members' | 'stages', ...agents: string[]) =>
  fc.record({
    name: fc.constantFrom('One', 'Two', 'Three'),
    description: texts,
    active: fc.boolean(),
    [field]: someOf(...agents),
  });
const startTime = fc.constantFrom('2099-01-01T06:00', '2099-01-01T06:00:00', '2099-03-29T02:30:00.000');
const timing = fc.oneof(
  fc.record({ every: fc.constantFrom('6 hours', '45 minutes', '2 weeks'), startTime }),
  fc.record({ cron: fc.constantFrom('0 30 2 * * *', '0 0 6 ? * MON-FRI'), startTime }),
  fc.record({ once: startTime }),
);
const schedule = (...targets: string[]) =>
  fc.record({
    target: fc.constantFrom(...targets),
    timing,
    timeZone: fc.constantFrom('UTC', 'Europe/Berlin', 'Asia/Kolkata'),
    inputs: fc.constantFrom<Record<string, unknown>>(
      {},
      { country: 'DE' },
      { country: 'FR', query: 'x "y"' },
    ),
    enabled: fc.boolean(),
  });

/** Every entry with every field that a manifest can have. */
const entries = fc.record({
  group: collection('members', 'acme-shop', 'globex', 'initech'),
  pipeline: collection('stages', 'login-check', 'catalogue', 'prices'),
  one: schedule('agent/acme-shop', 'group/group', 'group/theirs'),
  two: schedule('agent/globex', 'pipeline/pipeline'),
});
type Entries = typeof entries extends fc.Arbitrary<infer T> ? T : never;
type Name = keyof Entries;
const names: readonly Name[] = ['group', 'pipeline', 'one', 'two'];
const fieldsOf = (entry: object) => Object.keys(entry);

/** The applied entries, other entries, and which fields are taken from those. */
const cases = fc.sample(
  fc.record({
    before: entries,
    other: entries,
    chosen: fc.array(
      fc.integer({ min: 0, max: 3 }).map((n) => n === 0),
      { minLength: 18, maxLength: 18 },
    ),
  }),
  { numRuns: 600, seed: 22 },
);

function changed({ before, other, chosen }: (typeof cases)[number]): Entries {
  let place = 0;
  const mixed = names.map((name) => {
    const fields = fieldsOf(before[name]).map((field) => {
      const from: object = chosen[place++] === true ? other[name] : before[name];
      return [field, from[field as keyof typeof from]];
    });
    return [name, Object.fromEntries(fields)];
  });
  return Object.fromEntries(mixed) as Entries;
}

function manifest({ group, pipeline, one, two }: Entries): string {
  const spread = ({ timing: when, ...rest }: Entries['one']) => ({ ...rest, ...when });
  return JSON.stringify({
    project: 'u',
    groups: { group, theirs: { external: true, name: 'Of the operator' } },
    pipelines: { pipeline },
    schedules: { one: spread(one), two: spread(two) },
  });
}

/** The properties of a record that a manifest field sets. */
const properties: Readonly<Record<string, readonly string[]>> = {
  name: ['name'],
  description: ['description'],
  active: ['isActive'],
  members: ['agentIds'],
  stages: ['agentIds'],
  target: ['targetType', 'targetId'],
  timing: ['scheduleType', 'intervalValue', 'intervalUnit', 'cronExpression', 'startTime'],
  timeZone: ['timeZoneId'],
  inputs: ['inputParameters'],
  enabled: ['isEnabled'],
};

let updates = 0;
const tried = experiments(
  'I22',
  'update: a change of random fields leaves all other fields and objects unchanged',
  [...cases.keys()],
  async (nth) => {
    const each = cases[nth];
    if (each === undefined) throw new Error('there is no such case');
    await arrange(each.before, async (sandbox, workspace) => {
      const [ids, desired] = [idsOf(workspace), changed(each)];
      const known = recordsOf(sandbox.world);
      const watched = watch(sandbox, ids, each.before, desired);
      workspace.write('roster.yaml', manifest(desired));
      const ran = await workspace.apply();
      expect([ran.exit, ran.exit === 0 ? '' : ran.stdout + ran.stderr]).toEqual([0, '']);
      expect(watched).toEqual([]);
      const records = recordsOf(sandbox.world);
      expect([...records.keys()]).toEqual([...known.keys()]);
      for (const [id, record] of records) {
        const name = names.find((one) => ids[one] === id);
        const may = name === undefined ? [] : differing(each.before[name], desired[name]);
        expect(omit(record, may)).toEqual(omit(known.get(id) ?? {}, may));
      }
      checkBodies(sandbox, ids, each.before, desired);
    });
  },
  20,
);

test('update: most of the random changes change something', () => {
  expect(updates).toBeGreaterThan(tried / 4);
});

/** Properties whose value may change. */
function differing(before: object, desired: object): string[] {
  return changedFields(before, desired).flatMap((field) => properties[field] ?? []);
}

function changedFields(before: object, desired: object): string[] {
  return fieldsOf(before).filter((field) => {
    const [was, is] = [before, desired].map((each) => each[field as keyof typeof each] as unknown);
    const text = (value: unknown) =>
      JSON.stringify(field === 'members' ? [...(value as string[])].sort() : value);
    return text(was) !== text(is);
  });
}

/** Collects objects that were paused or started for a moment without being asked. */
function watch({ world, faults }: Sandbox, ids: Ids, before: Entries, desired: Entries): string[] {
  const seen: string[] = [];
  const check = () => {
    for (const name of ['one', 'two'] as const) {
      const is = world.schedules.get(ids[name])?.isEnabled;
      if (before[name].enabled === desired[name].enabled && is !== desired[name].enabled)
        seen.push(`${name} was ${is}`);
    }
    for (const [name, records] of [
      ['group', world.groups],
      ['pipeline', world.pipelines],
    ] as const) {
      const is = records.get(ids[name])?.isActive;
      if (before[name].active === desired[name].active && is !== desired[name].active)
        seen.push(`${name} was ${is}`);
    }
  };
  faults.intercept = async (_request, next) => {
    await next();
    check();
  };
  return seen;
}

/** A PUT sends only the properties that change; for a schedule, which it replaces, it sends all. */
function checkBodies({ requests }: Sandbox, ids: Ids, before: Entries, desired: Entries): void {
  for (const { path, body } of requests.filter(({ method }) => method === 'PUT')) {
    updates += 1;
    const name = names.find((each) => path.includes(ids[each]));
    if (name === undefined) throw new Error(`PUT ${path} is not for a changed object`);
    const sent = Object.keys(body as object).sort();
    const changes = changedFields(before[name], desired[name]);
    if (path.startsWith('/api/schedules/'))
      expect(sent).toEqual(writable(desired[name] as Entries['one'], before[name] as Entries['one']));
    else if (/\/(members|steps)$/.test(path))
      expect([sent, changes]).toEqual([
        ['agentIds'],
        expect.arrayContaining([name === 'group' ? 'members' : 'stages']),
      ]);
    else
      expect(sent).toEqual(
        changes
          .filter((field) => !/members|stages/.test(field))
          .flatMap((field) => properties[field] ?? [])
          .sort(),
      );
  }
}

/** The properties that the interface documents for a schedule of this type (§2, §4), with inputs only where there are any. */
function writable(desired: Entries['one'], before: Entries['one']): string[] {
  const inputs = JSON.stringify([desired.inputs, before.inputs]) === '[{},{}]' ? [] : ['inputParameters'];
  const own =
    'every' in desired.timing
      ? ['intervalUnit', 'intervalValue']
      : 'cron' in desired.timing
        ? ['cronExpression']
        : [];
  return [
    ...inputs,
    ...own,
    'isEnabled',
    'scheduleType',
    'startTime',
    'targetId',
    'targetType',
    'timeZoneId',
  ].sort();
}

type Ids = Readonly<Record<Name, string>>;

function idsOf(workspace: Workspace): Ids {
  const { entries: owned } = inventoryAt<{ entries: Record<string, { id: string }> }>(workspace.root);
  const id = (address: string) => owned[address]?.id ?? '';
  return {
    group: id('group/group'),
    pipeline: id('pipeline/pipeline'),
    one: id('schedule/one'),
    two: id('schedule/two'),
  };
}

function recordsOf({ groups, pipelines, schedules }: World): Map<string, object> {
  return new Map(
    [...groups, ...pipelines, ...schedules].map(([id, record]) => [id, structuredClone(record)]),
  );
}

function omit(record: object, fields: readonly string[]): object {
  return Object.fromEntries(Object.entries(record).filter(([field]) => !fields.includes(field)));
}

/** Applies the first state and marks its objects as used. */
async function arrange(
  before: Entries,
  work: (sandbox: Sandbox, workspace: Workspace) => Promise<void>,
): Promise<void> {
  const sandbox = await startSandbox({ seed: { ...defaultSeed(), ...foreign } });
  const workspace = new Workspace({ 'roster.yaml': manifest(before) }, sandbox);
  try {
    const ran = await workspace.apply();
    if (ran.exit !== 0) throw new Error(`the first state does not apply:\n${ran.stdout}${ran.stderr}`);
    for (const record of [...sandbox.world.groups.values(), ...sandbox.world.pipelines.values()])
      Object.assign(record, {
        activeRunCount: 1,
        lastRunStatus: 'Running',
        lastRunAt: '2026-11-01T06:00:00Z',
      });
    for (const record of sandbox.world.schedules.values())
      Object.assign(record, {
        isRunning: record.isEnabled,
        lastRunTime: '2026-11-01T06:00:00Z',
        lastJobStatusName: 'Failed',
        lastJobId: 'a9e00000-0000-4000-8000-0000000000ff',
        errorMessage: 'the agent was busy',
      });
    sandbox.requests.length = 0;
    await work(sandbox, workspace);
  } finally {
    await sandbox.close();
  }
}
