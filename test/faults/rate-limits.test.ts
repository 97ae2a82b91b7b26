import { expect, test } from 'vitest';
import type { Fault } from '../../src/sandbox/index.js';
import { startLimited } from '../support/rate-limit-proxy.js';
import { Workspace } from '../support/roster.js';
import { startSandbox } from '../support/sandbox.js';
import { experiments } from './support/experiments.js';
import { withFixture } from './support/fixture.js';
import { scenario } from './support/scenarios.js';

/** I18: a 429 is waited out by the whole client, within the deadline of the run. */

const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1);
const groups = upTo(40).map((n) => `  g${n}: { members: [acme-shop] }`);
const manifest = `project: limits\ngroups:\n${groups.join('\n')}\n`;

const limits = [
  { perSecond: 200, retryAfter: null },
  { perSecond: 50, retryAfter: null },
  { perSecond: 20, retryAfter: null },
  { perSecond: 200, retryAfter: '1' },
  { perSecond: 50, retryAfter: '0' },
];

experiments(
  'I18',
  'rate limit: 40 creates behind a limit are all done in one apply, each once, and then there are no changes',
  limits,
  async (limit) => {
    const sandbox = await startSandbox();
    const limited = await startLimited(sandbox.url, limit);
    const { url } = limited;
    const workspace = new Workspace({ 'roster.yaml': manifest }, { url, apiKey: sandbox.apiKey });
    try {
      const { exit, summary } = await workspace.applyJson();
      expect([exit, summary.create, limited.refused.length > 0]).toEqual([0, 40, true]);
      expect(limited.passed.filter((each) => each === 'POST /api/search-groups')).toHaveLength(40);
      expect([...sandbox.world.groups.values()].filter(({ name }) => /^g\d+$/.test(name))).toHaveLength(40);
      expect((await workspace.plan({ detailedExitcode: true })).exit).toBe(0);
    } finally {
      await limited.close();
      await sandbox.close();
    }
  },
  3,
);

/** From the nth matching request on, the service takes none. */
const endless = (nth: number, fault: Partial<Fault>): Fault => ({
  act: 'status',
  status: 429,
  nth: Array.from({ length: 5_000 }, (_, index) => nth + index),
  ...fault,
});

test('rate limit: a limit that is never lifted ends the plan at the deadline, with a hint', async () => {
  await withFixture(scenario('S1'), async (fixture) => {
    fixture.inject(endless(1, {}));
    const { exit, stdout, stderr } = await fixture.workspace.plan({ deadline: '10m' });
    expect([exit, stdout, fixture.writes()]).toEqual([1, '', []]);
    const text = stderr.replace(/\s+/g, ' ');
    expect(text).toMatch(/returned 429; the service limits requests, and waiting \d+ s would exceed/);
    expect(text).toContain('the deadline of 10 min');
    expect(text).toContain('--deadline');
    // One request at a time, after pauses that grow: 10 min are not thousands of requests.
    expect(fixture.sandbox.requests.length).toBeLessThan(120);
  });
});

experiments(
  'I18',
  'rate limit: when a limit that never ends begins at a write, the report says what was done and what was not tried',
  [1, 2, 3, 4].flatMap((nth) => [1, 10].map((concurrency) => ({ nth, concurrency }))),
  ({ nth, concurrency }) =>
    withFixture(scenario('S1'), async (fixture) => {
      fixture.inject(
        endless(nth, { method: 'POST', path: '/api/search-groups' }),
        endless(nth, { method: 'POST', path: '/api/pipelines' }),
        endless(nth, { method: 'POST', path: '/api/schedules' }),
      );
      const report = await fixture.workspace.applyJson({ concurrency: String(concurrency) });
      const acting = report.changes.filter(({ outcome }) => outcome !== undefined);
      expect([report.exit, report.converged]).toEqual([3, false]);
      for (const { outcome, error } of acting) {
        expect(outcome).toBeOneOf(['done', 'failed', 'skipped']);
        if (outcome === 'failed') expect(error).toMatch(/returned 429|started but not finished/);
        if (outcome === 'failed') expect(error).toMatch(/the deadline of (30 min|this command)/);
      }
      expect(acting.some(({ outcome }) => outcome === 'skipped')).toBe(true);
      fixture.inject();
      expect((await fixture.apply()).exit).toBe(0);
      await fixture.expectDesired();
    }),
  3,
);
