import { afterEach, describe, expect, test } from 'vitest';
import { withSession } from '../../../src/engine/session.js';
import type { ResourceStatus, Run } from '../../../src/model/run.js';
import { chooseMissed } from '../../../src/operate/run/missed.js';
import { run } from '../../../src/operate/run/run.js';
import type { Sandbox, Seed } from '../../../src/sandbox/index.js';
import { jsonOf } from '../../support/json.js';
import { Workspace } from '../../support/roster.js';
import { startSandbox } from '../../support/sandbox.js';
import { many } from '../../support/size.js';

/** `roster run --missed` and `--failed` after an outage (contract §21). */

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup();
});

/** Applied at six in the morning. Commands that sleep move the clock. */
async function world(seed: Seed, schedules: Readonly<Record<string, object>>) {
  const sandbox = await startSandbox({ seed, speed: 0, now: new Date('2026-12-01T06:00:00Z') });
  cleanups.push(() => sandbox.close());
  const manifest = { project: 'prices', groups: { shops: { members: ['a0', 'a1'] } }, schedules };
  const workspace = new Workspace({ 'roster.yaml': JSON.stringify(manifest) }, sandbox);
  workspace.now = () => sandbox.now();
  workspace.sleep = async (milliseconds) => sandbox.advance(milliseconds);
  expect((await workspace.apply()).exit).toBe(0);
  return {
    sandbox,
    workspace,
    async status() {
      const { stdout } = await workspace.command(['status', '--format', 'json', '--since', '36h']);
      const { resources } = jsonOf<{ resources: ResourceStatus[] }>({ stdout });
      return Object.fromEntries(resources.map(({ address, health }) => [address, health]));
    },
    async run(...words: string[]) {
      const ran = await workspace.command(['run', ...words, '--format', 'json']);
      const { runs = [], diagnostics } = jsonOf<{ runs?: Run[]; diagnostics: { code: string }[] }>(ran);
      const codes = diagnostics.map(({ code }) => code);
      return { ...ran, codes, started: runs.map(({ address }) => address) };
    },
  };
}

/** For that long, the service starts nothing. */
function outage(sandbox: Sandbox, milliseconds: number, isAffected = (_: string) => true): void {
  const affected = [...sandbox.world.schedules.values()].filter(
    ({ id, isEnabled }) => isEnabled && isAffected(id),
  );
  for (const each of affected) each.isEnabled = false;
  sandbox.advance(milliseconds);
  for (const each of affected) each.isEnabled = true;
}

const agents = (number: number) =>
  Array.from({ length: number }, (_, index) => ({
    externalAgentId: `a${index}`,
    name: `Agent ${index}`,
    outcomes: [{ seconds: 30, records: 5 }],
  }));
const daily = { every: '1 day', startTime: '2026-12-01T12:00:00' };

test('an outage of a day is made good with one command: each schedule starts once, never faster than the limit', async () => {
  const count = many(60, 200);
  const names = Array.from({ length: count }, (_, index) => `s${index}`);
  const schedules = names.map((name, index) => {
    // None is due in the minute in which the outage ends: its run would pass for that of this start.
    const first = Date.parse('2026-12-01T06:10:00Z') + (index % 50) * minute;
    const startTime = new Date(first).toISOString().slice(0, 19);
    return [name, { target: `agent/a${index}`, every: index % 2 === 0 ? '1 hour' : '6 hours', startTime }];
  });
  const { sandbox, run, status } = await world({ agents: agents(count) }, Object.fromEntries(schedules));
  outage(sandbox, day);
  sandbox.requests.length = 0;
  const began = sandbox.now().getTime();
  const first = await run('--missed', '--since', '24h', '--yes', '--max-starts', String(count));
  expect(first.stderr).toContain('Start once:\n');
  expect({ exit: first.exit, codes: first.codes, started: first.started.length }).toEqual({
    exit: 0,
    codes: [],
    started: count,
  });
  const sent = sandbox.requests.filter(({ method, path }) => method === 'POST' && path.endsWith('/run'));
  expect(new Set(sent.map(({ path }) => path)).size).toBe(count);
  expect(sent).toHaveLength(count);
  expect(sent.every(({ status: answer }) => answer === 200)).toBe(true);
  // 55 a minute.
  expect(sandbox.now().getTime() - began).toBeGreaterThanOrEqual(Math.floor(count / 55) * minute);
  expect(Object.values(await status()).filter((health) => health === 'missed')).toEqual([]);
  const second = await run('--missed', '--since', '24h', '--yes', '--max-starts', String(count));
  expect(second).toMatchObject({ exit: 0, started: [] });
  sandbox.advance(20 * minute);
  expect(await run('--missed', '--since', '24h', '--yes')).toMatchObject({ exit: 0, started: [] });
});

