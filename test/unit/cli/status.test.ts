import { afterEach, expect, test } from 'vitest';
import type { ResourceStatus } from '../../../src/model/run.js';
import type { Seed } from '../../../src/sandbox/index.js';
import { danger } from '../../support/inert.js';
import { expectInertMarkdown } from '../../support/inert-markdown.js';
import { startInterceptingProxy } from '../../support/intercepting-proxy.js';
import { inventoryAt, jsonOf } from '../../support/json.js';
import { initWithOrigin } from '../../support/repository.js';
import { Workspace } from '../../support/roster.js';
import { startSandbox } from '../../support/sandbox.js';
import { Saves } from '../../support/saves.js';
import { isLong, many } from '../../support/size.js';
import { expectFits } from '../schemas/schemas.js';

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup();
});

const day = 86_400_000;
const now = new Date('2026-12-08T12:00:00Z');

type Outcomes = NonNullable<NonNullable<Seed['agents']>[number]['outcomes']>;
type Outcome = Outcomes[number];

interface Daily {
  /** How the start of each of the last seven days ended, the newest last. Null: it did not happen. */
  readonly week: readonly (Outcome | null)[];
  readonly seed?: object;
  readonly entry?: string;
}

const good: Outcome = { seconds: 60, records: 1200 };
const bad: Outcome = { result: 'fail', seconds: 95, message: 'The source did not respond.' };
const week = (...last: (Outcome | null)[]) => [...new Array<Outcome>(7 - last.length).fill(good), ...last];

/** A schedule for each of these, at six every morning, on an agent of its own. */
const cases: Readonly<Record<string, Daily>> = {
  fine: { week: week() },
  failing: { week: week(bad, bad) },
  repaired: { week: week(bad, good) },
  missed: { week: week(null, null, good) },
  stuck: { week: week(null, null) },
  empty: { week: week({ seconds: 60, records: 0 }) },
  fast: { week: week({ seconds: 2, records: 10, anomaly: 'Fast' }) },
  long: { week: week({ seconds: 100_000, records: 5 }) },
  paused: { week: week(null, null), seed: { isEnabled: false }, entry: ', enabled: false' },
  fresh: { week: new Array<null>(7).fill(null) },
};
const names = Object.keys(cases);
const idOf = (name: string) => `5c4ed000-0000-4000-8000-${String(names.indexOf(name)).padStart(12, '0')}`;
const seedOf = (only = names): Seed => {
  const agents = only.map((name) => {
    const outcomes = (cases[name]?.week ?? []).flatMap((each) => (each === null ? [] : [each]));
    return {
      externalAgentId: `a-${name}`,
      name: `The ${name} agent`,
      outcomes: [...outcomes.map((each, index) => ({ nth: index + 1, ...each })), good],
    };
  });
  const schedules = only.map((name) => ({
    ...{ id: idOf(name), targetType: 'Agent' as const, targetId: `a-${name}`, scheduleType: 'Cron' as const },
    ...{ cronExpression: '0 0 6 * * *', startTime: '2026-01-01T00:00:00', ...cases[name]?.seed },
  }));
  const history = only.flatMap((name) =>
    (cases[name]?.week ?? []).flatMap((each, index) => {
      const at = now.getTime() - 6 * 3_600_000 - (6 - index) * day;
      return each === null ? [] : [{ schedule: idOf(name), startedAt: new Date(at).toISOString() }];
    }),
  );
  return { agents, schedules, history } as Seed;
};
const timing = 'cron: "0 0 6 * * *", startTime: 2026-01-01T00:00:00';
const manifest = (only = names) =>
  `project: prices\nschedules:\n${only
    .map((name) => `  ${name}: { target: agent/a-${name}, ${timing}${cases[name]?.entry ?? ''} }\n`)
    .join('')}`;

async function world(seed: Seed = seedOf(), text = manifest()) {
  const sandbox = await startSandbox({ seed, speed: 0, now });
  const workspace = new Workspace({ 'roster.yaml': text }, sandbox);
  workspace.now = () => sandbox.now();
  return { sandbox, workspace };
}

const saves = new Saves();

