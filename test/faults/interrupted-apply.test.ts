import { expect, test } from 'vitest';
import { apply } from '../../src/engine/apply.js';
import { withSession } from '../../src/engine/session.js';
import { defaultSeed } from '../../src/sandbox/index.js';
import { agents, projectOf } from '../bench/project.js';
import { many } from '../support/size.js';
import { Fixture } from './support/fixture.js';

/** I1 for many objects: finding out what a killed run has done takes the requests of one plan, and nothing is created twice. */

const CREATE = /^POST \/api\/(search-groups|pipelines|schedules)$/;

interface Case {
  readonly name: string;
  readonly act: 'kill-before' | 'kill-after';
  readonly size: number;
  /** Lists show what the killed run did once the next one waits. */
  readonly lags?: boolean;
}

const cases: readonly Case[] = [
  { name: 'before a create takes effect', act: 'kill-before', size: 100 },
  { name: 'while the lists lag', act: 'kill-after', size: 100, lags: true },
  { name: 'after a create took effect', act: 'kill-after', size: many(100, 5_000) },
];

test.each(cases)(
  'an apply after one that was killed at 30 % ($name) starts with the requests of a plan, and sends the rest',
  async (given) => {
    const fixture = await killedAt30Percent(given);
    try {
      const created = createdIn(fixture);
      // Ten requests are sent at a time.
      expect(Math.abs(created - 0.3 * given.size)).toBeLessThanOrEqual(10);
      const ofPlan = await requestsOf(fixture, () => fixture.workspace.plan());

      const { faults } = fixture.sandbox;
      fixture.workspace.sleep = async () => {
        faults.lagMs = 0;
      };
      let said = '';
      const ofApply = await requestsOf(fixture, async () => {
        said = (await fixture.apply()).stderr;
      });
      expect(said).toContain('Waiting 5 s: an earlier command may have made changes');
      const start = ofApply.slice(0, ofApply.findIndex(isCreate));
      // A schedule whose target exists needs another preview.
      const reads = (requests: readonly string[]) => requests.filter((each) => each.startsWith('GET'));
      expect(reads(start).sort()).toEqual(reads(ofPlan).sort());
      expect(start.length).toBeLessThanOrEqual(ofPlan.length);
      expect(ofApply.filter(isCreate)).toHaveLength(given.size - created);
      expect(createdIn(fixture)).toBe(given.size);
      await fixture.expectNothingLeft();
    } finally {
      await fixture.close();
    }
  },
);

test('an apply that is confirmed after another one was killed waits, and finds what that one created', async () => {
  const fixture = await Fixture.of({ name: 'asked', before: null, manifest: manifestOf(20) });
  const { sandbox, workspace } = fixture;
  const { root: cwd, env } = workspace;
  try {
    sandbox.faults.lagMs = 3_600_000;
    const sleep = async () => {
      sandbox.faults.lagMs = 0;
    };
    const confirm = async () => {
      fixture.inject({ act: 'kill-after', method: 'POST', path: '/api/search-groups', nth: 8 });
      expect((await fixture.process('apply', '--yes')).signal).toBe('SIGKILL');
      fixture.inject();
      return 'yes' as const;
    };
    const run = withSession({ cwd, env, sleep }, (session) => apply(session, {}, { confirm }));
    await expect(run).rejects.toThrow('stale-plan');
    const created = [...sandbox.world.groups.values()].filter(({ name }) => /^g\d+$/.test(name));
    expect(created.length).toBeGreaterThanOrEqual(8);
    expect(new Set(created.map(({ name }) => name)).size).toBe(created.length);
    expect(created.length).toBeLessThan(20);
  } finally {
    await fixture.close();
  }
});

test('an apply of other resources than those in doubt does not wait', async () => {
  const fixture = await Fixture.of({ name: 'part', before: manifestOf(1), manifest: manifestOf(20) });
  try {
    fixture.inject({ act: 'kill-before', method: 'POST', path: '/api/search-groups', nth: 5 });
    expect((await fixture.process('apply', '--yes')).signal).toBe('SIGKILL');
    fixture.inject();
    const waits = waitsOf(fixture);
    expect((await fixture.workspace.command(['apply', '--yes', 'group/g0'])).exit).toBe(0);
    expect(waits).toEqual([]);
    expect((await fixture.apply()).exit).toBe(0);
    expect(waits.length).toBeGreaterThan(0);
  } finally {
    await fixture.close();
  }
});

test('an apply after a completed one does not wait', async () => {
  const fixture = await Fixture.of({ name: 'ended', before: manifestOf(1), manifest: manifestOf(2) });
  try {
    const waits = waitsOf(fixture);
    expect((await fixture.apply()).exit).toBe(0);
    expect(waits).toEqual([]);
  } finally {
    await fixture.close();
  }
});

test('an apply that creates what was deleted outside of roster reads everything once more, and not more often', async () => {
  const fixture = await Fixture.of({ name: 'gone', before: manifestOf(2), manifest: manifestOf(2) });
  try {
    const { groups } = fixture.sandbox.world;
    for (const { id, name } of [...groups.values()]) if (name === 'g1') groups.delete(id.toLowerCase());
    const ofPlan = await requestsOf(fixture, () => fixture.workspace.plan());
    const ofApply = await requestsOf(fixture, () => fixture.apply());
    expect(ofApply.findIndex(isCreate)).toBe(2 * ofPlan.length);
    expect(ofApply.filter(isCreate)).toHaveLength(1);
  } finally {
    await fixture.close();
  }
});

/** Of the resources of `projectOf`, four of ten are groups, which are created first. */
async function killedAt30Percent({ act, size, lags = false }: Case): Promise<Fixture> {
  const { files } = projectOf(size, { hasKey: false });
  const manifest = files['roster.yaml'] ?? '';
  const seed = { agents: [...(defaultSeed().agents ?? []), ...(agents.agents ?? [])] };
  const fixture = await Fixture.of({ name: 'many', before: null, manifest }, { seed });
  for (const [name, text] of Object.entries(files)) fixture.workspace.write(name, text);
  if (lags) fixture.sandbox.faults.lagMs = 3_600_000;
  fixture.inject({ act, method: 'POST', path: '/api/search-groups', nth: 0.3 * size });
  expect((await fixture.process('apply', '--yes')).signal).toBe('SIGKILL');
  fixture.inject();
  return fixture;
}

/** The waits of the next commands, which take no time. */
function waitsOf({ workspace }: Fixture): readonly number[] {
  const waits: number[] = [];
  workspace.sleep = async (milliseconds) => void waits.push(milliseconds);
  return waits;
}

async function requestsOf({ sandbox }: Fixture, run: () => Promise<unknown>): Promise<string[]> {
  sandbox.requests.length = 0;
  await run();
  return sandbox.requests.map(({ method, path }) => `${method} ${path}`);
}

function isCreate(request: string): boolean {
  return CREATE.test(request);
}

function createdIn({ sandbox: { world } }: Fixture): number {
  const named = [...world.groups.values(), ...world.pipelines.values()].filter(({ name }) =>
    /^(Shops of region|Refresh of team) /.test(name),
  );
  const ids = new Set(named.map(({ id }) => id));
  return named.length + [...world.schedules.values()].filter(({ targetId }) => ids.has(targetId)).length;
}

function manifestOf(groups: number): string {
  const lines = Array.from({ length: groups }, (_, index) => `  g${index}: { members: [acme-shop] }\n`);
  return `project: some\ngroups:\n${lines.join('')}`;
}