describe('what is started', () => {
  const failing = { result: 'fail', seconds: 30, message: 'The source did not respond.' } as const;
  const seed: Seed = {
    agents: [...agents(4), { externalAgentId: 'bad', name: 'Bad', outcomes: [{ nth: 1, ...failing }, {}] }],
  };
  const some = {
    one: { target: 'agent/a0', ...daily },
    group: { target: 'group/shops', ...daily },
    bad: { target: 'agent/bad', every: '6 hours', startTime: '2026-12-01T12:00:00' },
  };

  test.each<[string, string[], string[]]>([
    ['missed starts', ['--missed'], ['schedule/group', 'schedule/one']],
    ['missed starts of what is named', ['--missed', 'schedule/g*'], ['schedule/group']],
    ['failures', ['--failed'], ['schedule/bad']],
    ['both', ['--missed', '--failed'], ['schedule/bad', 'schedule/group', 'schedule/one']],
    ['missed starts of a time in which nothing was due', ['--missed', '--since', '2h'], []],
  ])('%s', async (_, words, started) => {
    const { sandbox, run } = await world(seed, some);
    const bad = [...sandbox.world.agents.values()].find(({ name }) => name === 'Bad')?.id;
    const ofBad = [...sandbox.world.schedules.values()].filter(({ targetId }) => targetId === bad);
    outage(sandbox, 10 * hour, (id) => ofBad.every((each) => each.id !== id));
    const ran = await run(...words, '--yes');
    expect({ exit: ran.exit, started: [...ran.started].sort() }).toEqual({ exit: 0, started });
    expect(await run(...words, '--yes')).toMatchObject({ exit: 0, started: [] });
  });

  test('what is on hold, paused or was to start only once is left alone, with the reason', async () => {
    const { sandbox, workspace, run } = await world(seed, {
      once: { target: 'agent/a1', once: '2026-12-01T12:00:00' },
      one: { target: 'agent/a0', ...daily },
      held: { target: 'agent/a2', ...daily },
      bad: some.bad,
    });
    outage(sandbox, 10 * hour);
    const hold = ['hold', 'schedule/held', '--reason', 'incident 42', '--yes'];
    expect((await workspace.command(hold)).exit).toBe(0);
    const ran = await run('--missed', '--yes');
    expect([...ran.started].sort()).toEqual(['schedule/bad', 'schedule/one']);
    expect(ran.stderr).toContain(
      'Not started:\n  schedule/once: it starts only once, and that time has passed\n',
    );
  });

  test('a failing schedule on hold is left alone, and so is one that is paused', async () => {
    const { sandbox, workspace, run } = await world(seed, { bad: some.bad });
    sandbox.advance(7 * hour);
    expect(await run('--missed', '--yes')).toMatchObject({ exit: 0, started: [] });
    await workspace.command(['hold', 'schedule/bad', '--reason', 'incident 42', '--yes']);
    const held = await run('--failed', '--yes');
    expect(held).toMatchObject({ exit: 0, started: [] });
    expect(held.stderr).toMatch(/Not started:\n {2}schedule\/bad: held by .*: "incident 42"\n/);
    await workspace.command(['resume', 'schedule/bad', '--yes']);
    expect(await run('--failed', '--yes')).toMatchObject({ exit: 0, started: ['schedule/bad'] });
  });

  test('nothing is started beyond --max-starts, or without a confirmation', async () => {
    const { sandbox, run } = await world(seed, some);
    outage(sandbox, 10 * hour);
    sandbox.requests.length = 0;
    const many = await run('--missed', '--yes', '--max-starts', '3');
    expect(many).toMatchObject({ exit: 4, codes: ['too-many-starts'] });
    const asked = await run('--missed');
    expect(asked).toMatchObject({ exit: 1, codes: ['not-confirmed'] });
    expect(asked.stderr).toContain('schedule/one: 1 start missed, due 2026-12-01 12:00 UTC');
    expect(sandbox.requests.filter(({ method }) => method !== 'GET')).toEqual([]);
  });
});

test('what is found at the question and no longer after it is not started', async () => {
  const { sandbox, workspace } = await world(
    { agents: agents(2) },
    { one: { target: 'agent/a0', ...daily } },
  );
  outage(sandbox, 10 * hour);
  const { env, root: cwd } = workspace;
  const started = withSession({ cwd, env, now: () => sandbox.now() }, (session) => {
    const choose = () => chooseMissed(session, { addresses: [], since: '24h', missed: true, failed: false });
    return run(
      session,
      [],
      { choose },
      {
        confirm: async () => {
          await workspace.command(['hold', 'schedule/one', '--reason', 'incident 42', '--yes']);
          sandbox.requests.length = 0;
          return 'yes';
        },
      },
    );
  });
  await expect(started).rejects.toThrow('the list of starts has changed since it was confirmed');
  expect(sandbox.requests.filter(({ method }) => method !== 'GET')).toEqual([]);
});

test.each<[string, string[]]>([
  ['no address is given', []],
  ['`--since` has no effect without `--missed` or `--failed`', ['schedule/one', '--since', '24h']],
  ['`--yes` has no effect without `--missed`, `--failed` or `--changed`', ['schedule/one', '--yes']],
  ['`--hold-on-failure` has no effect without `--changed`', ['schedule/one', '--hold-on-failure']],
  ['`--changed` cannot be used with `--missed` or `--failed`', ['--missed', '--changed']],
  ['`--declared` has no effect with `--missed`, `--failed` and `--changed`', ['--missed', '--declared']],
  ['`-i` has no effect with `--missed`, `--failed` and `--changed`', ['--failed', '-i', 'country=DE']],
])('%s', async (message, words) => {
  const { workspace, sandbox } = await world(
    { agents: agents(2) },
    { one: { target: 'agent/a0', ...daily } },
  );
  sandbox.requests.length = 0;
  const ran = await workspace.command(['run', ...words]);
  expect(ran.exit).toBe(1);
  expect(ran.stderr.replace(/\s+/g, ' ')).toContain(message);
  if (message.includes(' without ')) expect(ran.stderr).toContain('Omit it.');
  expect(sandbox.requests).toEqual([]);
});