async function applied(...given: Parameters<typeof world>) {
  const made = await world(...given);
  await saves.begin(JSON.stringify(given), made.sandbox, made.workspace, async () => {
    const { exit, stderr } = await made.workspace.apply();
    expect(stderr).toBe('');
    expect(exit).toBe(0);
  });
  ownedSince(made.workspace, '2026-11-30T12:00:00.000Z');
  made.sandbox.requests.length = 0;
  return made;
}

/** As if roster had adopted all but `fresh` at that time: only starts after it can be missed. */
function ownedSince(workspace: Workspace, since: string): void {
  const file = 'roster.inventory.json';
  const inventory = inventoryAt(workspace.root, file);
  for (const [address, entry] of Object.entries<object>(inventory.entries))
    if (address !== 'schedule/fresh') Object.assign(entry, { since });
  workspace.write(file, JSON.stringify(inventory));
}

interface StatusJson {
  readonly formatVersion: number;
  readonly resources: readonly ResourceStatus[];
  readonly diagnostics: readonly { readonly code: string; readonly severity: string }[];
}

async function statusOf(workspace: Workspace, ...words: string[]) {
  const ran = await workspace.command(['status', ...words, '--format', 'json']);
  const json = jsonOf<StatusJson>(ran);
  if (json.resources !== undefined) expectFits('status.schema.json', json);
  const healths = (json.resources ?? []).map(({ address, health }) => `${health} ${address}`);
  const of = (address: string) => json.resources.find((each) => each.address === address);
  return { ...ran, json, healths, of, codes: json.diagnostics.map(({ code }) => code) };
}

test('each schedule has the health of its history, the worst first', async () => {
  const { workspace } = await applied();
  const { healths, exit, codes } = await statusOf(workspace);
  expect(healths).toEqual([
    'failing schedule/failing',
    'missed schedule/missed',
    'missed schedule/stuck',
    'quiet schedule/empty',
    'quiet schedule/fast',
    'running schedule/long',
    'paused schedule/paused',
    'never-run schedule/fresh',
    'healthy schedule/fine',
    'healthy schedule/repaired',
  ]);
  expect(exit).toBe(0);
  expect(codes).toEqual([]);
});

test('a schedule is shown with its last finished run, its counts in the period, and its next start', async () => {
  const { workspace } = await applied();
  const { of } = await statusOf(workspace);
  expect(of('schedule/failing')).toEqual({
    address: 'schedule/failing',
    health: 'failing',
    reason: 'The source did not respond.',
    sync: 'in-sync',
    lastRun: {
      state: 'failed',
      startedAt: '2026-12-08T06:00:00.000Z',
      finishedAt: '2026-12-08T06:01:35.000Z',
      records: 0,
      message: 'The source did not respond.',
    },
    counts: { succeeded: 5, failed: 2, missed: 0 },
    nextRun: '2026-12-09T06:00:00.000Z',
    held: null,
    expectations: [],
  });
  expect(of('schedule/missed')?.counts).toEqual({ succeeded: 5, failed: 0, missed: 2 });
  expect(of('schedule/long')?.lastRun?.finishedAt).toBe('2026-12-07T06:01:00.000Z');
  expect(of('schedule/fresh')).toMatchObject({ lastRun: null, counts: { missed: 0 } });
});

test.each([-30, -1, 1, 30])(
  'a machine whose clock is %i days off shows the same: the clock of the service decides',
  async (days) => {
    const { sandbox, workspace } = await applied();
    const right = await statusOf(workspace);
    workspace.now = () => new Date(sandbox.now().getTime() + days * day);
    expect((await statusOf(workspace)).json).toEqual(right.json);
    expect((await statusOf(workspace, '--since', '2026-12-07T12:00Z')).exit).toBe(0);
  },
);

test('`--since` shortens the period: older failures and gaps do not count', async () => {
  const { workspace } = await applied();
  const { of } = await statusOf(workspace, '--since', '24h');
  expect(of('schedule/repaired')?.counts).toEqual({ succeeded: 1, failed: 0, missed: 0 });
  expect(of('schedule/missed')?.health).toBe('healthy');
  expect(of('schedule/stuck')).toMatchObject({ health: 'missed', counts: { missed: 1 } });
});

