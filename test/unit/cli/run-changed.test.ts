import { afterEach, describe, expect, test } from 'vitest';
import type { Run } from '../../../src/model/run.js';
import type { Sandbox, Seed } from '../../../src/sandbox/index.js';
import { jsonOf } from '../../support/json.js';
import { git, initWithOrigin } from '../../support/repository.js';
import { Workspace } from '../../support/roster.js';
import { startSandbox } from '../../support/sandbox.js';

/** `roster run --changed` after an apply (contract §21). */

let sandbox: Sandbox;
afterEach(() => sandbox.close());

const good = { seconds: 8, records: 5 } as const;
const failing = { result: 'fail', seconds: 8, message: 'The source did not respond.' } as const;
const agentsOf = (outcome: object = good): Seed => ({
  agents: ['a', 'b', 'c', 'bad'].map((externalAgentId) => ({
    externalAgentId,
    name: `Agent ${externalAgentId}`,
    outcomes: [externalAgentId === 'bad' ? outcome : good],
  })),
});
const later = { every: '6 hours', startTime: '2099-01-01T06:00:00' };

interface Declared {
  readonly groups?: object;
  readonly pipelines?: object;
  readonly schedules?: object;
}

async function world(seed = agentsOf()) {
  sandbox = await startSandbox({ seed, speed: 0, now: new Date('2026-12-01T06:00:00Z') });
  const workspace = new Workspace({ 'roster.yaml': 'project: p\n' }, sandbox);
  workspace.now = () => sandbox.now();
  workspace.sleep = async (milliseconds) => sandbox.advance(milliseconds);
  initWithOrigin(workspace.root);
  const apply = async (declared: Declared, ...words: string[]) => {
    const manifest = { project: 'p', inventory: { git: {} }, ...declared };
    workspace.write('roster.yaml', JSON.stringify(manifest));
    const ran = await workspace.command(['apply', '--yes', ...words]);
    expect([ran.exit, ran.stdout + ran.stderr]).toEqual([0, expect.any(String)]);
  };
  const run = async (...words: string[]) => {
    const ran = await workspace.command(['run', '--changed', '--yes', ...words, '--format', 'json']);
    const { runs = [], diagnostics } = jsonOf<{
      runs?: Run[];
      diagnostics: { code: string; message: string; severity: string }[];
    }>(ran);
    return { ...ran, diagnostics, started: runs.map(({ address }) => address) };
  };
  return { workspace, apply, run };
}

const UNKNOWN = '11111111-1111-4111-8111-111111111111';
const shops = { members: ['a', 'b'] };
const daily = { target: 'group/shops', ...later };
const own = { target: 'agent/c', ...later };

