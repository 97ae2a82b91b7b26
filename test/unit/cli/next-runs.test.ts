import { afterEach, describe, expect, test } from 'vitest';
import type { Sandbox } from '../../../src/sandbox/index.js';
import type { PlanJson } from '../../../src/view/json/plan-json.js';
import { Workspace } from '../../support/roster.js';
import { startSandbox, type Variant } from '../../support/sandbox.js';

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup();
});

const daily = {
  target: 'agent/acme-shop',
  every: '1 day',
  startTime: '2099-12-01T06:00:00',
  timeZone: 'Europe/Berlin',
};

async function arrange(schedules: object, variants: Variant[] = []) {
  const sandbox = await startSandbox({ variants });
  const workspace = new Workspace({}, sandbox);
  declare(workspace, schedules);
  return { sandbox, workspace };
}

function declare(workspace: Workspace, schedules: object, rest: object = {}): void {
  workspace.write('roster.yaml', JSON.stringify({ project: 'n', ...rest, schedules }));
}

/** Applies, then declares something else and counts from there. */
async function then(workspace: Workspace, sandbox: Sandbox, schedules: object): Promise<void> {
  expect((await workspace.apply()).exit).toBe(0);
  declare(workspace, schedules);
  sandbox.requests.length = 0;
}

const previews = (sandbox: Sandbox) =>
  sandbox.requests.filter(({ path }) => path.startsWith('/api/schedules/preview')).length;
const only = ({ changes: [change] }: PlanJson) => change?.nextRuns ?? null;
const utc = (plan: PlanJson, side: 'before' | 'after') => only(plan)?.[side]?.map((run) => run.utc);