test('`--check` exits with 5 for what `--fail-on` names, and only then', async () => {
  const { workspace } = await applied();
  const exit = async (...words: string[]) => (await workspace.command(['status', ...words])).exit;
  expect(await exit('--check')).toBe(5);
  expect(await exit('--check', '--fail-on', 'unknown')).toBe(0);
  expect(await exit('schedule/empty', '--check')).toBe(0);
  expect(await exit('schedule/empty', '--check', '--fail-on', 'quiet, failing')).toBe(5);
  expect(await exit('schedule/fine', '--check')).toBe(0);
  expect(await exit('schedule/missed', '--check')).toBe(5);
});

test.each([
  ['--check', '--fail-on', 'bad'],
  ['--check', '--fail-on', ''],
  ['--since', 'yesterday'],
  ['--since', 'apply'],
  ['schedule/nothing'],
])('%s %s is refused before anything is shown', async (...words) => {
  const { workspace } = await applied(seedOf(['fine']), manifest(['fine']));
  expect((await workspace.command(['status', ...words])).exit).toBe(1);
});

test('`--fail-on` is refused where nothing fails because of it', async () => {
  const { workspace } = await applied(seedOf(['fine']), manifest(['fine']));
  const ran = (...words: string[]) => workspace.command(['status', '--fail-on', 'quiet', ...words]);
  expect(await ran()).toMatchObject({ exit: 1, stderr: expect.stringContaining('without `--check`') });
  for (const words of [['--check'], ['--format', 'junit'], ['--write', 'junit=status.xml']])
    expect((await ran(...words)).exit).toBe(0);
});

test('keys have no health', async () => {
  const text = `${manifest(['fine'])}keys:\n  ci: { scopes: [agents.run], deliver: { file: .secrets/ci.key } }\n`;
  const { workspace } = await world(seedOf(['fine']), text);
  expect((await statusOf(workspace)).healths).toHaveLength(1);
  const { exit, stderr } = await workspace.command(['status', 'key/ci']);
  expect(exit).toBe(1);
  expect(stderr).toContain('key/ci cannot run');
});

test('the sync of a resource is what drift and plan say of it', async () => {
  const only = ['fine', 'empty', 'repaired', 'long'];
  const { workspace, sandbox } = await applied(seedOf(only), manifest(only));
  const drifted = sandbox.world.schedules.get(idOf('fine'));
  if (drifted !== undefined) drifted.inputParameters = '{"country":"FR"}';
  sandbox.world.schedules.delete(idOf('long'));
  workspace.write(
    'roster.yaml',
    `${manifest(['fine', 'long'])}  empty: { target: agent/a-empty, ${timing}, inputs: {} }
  repaired: { target: agent/a-repaired, ${timing}, enabled: false }
  new: { target: agent/a-fine, every: 2 days, startTime: 2026-01-01T00:00:00 }\n`,
  );
  const { of } = await statusOf(workspace);
  expect(of('schedule/fine')).toMatchObject({ sync: 'drifted', health: 'healthy' });
  expect(of('schedule/empty')?.sync).toBe('in-sync');
  expect(of('schedule/repaired')).toMatchObject({ sync: 'pending', health: 'healthy' });
  expect(of('schedule/long')).toMatchObject({ sync: 'missing', health: 'unknown', lastRun: null });
  expect(of('schedule/new')).toMatchObject({ sync: 'missing', health: 'unknown' });
});

test('what is declared but not in the inventory is unmanaged, and has missed no start', async () => {
  const { workspace } = await world(seedOf(['missed']), manifest(['missed']));
  const { of } = await statusOf(workspace);
  expect(of('schedule/missed')).toMatchObject({
    sync: 'unmanaged',
    health: 'healthy',
    counts: { missed: 0 },
  });
});

test('after its timing was changed outside roster, no starts are called missed', async () => {
  const { workspace, sandbox } = await applied(
    seedOf(['missed', 'failing']),
    manifest(['missed', 'failing']),
  );
  for (const name of ['missed', 'failing']) {
    const schedule = sandbox.world.schedules.get(idOf(name));
    if (schedule !== undefined) schedule.cronExpression = '0 0 5 * * *';
  }
  const { of } = await statusOf(workspace);
  expect(of('schedule/missed')).toMatchObject({
    sync: 'drifted',
    health: 'unknown',
    counts: { missed: null },
  });
  expect(of('schedule/failing')?.health).toBe('failing');
  const { stdout } = await workspace.command(['status', 'schedule/missed']);
  expect(stdout).toContain('its timing was changed outside roster');
});

