import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { parse } from '../../../src/inventory/format.js';
import { jsonOf } from '../../support/json.js';
import type { Ended } from '../../support/program.js';
import { type Fixture, shapeOf, stateOf, withFixture } from './fixture.js';
import { busy, type Scenario, scenario, scenarios } from './scenarios.js';

/** A command that changes something, and what must be true of it when faults interrupt it. */
export interface Command {
  readonly name: string;
  readonly scenario: Scenario;
  arrange?(fixture: Fixture): Promise<void> | void;
  words(fixture: Fixture): Promise<readonly string[]> | readonly string[];
  /** What is true whenever a run has ended, also right after a kill. */
  always?(fixture: Fixture, ended: Ended): Promise<void> | void;
  /** What is true after exit code 0. */
  done(fixture: Fixture): Promise<void>;
  /** How the interrupted command line is run again; the default is to run the command from the start. */
  again?(fixture: Fixture, words: readonly string[]): Promise<Ended>;
}

export function withCommand<T>(command: Command, work: (fixture: Fixture) => Promise<T>): Promise<T> {
  return withFixture(command.scenario, async (fixture) => {
    await command.arrange?.(fixture);
    return work(fixture);
  });
}

export async function run(command: Command, fixture: Fixture): Promise<Ended> {
  return fixture.command(...(await command.words(fixture)));
}

/** How many requests the command sends without faults. */
export function requestsOf(command: Command): Promise<number> {
  return withCommand(command, async (fixture) => {
    const words = await command.words(fixture);
    fixture.sandbox.requests.length = 0;
    expect(await fixture.command(...words)).toMatchObject({ exit: 0 });
    const sent = fixture.sandbox.requests.length;
    await command.done(fixture);
    return sent;
  });
}

// Apply

async function expectApplied(fixture: Fixture): Promise<void> {
  await fixture.expectDesired();
  await fixture.expectNothingLeft();
}

const applies = scenarios.map(
  (each): Command => ({
    name: `apply of ${each.name}`,
    scenario: each,
    words: () => ['apply', '--yes'],
    done: expectApplied,
  }),
);

/** The rest of the reviewed plan is made, or nothing. */
const reviewed: Command = {
  name: 'apply --expect, and then --resume,',
  scenario: scenario('S1'),
  async words(fixture) {
    return ['apply', '--expect', (await fixture.workspace.planJson()).digest];
  },
  done: expectApplied,
  async again(fixture, words) {
    const before = fixture.writes().length;
    const ended = await fixture.command(...words, '--resume');
    if (ended.exit !== 4) return ended;
    expect(fixture.writes()).toHaveLength(before);
    return fixture.command('apply', '--yes');
  },
};

// Destroy

export const destroy: Command = {
  name: 'destroy',
  scenario: { ...busy, name: 'destroyed', manifest: busy.before ?? '' },
  async words(fixture) {
    const { digest, summary } = jsonOf(await fixture.command('plan', '--destroy', '--format', 'json'));
    expect(summary.delete).toBeLessThanOrEqual(9);
    return ['destroy', '--yes', '--expect', digest];
  },
  async done(fixture) {
    expect(shapeOf(fixture.sandbox.world)).toEqual(await untouched());
    const again = await fixture.command('plan', '--destroy', '--detailed-exitcode');
    expect([again.exit, again.stdout]).toEqual([0, expect.stringContaining('No changes.')]);
  },
};

async function untouched(): Promise<readonly string[]> {
  const empty: Scenario = { name: 'empty', before: null, manifest: 'project: faults\n' };
  return withFixture(empty, async ({ sandbox }) => shapeOf(sandbox.world));
}

// Hold and resume

const at = 'startTime: 2099-01-01T06:00:00';
const holdable = `project: faults
limits: { startsPerMinute: 1000 }
schedules:
  a: { target: agent/acme-shop, every: 1 hour, ${at} }
  b: { target: agent/globex, every: 2 hours, ${at} }
  c: { target: agent/initech, every: 3 hours, ${at} }
  declared: { target: agent/acme-shop, every: 4 hours, ${at}, enabled: false }
  dashboard: { target: agent/globex, every: 5 hours, ${at} }
`;
/** Schedules that start one agent: themselves, through a group and through a pipeline. */
const holdableByAgent = `project: faults
limits: { startsPerMinute: 1000 }
groups: { shops: { members: [acme-shop, initech] } }
pipelines: { nightly: { stages: [globex, acme-shop] } }
schedules:
  a: { target: agent/acme-shop, every: 1 hour, ${at} }
  b: { target: group/shops, every: 2 hours, ${at} }
  c: { target: pipeline/nightly, every: 3 hours, ${at} }
  other: { target: agent/globex, every: 3 hours, ${at} }
  declared: { target: agent/acme-shop, every: 4 hours, ${at}, enabled: false }
  dashboard: { target: group/shops, every: 5 hours, ${at} }
`;

const inventoryOf = ({ workspace: { root } }: Fixture) =>
  parse(readFileSync(join(root, 'roster.inventory.json'), 'utf8'), 'the inventory').entries;
const keyOf = (address: string) => address.slice('schedule/'.length);

/** Of each schedule, by key. */
function enabledOf(fixture: Fixture): Record<string, boolean> {
  const { schedules } = fixture.sandbox.world;
  const states = [...inventoryOf(fixture)]
    .filter(([, { kind }]) => kind === 'schedule')
    .map(([address, { id }]) => [keyOf(address), schedules.get(id ?? '')?.isEnabled === true]);
  return Object.fromEntries(states);
}

