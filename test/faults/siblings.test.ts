import { expect } from 'vitest';
import type { RecordedRequest } from '../../src/sandbox/index.js';
import { type ClientFault, FaultInjector } from '../support/client-faults.js';
import { start } from '../support/program.js';
import { startSandbox } from '../support/sandbox.js';
import { Team } from '../support/team.js';
import { experiments } from './support/experiments.js';

/** I41: two projects of one repository end where both manifests say, in whatever order they are applied and killed. */

const startTime = '2099-12-01T06:00:00';
const nightly = { target: 'pipeline/nightly', every: '6 hours', startTime };
const before = {
  groups: { stays: { members: ['acme-shop'] }, goes: { members: ['globex'] } },
  pipelines: { nightly: { stages: ['acme-shop', 'globex'] } },
  schedules: { nightly },
};
/** The pipeline moves with its schedule, a group is deleted, and each project gets a new one. */
const after = {
  retail: { groups: { stays: before.groups.stays, retail: { members: ['globex'] } } },
  travel: {
    groups: { travel: { members: ['initech'] } },
    pipelines: before.pipelines,
    schedules: { nightly: { ...nightly, enabled: false } },
  },
};
/** The schedule is on hold while it moves, and declared enabled. */
const afterHeld = { ...after, travel: { ...after.travel, schedules: { nightly } } };
const names = ['retail', 'travel'] as const;
type Name = (typeof names)[number];

class MovedPipeline {
  private constructor(
    readonly team: Team,
    private readonly moved: readonly string[],
    private readonly isHeld: boolean,
  ) {}

  static async make(isHeld = false): Promise<MovedPipeline> {
    const team = new Team(await startSandbox(), { retail: before, travel: { groups: {} } });
    await team.apply('retail');
    const hold = ['hold', 'schedule/nightly', '--reason', 'incident 42', '--yes'];
    if (isHeld) expect((await team.run('retail', ...hold)).exit).toBe(0);
    const { pipelines, schedules } = team.sandbox.world;
    const moved = [...pipelines.keys(), ...schedules.keys()].map(String);
    for (const name of names) team.declare(name, (isHeld ? afterHeld : after)[name]);
    team.takeDeletes();
    return new MovedPipeline(team, moved, isHeld);
  }

  /** As processes, because a fault may kill them. */
  async apply(name: Name, faults: FaultInjector | null = null): Promise<number | null> {
    const { root, sandbox } = this.team;
    const env = { ROSTER_URL: sandbox.url, ROSTER_API_KEY: sandbox.apiKey };
    const started = start(['apply', '--yes'], { cwd: `${root}/${name}`, env });
    if (faults !== null) faults.targetPid = started.pid;
    return (await started.ended).exit;
  }

  async expectConverged(): Promise<void> {
    const { world } = this.team.sandbox;
    const namesOf = (objects: ReadonlyMap<unknown, { readonly name: string }>) =>
      [...objects.values()].map(({ name }) => name).sort();
    expect([namesOf(world.groups), namesOf(world.pipelines), world.schedules.size]).toEqual([
      ['retail', 'stays', 'travel'],
      ['nightly'],
      1,
    ]);
    expect([...world.pipelines.keys(), ...world.schedules.keys()].map(String)).toEqual(this.moved);
    if (this.isHeld)
      expect([
        this.team.sandbox.requests.filter(enables),
        [...world.schedules.values()].map(({ isEnabled }) => isEnabled),
      ]).toEqual([[], [false]]);
    const deletes = this.team.takeDeletes();
    expect(deletes.filter((path) => this.moved.some((id) => path.includes(id)))).toEqual([]);
    for (const name of names) expect(await this.team.actions(name)).toEqual([]);
  }
}

/** A change of the whole schedule enables it, too, unless its body says otherwise: a later request may pause it again. */
function enables({ method, path, body }: RecordedRequest): boolean {
  if (path.includes('enable')) return true;
  const isWhole = method === 'PUT' && path.startsWith('/api/schedules/');
  return isWhole && !JSON.stringify(body).includes('"isEnabled":false');
}

interface Killed {
  readonly first: Name;
  readonly fault: ClientFault;
}

/** An apply of either sends fewer requests than this. */
const MOST_REQUESTS = 14;
const kills: Killed[] = names.flatMap((first) =>
  Array.from({ length: MOST_REQUESTS }, (_, index) => index + 1).flatMap((nth) =>
    (['kill-before', 'kill-after'] as const).map((act) => ({ first, fault: { act, nth } })),
  ),
);

/** One project is killed during its apply, and then both are applied again. `isHeld`: the schedule is on hold as it moves. */
async function expectAfterKill({ first, fault }: Killed, isHeld: boolean): Promise<void> {
  const repository = await MovedPipeline.make(isHeld);
  const faults = new FaultInjector(repository.team.sandbox);
  faults.inject(fault);
  await repository.apply(first, faults);
  faults.inject();
  const other: Name = first === 'retail' ? 'travel' : 'retail';
  for (const name of [other, first, other]) expect([name, await repository.apply(name)]).toEqual([name, 0]);
  await repository.expectConverged();
}

experiments(
  'I41',
  'siblings: one of them is killed at any request, and both are applied again in either order',
  kills,
  (kill) => expectAfterKill(kill, false),
  9,
);

experiments(
  'I41',
  'siblings: both are applied at once, and then again',
  Array.from({ length: 20 }, (_, index) => index),
  async () => {
    const repository = await MovedPipeline.make();
    expect(await Promise.all(names.map((name) => repository.apply(name)))).toEqual([0, 0]);
    for (const name of names) expect(await repository.apply(name)).toBe(0);
    await repository.expectConverged();
  },
  5,
);

experiments(
  'I41',
  'siblings: a schedule on hold moves, one of them is killed at any request, and it is never started',
  kills,
  (kill) => expectAfterKill(kill, true),
  9,
);

experiments(
  'I41',
  'siblings: a schedule on hold moves, both are applied at once, and then again, and it is never started',
  Array.from({ length: 20 }, (_, index) => index),
  async () => {
    const repository = await MovedPipeline.make(true);
    expect(await Promise.all(names.map((name) => repository.apply(name)))).toEqual([0, 0]);
    for (const name of ['travel', 'retail', 'travel'] as const) expect(await repository.apply(name)).toBe(0);
    await repository.expectConverged();
  },
  5,
);