test('missed starts are counted once, and the last one is shown with its time', async () => {
  const { workspace } = await applied();
  const { stdout } = await workspace.command(['status', 'schedule/missed', 'schedule/stuck']);
  expect(stdout).toContain('    2 starts missed, the last was due 2026-12-07 06:00 UTC\n');
  expect(stdout).toContain('    2 starts missed, the last was due 2026-12-08 06:00 UTC\n');
  expect(stdout).not.toMatch(/ok, 2 missed/);
  const short = await workspace.command(['status', 'schedule/stuck', '--since', '24h']);
  expect(short.stdout).toContain('    1 start missed, due 2026-12-08 06:00 UTC\n');
});

test('a hold is shown with who holds it, and its starts are not missed', async () => {
  const { workspace, sandbox } = await applied(seedOf(['fine']), manifest(['fine']));
  expect((await workspace.command(['hold', '--all', '--reason', 'relaunch', '--yes'])).exit).toBe(0);
  sandbox.advance(2 * day);
  const { of } = await statusOf(workspace);
  expect(of('schedule/fine')).toMatchObject({
    ...{ health: 'held', nextRun: null, counts: { missed: 0 } },
    held: { reason: 'relaunch', until: null },
  });
});

test('what is still paused after its hold has ended names the hold', async () => {
  const { workspace, sandbox } = await applied(seedOf(['fine']), manifest(['fine']));
  workspace.env['GITHUB_ACTOR'] = 'anna';
  const until = ['--until', '2026-12-08T18:00Z', '--yes'];
  expect((await workspace.command(['hold', '--all', '--reason', 'relaunch', ...until])).exit).toBe(0);
  sandbox.advance(day / 2);
  expect((await statusOf(workspace)).of('schedule/fine')).toMatchObject({
    health: 'paused',
    sync: 'pending',
  });
  const { stdout } = await workspace.command(['status']);
  expect(stdout).toContain('the hold of anna ended at 2026-12-08 18:00 UTC');
});

test('a start that the service refuses makes a schedule fail, with its reason', async () => {
  const { workspace, sandbox } = await applied(seedOf(['fine']), manifest(['fine']));
  const schedule = sandbox.world.schedules.get(idOf('fine'));
  if (schedule !== undefined) schedule.errorMessage = 'The agent is being changed.';
  const { healths, of } = await statusOf(workspace);
  expect(healths).toEqual(['failing schedule/fine']);
  const reason = 'could not be started: The agent is being changed.';
  expect(of('schedule/fine')?.reason).toBe(reason);
  expect((await workspace.command(['status'])).stdout).toContain(reason);
});

const collections = `project: prices
groups:
  good: { name: Good, members: [a-fine] }
  bad: { name: Bad, members: [a-fine, a-failing] }
  off: { external: true, name: Off }
  never: { name: Never, members: [a-fine] }
pipelines:
  chain: { name: Chain, stages: [a-fine, a-failing] }
schedules:
  good: { target: group/good, ${timing} }
`;

/** Groups and a pipeline with runs, one of them started by a schedule that has missed a start. */
function collectionsSeed(): Seed {
  const { agents } = seedOf(['fine', 'failing']);
  const always = (agents ?? []).map((each) => ({
    ...each,
    outcomes: [each.externalAgentId === 'a-failing' ? bad : good],
  }));
  return {
    agents: always,
    groups: [
      { name: 'Good', members: ['a-fine'] },
      { name: 'Bad', members: ['a-fine', 'a-failing'] },
      { name: 'Off', members: ['a-fine'], isActive: false },
      { name: 'Never', members: ['a-fine'] },
    ],
    pipelines: [{ name: 'Chain', steps: ['a-fine', 'a-failing'] }],
    schedules: [
      {
        ...{ id: idOf('fine'), targetType: 'Group', targetId: 'Good', scheduleType: 'Cron' },
        ...{ cronExpression: '0 0 6 * * *', startTime: '2026-01-01T00:00:00' },
      },
    ],
    history: [
      { schedule: idOf('fine'), startedAt: '2026-12-06T06:00:00Z' },
      { schedule: idOf('fine'), startedAt: '2026-12-08T06:00:00Z' },
      { group: 'Bad', startedAt: '2026-12-08T07:00:00Z' },
      { pipeline: 'Chain', startedAt: '2026-12-08T08:00:00Z' },
    ],
  } as unknown as Seed;
}