function heldOf(fixture: Fixture): string[] {
  return [...inventoryOf(fixture)].flatMap(([address, { hold }]) =>
    hold === undefined ? [] : [keyOf(address)],
  );
}

/** What nobody may enable: paused by its entry, and in the dashboard. */
const alwaysPaused = ['declared', 'dashboard'];

/** The inventory names whatever is paused and was not before. */
export function expectRecorded(fixture: Fixture): void {
  const now = enabledOf(fixture);
  const held = Object.keys(now).filter((key) => !alwaysPaused.includes(key) && now[key] === false);
  expect(heldOf(fixture)).toEqual(expect.arrayContaining(held));
  expect([now['declared'], now['dashboard']]).toEqual([false, false]);
}

/** `hold`, and the `resume` that ends it: of what, and which schedules these are. */
function holdsOf(name: string, text: string, words: readonly string[], keys: readonly string[]) {
  const expectEnabled = (fixture: Fixture, paused: readonly string[]) => {
    const states = Object.keys(enabledOf(fixture)).map((key) => [key, !paused.includes(key)]);
    expect(enabledOf(fixture)).toEqual(Object.fromEntries(states));
  };
  const hold: Command = {
    name: `hold ${name}`,
    scenario: { name: `holdable, ${name}`, before: text, manifest: text },
    /** Somebody has paused one in the dashboard. */
    arrange(fixture) {
      const { id } = inventoryOf(fixture).get('schedule/dashboard') ?? {};
      const found = fixture.sandbox.world.schedules.get(id ?? '');
      if (found === undefined) throw new Error('it was not created');
      found.isEnabled = false;
    },
    words: () => ['hold', ...words, '--reason', 'incident 42', '--until', '8h', '--yes'],
    always: expectRecorded,
    async done(fixture) {
      expectEnabled(fixture, [...keys, ...alwaysPaused]);
      expect(heldOf(fixture)).toEqual([...keys, 'dashboard']);
    },
  };
  const resume: Command = {
    ...hold,
    name: `resume ${name}`,
    async arrange(fixture) {
      await hold.arrange?.(fixture);
      expect(await run(hold, fixture)).toMatchObject({ exit: 0 });
    },
    words: () => ['resume', ...words, '--yes'],
    async done(fixture) {
      expectEnabled(fixture, alwaysPaused);
      expect(heldOf(fixture)).toEqual([]);
    },
  };
  return { text, hold, resume };
}

export const holds = [
  holdsOf('--all', holdable, ['--all'], ['a', 'b', 'c']),
  holdsOf('agent/acme-shop', holdableByAgent, ['agent/acme-shop'], ['a', 'b', 'c']),
] as const;

// Pull

const manifest = `project: faults
include: [teams/*.yaml]
groups:
  kept: { members: [acme-shop] } # ours
`;
const team = `schedules:
  kept: { target: group/kept, every: 6 hours, startTime: 2099-01-01T06:00:00 } # theirs
`;
const pulled: Scenario = {
  name: 'pulled',
  before: `${manifest.replace('include: [teams/*.yaml]\n', '')}${team}`,
  manifest,
};

/** All manifests of the project, by path. */
export function manifestsOf({ workspace: { root } }: Fixture): Record<string, string> {
  const names = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((each) =>
    each.endsWith('.yaml'),
  );
  return Object.fromEntries(names.sort().map((name) => [name, readFileSync(join(root, name), 'utf8')]));
}

/** The manifests before and after a pull without faults, by command. No manifest has an id, so fixtures can be compared. */
const results = new Map<string, Promise<{ before: Record<string, string>; after: Record<string, string> }>>();
export function resultOf(pull: Command) {
  const known =
    results.get(pull.name) ??
    withCommand(pull, async (fixture) => {
      const before = manifestsOf(fixture);
      expect(await run(pull, fixture)).toMatchObject({ exit: 0 });
      return { before, after: manifestsOf(fixture) };
    });
  results.set(pull.name, known);
  return known;
}

function pullOf(name: string, line: string, change: (fixture: Fixture) => void = () => undefined): Command {
  const states = new WeakMap<Fixture, string>();
  const pull: Command = {
    name,
    scenario: pulled,
    arrange(fixture) {
      fixture.workspace.write('teams/one.yaml', team);
      change(fixture);
      states.set(fixture, stateOf(fixture.sandbox));
    },
    words: () => line.split(' '),
    async always(fixture, { exit }) {
      const { before, after } = await resultOf(pull);
      expect(manifestsOf(fixture)).toEqual(exit === 0 ? after : before);
      expect(stateOf(fixture.sandbox)).toBe(states.get(fixture));
    },
    async done(fixture) {
      const { changes } = await fixture.workspace.planJson();
      expect(changes.filter(({ action }) => action !== 'adopt')).toEqual([]);
    },
  };
  return pull;
}

/** Somebody has changed both objects in the dashboard. */
function changeByHand({ sandbox: { world } }: Fixture): void {
  for (const group of world.groups.values())
    if (group.name === 'kept') Object.assign(group, { description: 'By hand' });
  const target = [...world.groups.values()].find(({ name }) => name === 'kept')?.id;
  for (const schedule of world.schedules.values())
    if (schedule.targetId === target) Object.assign(schedule, { isEnabled: false });
}

export const pulls: readonly Command[] = [
  pullOf('pull', 'pull --yes'),
  pullOf('pull by target', 'pull --yes --by target'),
  pullOf('pull of declared resources', 'pull group/kept schedule/kept', changeByHand),
];

export const commands: readonly Command[] = [
  ...applies,
  reviewed,
  destroy,
  ...holds.flatMap(({ hold, resume }) => [hold, resume]),
  ...pulls,
];