/** As an older version wrote the last commit of the inventory. */
function withoutTrailer(root: string, name: string): void {
  const remote = git(root, 'remote', 'get-url', 'origin').replace(/^file:\/\//, '');
  const ref = 'refs/heads/roster-inventory';
  const message = git(root, '-C', remote, 'log', '-1', '--format=%B', ref);
  const older = message.replace(new RegExp(`^${name}: .*\n?`, 'm'), '');
  expect(older).not.toBe(message);
  const author = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com'];
  const parents = ['-p', `${ref}^`];
  const hash = git(root, '-C', remote, ...author, 'commit-tree', `${ref}^{tree}`, ...parents, '-m', older);
  git(root, '-C', remote, 'update-ref', ref, hash);
}

describe('what the last apply changed is started once', () => {
  test('what was created, but not the target of a schedule that is started', async () => {
    const { apply, run } = await world();
    await apply({
      groups: { shops, spare: { members: ['c'] } },
      pipelines: { chain: { stages: ['a', 'b'] } },
      schedules: { daily },
    });
    const ran = await run();
    expect({ exit: ran.exit, started: [...ran.started].sort() }).toEqual({
      exit: 0,
      started: ['group/spare', 'pipeline/chain', 'schedule/daily'],
    });
    expect(ran.stderr).toMatch(/schedule\/daily: created by the apply of 20[\d-]+ [\d:]+ UTC\n/);
    expect(ran.stderr).toContain('Not started:\n  group/shops: schedule/daily starts it\n');
    expect((await run('pipeline/*')).started).toEqual(['pipeline/chain']);
  });

  test('what was changed, and not what was there before or only expects something else now', async () => {
    const { apply, run } = await world();
    await apply({ groups: { shops, spare: { members: ['c'] } }, schedules: { daily, own } });
    await apply({
      groups: { shops: { members: ['a'] }, spare: { members: ['c'] } },
      schedules: { daily, own },
    });
    expect((await run()).started).toEqual(['group/shops']);
    const expecting = { members: ['c'], expect: { records: { min: 1 } } };
    await apply({ groups: { shops: { members: ['a'] }, spare: expecting }, schedules: { daily, own } });
    expect((await run()).started).toEqual(['group/shops']);
    await apply({ groups: { shops: { members: ['a'] }, spare: expecting }, schedules: { own } });
    expect(await run()).toMatchObject({ exit: 0, started: [] });
  });

  test('a schedule that was enabled again, and expects something else now', async () => {
    const { apply, run } = await world();
    await apply({ groups: { shops }, schedules: { daily } });
    for (const each of sandbox.world.schedules.values()) each.isEnabled = false;
    const expecting = { ...daily, expect: { records: { min: 1 } } };
    sandbox.advance(60_000);
    await apply({ groups: { shops }, schedules: { daily: expecting } });
    expect((await run()).started).toEqual(['schedule/daily']);
    expect((await run('group/*')).started).toEqual([]);
  });

  test('a change by somebody else that was undone, with what is expected', async () => {
    const { apply, run } = await world();
    await apply({ groups: { shops, spare: { members: ['c'] } } });
    for (const each of sandbox.world.groups.values()) if (each.name === 'shops') each.description = 'theirs';
    const expecting = { ...shops, expect: { records: { min: 1 } } };
    await apply({ groups: { shops: expecting, spare: { members: ['c'], expect: { records: { min: 1 } } } } });
    expect((await run()).started).toEqual(['group/shops']);
  });

  test('of an apply by an older version, what only expects something else now is left out', async () => {
    const { workspace, apply, run } = await world();
    await apply({ groups: { shops, spare: { members: ['c'] } } });
    for (const each of sandbox.world.groups.values()) if (each.name === 'shops') each.description = 'theirs';
    const expecting = { ...shops, expect: { records: { min: 1 } } };
    await apply({ groups: { shops: expecting, spare: { members: ['c'] } } });
    expect((await run('--detach')).started).toEqual(['group/shops']);
    withoutTrailer(workspace.root, 'Roster-Unsent');
    expect([...(await run('--detach')).started].sort()).toEqual(['group/shops', 'group/spare']);
  });

  test('after an apply that only records what exists, the changes of the apply before it', async () => {
    const { apply, run } = await world();
    await apply({ groups: { shops } });
    const of = /group\/shops: created by the apply of /;
    const other = new Workspace(
      { 'roster.yaml': 'project: o\ngroups: { spare: { members: [c] } }\n' },
      sandbox,
    );
    await other.command(['apply', '--yes']);
    sandbox.advance(600_000);
    await apply({ groups: { shops, spare: { members: ['c'] } } });
    const ran = await run();
    expect([ran.exit, ran.started, of.test(ran.stderr)]).toEqual([0, ['group/shops'], true]);
  });

  test('what is on hold, paused or inactive is left alone, with the reason', async () => {
    const { workspace, apply, run } = await world();
    await apply({
      groups: { shops: { ...shops, active: false }, spare: { members: ['c'] } },
      schedules: { daily, own, paused: { ...own, every: '7 hours', enabled: false } },
    });
    await workspace.command(['hold', 'schedule/own', '--reason', 'incident 42', '--yes']);
    const ran = await run();
    expect(ran.started).toEqual(['group/spare']);
    // Nothing proves what was put on hold after the apply.
    expect([ran.exit, ran.diagnostics.map(({ code }) => code)]).toEqual([5, ['held']]);
    expect(ran.stderr).toContain('  group/shops: it is not active\n');
    expect(ran.stderr).toContain('  schedule/daily: its target group/shops is not active\n');
    expect(ran.stderr).toContain('  schedule/paused: it is paused\n');
    expect(ran.stderr).toMatch(/ {2}schedule\/own: held by .*: "incident 42"\n/);
  });

  test('what only schedules on hold start is left alone, too', async () => {
    const { workspace, apply, run } = await world();
    await apply({ groups: { shops }, schedules: { daily } });
    await workspace.command(['hold', 'schedule/daily', '--reason', 'incident 42', '--yes']);
    await apply({ groups: { shops: { ...shops, description: 'new' } }, schedules: { daily } });
    const ran = await run();
    expect([ran.exit, ran.started]).toEqual([0, []]);
    expect(ran.stderr).toMatch(
      / {2}group\/shops: schedule\/daily starts it, and is held by .*: "incident 42"\n/,
    );
  });

  test('where all that was changed can no longer be matched, it is an error, and not nothing to start', async () => {
    const { workspace, apply, run } = await world();
    await apply({ groups: { shops } });
    await apply({ groups: { shops, spare: { members: ['c'] } } });
    const groups = { shops, spare: { members: ['c'], id: UNKNOWN } };
    workspace.write('roster.yaml', JSON.stringify({ project: 'p', inventory: { git: {} }, groups }));
    expect(await run()).toMatchObject({
      exit: 1,
      started: [],
      diagnostics: [{ code: 'unknown-id', severity: 'error' }],
    });
  });

  test('without an apply that changed anything on the service, or with an inventory in a file, it is an error', async () => {
    const { workspace, run } = await world();
    workspace.write('roster.yaml', 'project: p\ninventory: { git: {} }\n');
    expect(await run()).toMatchObject({ exit: 1, diagnostics: [{ code: 'usage' }] });
    workspace.write('roster.yaml', 'project: p\n');
    const inFile = await run();
    expect(inFile).toMatchObject({ exit: 1, diagnostics: [{ code: 'usage' }] });
    expect(inFile.diagnostics[0]?.message).toContain('is a file, which does not record applies');
  });
});

const paused = () => [...sandbox.world.schedules.values()].filter(({ isEnabled }) => !isEnabled).length;

describe('with --hold-on-failure', () => {
  const bad = { groups: { shops: { members: ['a', 'bad'] } }, schedules: { daily, own } };

  test.each<[string, object, Declared, string]>([
    ['a run that fails', failing, bad, 'failed'],
    [
      'a run that does not deliver what is expected',
      { seconds: 8, records: 0 },
      { ...bad, groups: { shops: { members: ['a', 'bad'], expect: { records: { min: 1 } } } } },
      'did not deliver what is expected',
    ],
  ])('%s holds the schedules that start it', async (_, outcome, declared, why) => {
    const { workspace, apply, run } = await world(agentsOf(outcome));
    await apply(declared);
    const ran = await run('--hold-on-failure');
    expect(ran.exit).toBe(5);
    expect(ran.diagnostics.map(({ code }) => code)).toContain('held');
    const listed = await workspace.command(['list', '--format', 'json']);
    const reason = new RegExp(`"${why} after an apply: schedule/daily \\(group run [0-9a-f-]+\\)"`);
    expect(listed.stdout).toMatch(reason);
    expect(ran.diagnostics.find(({ code }) => code === 'held')?.message).toContain('schedule/daily');
    expect(ran.stderr).toMatch(/^schedule\/daily is held by /m);
    expect(paused()).toBe(1);
    sandbox.requests.length = 0;
    const again = await run('schedule/daily', '--hold-on-failure');
    expect([again.exit, again.started]).toEqual([5, []]);
    expect(again.diagnostics).toEqual([
      expect.objectContaining({
        code: 'held',
        severity: 'error',
        message: expect.stringContaining(
          `schedule/daily was not run: it was put on hold after it was applied, held by`,
        ),
      }),
    ]);
    expect(sandbox.requests.filter(({ method }) => method !== 'GET')).toEqual([]);
    await workspace.command(['resume', 'schedule/daily', '--yes']);
    expect((await run('schedule/daily', '--detach')).started).toEqual(['schedule/daily']);
  });

  test('a hold from before the apply is left alone', async () => {
    const { workspace, apply, run } = await world();
    await apply({ groups: { shops, spare: { members: ['c'] } }, schedules: { daily, own } });
    await workspace.command(['hold', 'schedule/own', '--reason', 'incident 42', '--yes']);
    sandbox.advance(600_000);
    await apply({ groups: { shops }, schedules: { daily, own: { ...own, every: '7 hours' } } });
    const ran = await run();
    expect([ran.exit, ran.started]).toEqual([0, []]);
    expect(ran.stderr).toMatch(/ {2}schedule\/own: held by .*: "incident 42"\n/);
  });

  test('a member that has failed holds the schedules of its group, although the others still run at the end of --for', async () => {
    const slow = { seconds: 36_000, records: 5 };
    const seed = agentsOf(failing);
    const agents = (seed.agents ?? []).map((each) =>
      each.externalAgentId === 'a' ? { ...each, outcomes: [slow] } : each,
    );
    const { apply, run } = await world({ ...seed, agents });
    await apply(bad);
    const ran = await run('--hold-on-failure', '--for', '5m');
    expect(ran.exit).toBe(6);
    expect(ran.diagnostics.map(({ code }) => code)).toEqual(['run-failed', 'still-running', 'held']);
    expect(paused()).toBe(1);
  });

  test('each schedule is held for its own failed run, also where a target is written in another way', async () => {
    const { apply, run } = await world(agentsOf(failing));
    const alone = { target: 'agent/bad', ...later };
    const same = { target: 'agent/Agent bad', ...later, every: '7 hours' };
    await apply({ ...bad, schedules: { ...bad.schedules, same } });
    const changed = { members: ['a', 'bad'], description: 'All shops' };
    await apply({ groups: { shops: changed }, schedules: { ...bad.schedules, same, alone } });
    const ran = await run('--hold-on-failure');
    expect([ran.exit, [...ran.started].sort()]).toEqual([5, ['group/shops', 'schedule/alone']]);
    const held = ran.diagnostics.filter(({ code }) => code === 'held').map(({ message }) => message);
    const ofAlone =
      /: "failed after an apply: schedule\/alone \(job [0-9a-f-]+\)" \(schedule\/alone, schedule\/same\)$/;
    const ofGroup =
      /^schedule\/daily is held by .*: "failed after an apply: group\/shops \(group run [0-9a-f-]+\)"$/;
    expect(held).toEqual([expect.stringMatching(ofAlone), expect.stringMatching(ofGroup)]);
  });

  test('the schedules of a group that fails are held, where the group itself was changed', async () => {
    const { apply, run } = await world(agentsOf(failing));
    await apply({ groups: { shops }, schedules: { daily, own } });
    // Nothing starts the other one.
    await apply({ ...bad, groups: { ...bad.groups, alone: { members: ['bad'] } } });
    const ran = await run('--hold-on-failure');
    expect({ exit: ran.exit, started: [...ran.started].sort() }).toEqual({
      exit: 5,
      started: ['group/alone', 'group/shops'],
    });
    expect(ran.diagnostics.map(({ code }) => code)).toEqual(['run-failed', 'run-failed', 'held']);
    expect(paused()).toBe(1);
  });

  test('the failed run of a schedule holds the others of its target, but keeps the hold of a person, and leaves out what cannot be held', async () => {
    const { workspace, apply, run } = await world(agentsOf(failing));
    const every = (hours: number) => ({ ...daily, every: `${hours} hours` });
    const kept = every(8);
    await apply({ ...bad, schedules: { daily, other: every(7), kept, own } });
    await workspace.command(['hold', 'schedule/kept', '--reason', 'incident 42', '--yes']);
    const changed = { ...bad, schedules: { daily: every(5), other: every(7), kept, own } };
    await apply(changed);
    // Nobody has applied its entry yet.
    const similar = [...sandbox.world.schedules.values()].find(({ targetType }) => targetType === 'Group');
    if (similar !== undefined) sandbox.world.schedules.set(UNKNOWN, { ...similar, id: UNKNOWN });
    const schedules = { ...changed.schedules, adopted: { ...every(9), id: UNKNOWN } };
    workspace.write(
      'roster.yaml',
      JSON.stringify({ project: 'p', inventory: { git: {} }, ...changed, schedules }),
    );
    const ran = await run('--hold-on-failure');
    expect([ran.exit, ran.started]).toEqual([5, ['schedule/daily']]);
    expect(ran.diagnostics.filter(({ severity }) => severity === 'error').map(({ code }) => code)).toEqual(
      expect.arrayContaining(['run-failed', 'not-in-inventory']),
    );
    const held = ran.diagnostics.filter(({ code }) => code === 'held').map(({ message }) => message);
    expect(held.join('\n')).toMatch(/schedule\/daily, schedule\/other/);
    expect(held.join('\n')).toMatch(/schedule\/kept is held by .*: "incident 42"/);
    expect(paused()).toBe(3);
  });

  test('a pause that the service refuses is an error, and no hold', async () => {
    const { apply, run } = await world(agentsOf(failing));
    await apply(bad);
    const refused = { act: 'status', status: 400, body: '{}' } as const;
    sandbox.faults.faults = [
      { ...refused, method: 'POST', path: '/api/schedules/bulk/enabled' },
      { ...refused, method: 'PUT', path: '/api/schedules/*' },
      { ...refused, method: 'POST', path: '/api/schedules/*/enabled' },
    ];
    const ran = await run('--hold-on-failure');
    expect(ran.exit).toBe(5);
    const errors = ran.diagnostics.filter(({ code }) => code === 'not-converged');
    expect(errors.map(({ message }) => message)).toEqual([
      expect.stringMatching(/^schedule\/daily could not be put on hold: /),
    ]);
    expect(ran.diagnostics.map(({ code }) => code)).not.toContain('held');
    expect(paused()).toBe(0);
  });

  test('a start that could not be sent is no failure of what it would have started', async () => {
    const { apply, run } = await world();
    await apply({ groups: { shops, spare: { members: ['c'] } }, schedules: { daily } });
    await apply({ groups: { shops: { members: ['a'] }, alone: { members: ['c'] } }, schedules: { daily } });
    sandbox.faults.faults = [
      { act: 'status', status: 401, body: '{}', method: 'POST', path: '/api/search-groups/*/run', nth: 2 },
    ];
    const ran = await run('--hold-on-failure');
    expect({ exit: ran.exit, started: [...ran.started].sort() }).toEqual({
      exit: 3,
      started: ['group/alone', 'group/shops'],
    });
    expect(ran.diagnostics.map(({ code }) => code)).toContain('not-started');
    expect(ran.diagnostics.map(({ code }) => code)).not.toContain('held');
    expect(paused()).toBe(0);
  });

  test('nothing is held where everything succeeds, or without the flag', async () => {
    const { apply, run } = await world(agentsOf(failing));
    await apply({ groups: { shops }, schedules: { daily } });
    expect((await run('--hold-on-failure')).exit).toBe(0);
    await apply(bad);
    expect((await run()).exit).toBe(5);
    expect(paused()).toBe(0);
  });
});