test('groups and pipelines have the health of their runs, and the next start of what starts them', async () => {
  const { workspace } = await applied(collectionsSeed(), collections);
  const { healths, of } = await statusOf(workspace);
  expect(healths).toEqual([
    'failing group/bad',
    'failing pipeline/chain',
    'missed schedule/good',
    'paused group/off',
    'never-run group/never',
    'healthy group/good',
  ]);
  expect(of('group/good')).toMatchObject({
    lastRun: { state: 'succeeded', startedAt: '2026-12-08T06:00:00.000Z', records: 1200 },
    counts: { succeeded: 2, failed: 0, missed: 0 },
    nextRun: '2026-12-09T06:00:00.000Z',
  });
  expect(of('pipeline/chain')?.lastRun?.message).toBe('The source did not respond.');
  expect(of('group/off')?.sync).toBe('external');
  const { stdout } = await workspace.command(['status', 'group/bad']);
  expect(stdout).toMatch(
    /agent\/a-failing: The source did not respond\.\n {4}roster runs show [0-9a-f-]{36}\n/,
  );
  const id = /runs show (\S+)/.exec(stdout)?.[1] ?? '';
  const shown = await workspace.command(['runs', 'show', id]);
  expect([shown.exit, shown.stdout]).toEqual([0, expect.stringContaining('group/bad')]);
});

test('a list that cannot be read hides the health of what it shows, and of nothing else', async () => {
  const { workspace, sandbox } = await applied(collectionsSeed(), collections);
  sandbox.faults.faults = [{ act: 'status', method: 'GET', path: '/api/pipelines/runs', status: 500 }];
  const { healths, of } = await statusOf(workspace);
  expect(of('pipeline/chain')?.counts).toEqual({ succeeded: null, failed: null, missed: null });
  expect(healths.filter((each) => !each.endsWith('pipeline/chain'))).toEqual([
    'failing group/bad',
    'missed schedule/good',
    'paused group/off',
    'never-run group/never',
    'healthy group/good',
  ]);
  expect(of('group/good')?.counts).toEqual({ succeeded: 2, failed: 0, missed: 0 });
});

/** A project in a clone. Its commits, and the answers to its apply, have the time of the apply. */
async function appliedInGit(only: readonly string[], applyTime: string) {
  const { sandbox, workspace } = await world(
    seedOf([...only]),
    `${manifest([...only])}inventory: { git: {} }\n`,
  );
  let time = new Date(applyTime);
  const proxy = await startInterceptingProxy(sandbox.url, async (_request, pass) => ({
    ...(await pass()),
    headers: { date: time.toUTCString() },
  }));
  cleanups.push(() => proxy.close());
  workspace.env = { ...workspace.env, ROSTER_URL: proxy.url };
  initWithOrigin(workspace.root);
  expect((await workspace.command(['status', '--since', 'apply'])).exit).toBe(1);
  workspace.env = { ...workspace.env, GIT_COMMITTER_DATE: applyTime, GIT_AUTHOR_DATE: applyTime };
  const { exit, stderr } = await workspace.apply();
  expect(stderr).toBe('');
  expect(exit).toBe(0);
  time = sandbox.now();
  return workspace;
}

/** Each command runs a dozen git processes where the inventory is in git. */
const inLongRun = test.runIf(isLong);

inLongRun('with an inventory in git, starts count since roster last changed the schedule', async () => {
  const workspace = await appliedInGit(['missed', 'fresh', 'fine'], '2026-12-06T12:00:00Z');
  const { of } = await statusOf(workspace);
  expect(of('schedule/missed')?.counts.missed).toBe(1);
  expect(of('schedule/fresh')).toMatchObject({ health: 'missed', counts: { missed: 2 } });
  expect(of('schedule/fine')?.health).toBe('healthy');
});