describe('the next runs in a plan', () => {
  test('of a new schedule are the five that the service lists, in its time zone and in UTC', async () => {
    const { sandbox, workspace } = await arrange({ s: daily });
    const runs = only(await workspace.planJson());
    expect(runs).toMatchObject({ before: null, by: 'service', timeZone: 'Europe/Berlin' });
    expect(runs?.after).toHaveLength(5);
    expect(runs?.after?.[0]).toEqual({ local: '2099-12-01T06:00:00', utc: '2099-12-01T05:00:00Z' });
    expect(previews(sandbox)).toBe(1);
  });

  test.each<[string, Variant]>([
    ['does not know how', 'preview-unavailable'],
    ['names few', 'preview-short'],
    ['writes them otherwise', 'preview-objects'],
  ])('are the same where the service %s', async (_, variant) => {
    const { workspace } = await arrange({ s: daily }, [variant]);
    const plan = await workspace.planJson();
    expect(utc(plan, 'after')?.slice(0, 3)).toEqual([1, 2, 3].map((day) => `2099-12-0${day}T05:00:00Z`));
    expect(only(plan)?.by).toBe(variant === 'preview-unavailable' ? 'roster' : 'service');
  });

  test.each<[string, Variant, number]>([
    ['an hour later', 'preview-an-hour-late', 5],
    ['each twice', 'preview-doubled', 5],
    ['never', 'preview-never', 0],
  ])('are shown next to the computed ones where the service says %s', async (_, variant, listed) => {
    const { workspace } = await arrange({ s: daily }, [variant]);
    const plan = await workspace.planJson();
    expect(only(plan)?.after).toHaveLength(listed);
    expect(only(plan)?.computed?.[0]).toEqual({ local: '2099-12-01T06:00:00', utc: '2099-12-01T05:00:00Z' });
    expect(plan.diagnostics.map(({ severity, code }) => [severity, code])).toEqual([
      ['warning', 'preview-differs'],
    ]);
    const { stdout } = await workspace.plan();
    expect(stdout).toContain('roster computes different times:');
  });

  test.each(['* * * * * *', '0 */15 * * * *', '0 30 2 L * ?'])(
    'of the running schedule "%s" are not reported as different because time passes',
    async (cron) => {
      const started = { target: 'agent/acme-shop', cron, startTime: '2026-01-01T00:00:00' };
      const { workspace } = await arrange({ s: started });
      const plan = await workspace.planJson();
      expect(only(plan)).toMatchObject({ by: 'service', computed: null });
    },
  );

  test('are requested with an agent in place of a group that does not exist yet', async () => {
    const { sandbox, workspace } = await arrange({});
    const groups = { g: { members: ['acme-shop'] } };
    declare(workspace, { s: { ...daily, target: 'group/g', inputs: { country: 'DE' } } }, { groups });
    const plan = await workspace.planJson();
    expect(plan.changes[1]?.nextRuns?.by).toBe('service');
    expect(previews(sandbox)).toBe(1);
  });

  test('at new times are shown next to the previous ones', async () => {
    const { sandbox, workspace } = await arrange({ s: daily });
    await then(workspace, sandbox, { s: { ...daily, timeZone: 'UTC' } });
    const plan = await workspace.planJson();
    expect(utc(plan, 'before')?.[0]).toBe('2099-12-01T05:00:00Z');
    expect(utc(plan, 'after')?.[0]).toBe('2099-12-01T06:00:00Z');
    expect(previews(sandbox)).toBe(2);
  });

  test('are requested once when other fields change', async () => {
    const { sandbox, workspace } = await arrange({ s: daily });
    await then(workspace, sandbox, { s: { ...daily, inputs: { country: 'DE' } } });
    const plan = await workspace.planJson();
    expect(utc(plan, 'before')).toEqual(utc(plan, 'after'));
    expect(previews(sandbox)).toBe(1);
  });

  test('of a paused schedule are empty', async () => {
    const { sandbox, workspace } = await arrange({ s: daily });
    await then(workspace, sandbox, { s: { ...daily, enabled: false } });
    const plan = await workspace.planJson();
    expect(utc(plan, 'before')).toHaveLength(5);
    expect(utc(plan, 'after')).toEqual([]);
  });

  test('are not requested when nothing changes, nor in the read-back after an apply', async () => {
    const { sandbox, workspace } = await arrange({ s: daily });
    await workspace.apply();
    expect(previews(sandbox)).toBe(1);
    await workspace.plan();
    expect(previews(sandbox)).toBe(1);
  });

  test('are requested for a hundred schedules, and computed for the rest', async () => {
    const many = Array.from({ length: 103 }, (_, i) => [`s${i}`, { ...daily, every: `${i + 1} days` }]);
    const { sandbox, workspace } = await arrange(Object.fromEntries(many));
    const { changes } = await workspace.planJson();
    expect(previews(sandbox)).toBe(100);
    expect(changes.filter((each) => each.nextRuns?.by === 'roster')).toHaveLength(3);
    expect(changes.every((each) => each.nextRuns?.after?.length === 5)).toBe(true);
  });

  test('are no longer requested when the first answers of a service have none', async () => {
    const many = Array.from({ length: 60 }, (_, i) => [`s${i}`, { ...daily, every: `${i + 1} days` }]);
    const { sandbox, workspace } = await arrange(Object.fromEntries(many), ['preview-unavailable']);
    const { changes } = await workspace.planJson({ concurrency: '4' });
    expect(previews(sandbox)).toBeLessThan(9);
    expect(changes.every((each) => each.nextRuns?.by === 'roster')).toBe(true);
  });

  test('do not change the digest', async () => {
    const { sandbox, workspace } = await arrange({ s: daily });
    sandbox.faults.faults = [{ act: 'status', path: '/api/schedules/preview', status: 404 }];
    const computed = await workspace.planJson();
    sandbox.faults.faults = [];
    const asked = await workspace.planJson();
    expect([only(computed)?.by, only(asked)?.by]).toEqual(['roster', 'service']);
    expect(asked.digest).toBe(computed.digest);
  });
});

describe('what the preview rejects', () => {
  const often = { ...daily, every: '1 minute' };

  test('is reported as an error at its entry, before anything is changed', async () => {
    const { sandbox, workspace } = await arrange({ s: often, t: daily }, ['frequent-refused']);
    for (const ran of [await workspace.planJson(), await workspace.applyJson()]) {
      expect([ran.exit, ran.changes]).toEqual([1, undefined]);
      expect(ran.diagnostics).toMatchObject([
        { code: 'too-frequent', severity: 'warning' },
        { code: 'rejected-by-preview', file: 'roster.yaml', line: 1, column: 29 },
      ]);
      expect(ran.diagnostics[1]?.message).toContain('at most once every 5 minutes');
    }
    expect(sandbox.world.schedules.size).toBe(0);
  });

  test('is not reported for the existing schedule', async () => {
    const { sandbox, workspace } = await arrange({ s: often });
    await then(workspace, sandbox, { s: daily });
    const refusing = await startSandbox({ variants: ['frequent-refused'] });
    cleanups.push(() => refusing.close());
    for (const [id, each] of sandbox.world.schedules) refusing.world.schedules.set(id, each);
    workspace.env['ROSTER_URL'] = refusing.url;
    const plan = await workspace.planJson({ allowAccountChange: true });
    expect([plan.exit, utc(plan, 'before')?.length]).toEqual([0, 5]);
  });
});