inLongRun(
  'a failure since the last apply fails a check, and one before it is marked and does not',
  async () => {
    const old = await appliedInGit(['failing', 'fine'], '2026-12-08T05:00:00Z');
    expect((await statusOf(old, '--since', 'apply')).healths).toEqual([
      'failing schedule/failing',
      'healthy schedule/fine',
    ]);
    const recent = await appliedInGit(['failing', 'fine'], '2026-12-08T11:00:00Z');
    const { exit, healths } = await statusOf(recent, '--since', 'apply', '--check');
    expect(healths).toEqual(['unknown schedule/failing', 'unknown schedule/fine']);
    expect(exit).toBe(0);
    const text = (await recent.command(['status', '--since', 'apply'])).stdout;
    expect(text).toContain('ran 2026-12-08 06:0');
    expect(text).toContain('has not run since the last apply');
    const { stdout } = await recent.command(['status']);
    expect(stdout).toContain('The source did not respond. (before the last apply)');
  },
);

const JOBS = '/api/scraper-agents/jobs';
const jobOf = (fields: object) => ({
  ...{ agentJobHistoryId: 'b0b00000-0000-4000-8000-000000000001', agentName: 'Nobody', status: 4 },
  ...{ isTerminal: true, totalRunCount: 1, triggerSource: 'Schedule', ...fields },
});
const answer = (data: unknown) => JSON.stringify({ success: true, data });

test.each<[string, string, string]>([
  ['jobs without a status', JOBS, answer({ items: [jobOf({ status: 'bad' })], nextCursor: null })],
  ['jobs that are no list', JOBS, answer({ items: 'none', nextCursor: null })],
  ['jobs whose next page is the same', JOBS, answer({ items: [jobOf({})], nextCursor: 'again' })],
  ['jobs whose total is larger', JOBS, answer({ items: [jobOf({})], total: 7, nextCursor: null })],
  ['runs that are no list', '/api/scraper-agents/runs', answer({ items: 7 })],
])('%s make everything else than a known failure unknown, and fail a check', async (_, path, body) => {
  const only = ['fine', 'missed', 'empty'];
  const { workspace, sandbox } = await applied(seedOf(only), manifest(only));
  sandbox.faults.faults = [{ act: 'status', method: 'GET', path, status: 200, body }];
  const { json, exit, codes } = await statusOf(workspace, '--check');
  expect(json.resources.filter(({ health }) => health === 'healthy' || health === 'missed')).toEqual([]);
  expect(json.resources.map(({ counts }) => counts.missed)).toEqual([null, null, null]);
  expect(codes).toHaveLength(1);
  expect(exit).toBe(1);
  expect((await statusOf(workspace)).exit).toBe(0);
});

inLongRun('a last apply in the future is an error, because it would hide every failure', async () => {
  const workspace = await appliedInGit(['failing'], '2026-12-24T12:00:00Z');
  const { exit, stderr } = await workspace.command(['status', '--since', 'apply', '--check']);
  expect([exit, stderr]).toEqual([1, expect.stringContaining('in the future')]);
});

test('where the runs cannot be read, no schedule is said never to have run', async () => {
  const { workspace, sandbox } = await applied(seedOf(['fresh', 'fine']), manifest(['fresh', 'fine']));
  sandbox.faults.faults = [{ act: 'status', method: 'GET', path: JOBS, status: 500 }];
  expect((await statusOf(workspace)).healths).toEqual(['unknown schedule/fine', 'unknown schedule/fresh']);
});

test('a group whose own record shows a later failure than the list of its runs is failing', async () => {
  const { workspace, sandbox } = await applied(collectionsSeed(), collections);
  const group = [...sandbox.world.groups.values()].find(({ name }) => name === 'Good');
  const answered = await fetch(`${sandbox.url}/api/search-groups`, {
    headers: { 'X-Api-Key': sandbox.apiKey },
  });
  const { data } = (await answered.json()) as { data: { id: string }[] };
  const later = { lastRunStatus: 'Failed', lastRunAt: '2026-12-08T11:30:00Z' };
  const body = answer(data.map((each) => (each.id === group?.id ? { ...each, ...later } : each)));
  sandbox.faults.faults = [{ act: 'status', method: 'GET', path: '/api/search-groups', status: 200, body }];
  expect((await statusOf(workspace)).of('group/good')).toMatchObject({
    health: 'failing',
    lastRun: { state: 'failed', startedAt: '2026-12-08T11:30:00Z' },
  });
});

test.each(['Completed', 'completed', 'Succeeded'])(
  'a pipeline whose last run is %s has succeeded',
  async (word) => {
    const { workspace, sandbox } = await applied(collectionsSeed(), collections);
    const answered = await fetch(`${sandbox.url}/api/pipelines`, {
      headers: { 'X-Api-Key': sandbox.apiKey },
    });
    const { data } = (await answered.json()) as { data: object[] };
    const later = { lastRunStatus: word, lastRunAt: '2026-12-08T11:30:00Z' };
    const body = answer(data.map((each) => ({ ...each, ...later })));
    sandbox.faults.faults = [{ act: 'status', method: 'GET', path: '/api/pipelines', status: 200, body }];
    const { json } = await statusOf(workspace);
    const pipelines = json.resources.filter(({ address }) => address.startsWith('pipeline/'));
    expect(pipelines.length).toBeGreaterThan(0);
    for (const each of pipelines)
      expect(each).toMatchObject({
        health: 'healthy',
        lastRun: { state: 'succeeded', startedAt: later.lastRunAt },
      });
  },
);

test('a finished run has the times and records of its own record, where the lists leave them open', async () => {
  const { workspace, sandbox } = await applied(collectionsSeed(), collections);
  for (const address of ['group/good', 'group/never'])
    expect((await workspace.command(['run', address, '--detach'])).exit).toBe(0);
  sandbox.advance(3_600_000);
  // Runs of agents without a job: then no list tells which runs are those of a job.
  sandbox.faults.faults = [
    {
      act: 'status',
      method: 'GET',
      path: '/api/scraper-agents/runs',
      status: 200,
      body: answer({ items: [] }),
    },
  ];
  sandbox.requests.length = 0;
  const { of } = await statusOf(workspace);
  for (const address of ['group/good', 'group/never']) {
    const { lastRun } = of(address) ?? {};
    expect(lastRun).toMatchObject({ state: 'succeeded', records: 1200 });
    expect(Date.parse(lastRun?.finishedAt ?? '')).toBeGreaterThan(Date.parse(lastRun?.startedAt ?? ''));
  }
});

test('values of the environment in messages of the service are masked', async () => {
  const seed = seedOf(['failing']);
  for (const outcome of (seed.agents ?? []).flatMap(({ outcomes = [] }) => outcomes))
    if (outcome.message !== undefined) outcome.message = 'login of hunter2-user failed';
  const inputs = ', inputs: { user: "${env.SHOP_USER}" } }\n';
  const { workspace } = await world(seed, manifest(['failing']).replace(' }\n', inputs));
  workspace.env['SHOP_USER'] = 'hunter2-user';
  expect((await workspace.apply()).exit).toBe(0);
  const shown = expect.stringContaining('login of (sensitive) failed');
  for (const format of ['text', 'json', 'markdown', 'junit'])
    expect((await workspace.command(['status', '--format', format])).stdout).toEqual(shown);
  const { stdout } = await workspace.command(['runs']);
  const id = /[0-9a-f-]{36}/.exec(stdout)?.[0] ?? '';
  expect((await workspace.command(['runs', 'show', id])).stdout).toEqual(shown);
});

test('jobs of unknown agents and schedules count for no resource', async () => {
  const { workspace, sandbox } = await applied(seedOf(['fresh']), manifest(['fresh']));
  const items = [jobOf({ scheduleId: 'b0b00000-0000-4000-8000-000000000002', isTerminal: true })];
  const body = answer({ items, nextCursor: null });
  sandbox.faults.faults = [{ act: 'status', method: 'GET', path: JOBS, status: 200, body }];
  const { healths } = await statusOf(workspace);
  expect(healths).toEqual(['never-run schedule/fresh']);
});

test('a job whose run is not listed may be any start, so a gap is not called missed', async () => {
  const { workspace, sandbox } = await applied(seedOf(['fine']), manifest(['fine']));
  const body = answer({ items: [], nextCursor: null });
  sandbox.faults.faults = [
    { act: 'status', method: 'GET', path: '/api/scraper-agents/runs', status: 200, body },
  ];
  const { of } = await statusOf(workspace);
  expect(of('schedule/fine')).toMatchObject({ health: 'unknown', counts: { succeeded: 7, missed: null } });
});

test('a record count that is not a number is not shown as records', async () => {
  const { workspace, sandbox } = await applied(seedOf(['empty']), manifest(['empty']));
  const headers = { 'X-Api-Key': sandbox.apiKey };
  const { data } = (await (await fetch(`${sandbox.url}${JOBS}?pageSize=100`, { headers })).json()) as {
    data: { items: object[] };
  };
  const items = data.items.map((each) => ({ ...each, totalDataCount: -5 }));
  const body = answer({ items, nextCursor: null });
  sandbox.faults.faults = [{ act: 'status', method: 'GET', path: JOBS, status: 200, body }];
  expect((await statusOf(workspace)).healths).toEqual(['unknown schedule/empty']);
});

test.each([[5], [{ code: 'NO' }], [['NO']]])(
  'a start that failed because of %j is a failed start',
  async (errorMessage) => {
    const { workspace, sandbox } = await applied(seedOf(['fine']), manifest(['fine']));
    const headers = { 'X-Api-Key': sandbox.apiKey };
    const { data } = (await (await fetch(`${sandbox.url}/api/schedules`, { headers })).json()) as {
      data: object[];
    };
    const body = answer(data.map((each) => ({ ...each, errorMessage })));
    sandbox.faults.faults = [{ act: 'status', method: 'GET', path: '/api/schedules', status: 200, body }];
    expect((await statusOf(workspace)).healths).toEqual(['failing schedule/fine']);
  },
);

test('a run with an invalid time keeps its place in the list, and hides no failure', async () => {
  const { workspace, sandbox } = await applied(collectionsSeed(), collections);
  const good = [...sandbox.world.groups.values()].find(({ name }) => name === 'Good');
  const runs = ['run 5', '2026-12-08T06:00:00Z'].map((startedAt, index) => ({
    ...{ groupRunId: `00000000-0000-4000-8000-00000000000${index}`, groupId: good?.id },
    ...{ status: index === 0 ? 'behind' : 'completed', startedAt },
  }));
  const body = answer({ items: runs, total: 2, metrics: {} });
  const path = '/api/search-groups/runs';
  sandbox.faults.faults = [{ act: 'status', method: 'GET', path, status: 200, body }];
  expect((await statusOf(workspace)).of('group/good')?.health).toBe('failing');
});

test('the status of many schedules reads the pages of six lists', async () => {
  const count = many(300, 2_000);
  const { agents, history } = seedOf(['fine']);
  const schedules = Array.from({ length: count }, (_, index) => ({
    ...{ id: index === 0 ? idOf('fine') : `5c4ed000-0000-4000-9000-${String(index).padStart(12, '0')}` },
    ...{ targetType: 'Agent', targetId: 'a-fine', scheduleType: 'Basic', intervalValue: index + 1 },
    ...{ intervalUnit: 'Days', startTime: '2026-12-01T06:00:00' },
  }));
  const entries = schedules.map(
    (_, index) =>
      `  s${index}: { target: agent/a-fine, every: ${index + 1} days, startTime: 2026-12-01T06:00:00 }\n`,
  );
  const { workspace, sandbox } = await applied(
    { agents, history, schedules } as unknown as Seed,
    `project: prices\nlimits: { startsPerWeek: none }\nschedules:\n${entries.join('')}`,
  );
  const { json, stderr } = await statusOf(workspace);
  expect(stderr).toBe('');
  expect(json.resources).toHaveLength(count);
  const lists = sandbox.requests.map(({ path }) => path.replace(/\?.*/, ''));
  expect(lists.sort()).toEqual([
    '/api/pipelines',
    '/api/schedules',
    '/api/scraper-agents',
    '/api/scraper-agents/jobs',
    '/api/scraper-agents/runs',
    '/api/search-groups',
  ]);
});

test('Markdown and text of a status are inert, whatever the service says', async () => {
  const { workspace, sandbox } = await applied(seedOf(['fine']), manifest(['fine']));
  const schedule = sandbox.world.schedules.get(idOf('fine'));
  const hostile = '@everyone | <img src=x> #1 ```\u001b[31m\n| a | b |';
  if (schedule !== undefined) schedule.errorMessage = hostile;
  const { stdout } = await workspace.command(['status', '--format', 'markdown']);
  const rows = stdout.split('\n').filter((line) => line.startsWith('|'));
  expect(rows).toHaveLength(3);
  expectInertMarkdown(stdout, 'https://example.com/');
  expect(danger(stdout)).toBeNull();
  const cells = rows.map((row) => row.split('|').length);
  expect(new Set(cells).size).toBe(1);
  const text = (await workspace.command(['status'])).stdout;
  expect(text).not.toContain('\u001b');
});
