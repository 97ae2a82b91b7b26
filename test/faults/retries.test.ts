import { afterEach, describe, expect, vi } from 'vitest';
import type { Fault, RecordedRequest } from '../../src/sandbox/index.js';
import { experiments } from './support/experiments.js';
import { type Fixture, requestsOf, withFixture } from './support/fixture.js';
import { scenario } from './support/scenarios.js';

/** I18: retries are few, jittered, in one layer, and never earlier than the service asks for. */

afterEach(() => vi.restoreAllMocks());

const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

/** The same numbers for the same seed (a linear congruential generator). */
function seedRandom(seed: number): void {
  let state = seed * 2_654_435_761;
  vi.spyOn(Math, 'random').mockImplementation(() => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
    return state / 2 ** 32;
  });
}

/** Records the requested waits, in milliseconds, without waiting. */
function recordSleeps(fixture: Fixture): number[] {
  const sleeps: number[] = [];
  fixture.workspace.sleep = async (milliseconds) => {
    sleeps.push(milliseconds);
  };
  return sleeps;
}

const isWrite = ({ method, path }: RecordedRequest) =>
  method !== 'GET' && !path.startsWith('/api/schedules/preview');

/** How often each request was sent: two with the same method, path and body are the same request. */
function attempts(requests: readonly RecordedRequest[]): { most: number; extra: number; requests: number } {
  const counts = new Map<string, number>();
  for (const { method, path, body } of requests) {
    const request = `${method} ${path} ${JSON.stringify(body)}`;
    counts.set(request, (counts.get(request) ?? 0) + 1);
  }
  return {
    most: Math.max(0, ...counts.values()),
    extra: requests.length - counts.size,
    requests: counts.size,
  };
}

/** Limits the retries of a run; only the `failing` requests may have been repeated. */
function expectFew(
  all: readonly RecordedRequest[],
  failing: readonly RecordedRequest[],
  mostAttempts: number,
): void {
  const { most, extra } = attempts(failing);
  expect(most).toBeLessThanOrEqual(mostAttempts);
  expect(extra).toBeLessThanOrEqual(Math.max(10, (all.length - extra) / 5));
}

/** Short only for faults without a response: otherwise a slow machine would fail. */
const timeoutFor = ({ act }: Fault) => (act.startsWith('hang') ? { timeout: '150ms' } : {});

/** Differs from the local clock: dates in Retry-After are relative to the `Date` of the same response. */
const date = 'Tue, 01 Dec 2026 06:00:00 GMT';
const retryAfter: Readonly<Record<string, number | null>> = {
  '0': 0,
  '2': 2_000,
  '59': 59_000,
  '61': 61_000,
  '86400': 86_400_000,
  'Tue, 01 Dec 2026 06:00:20 GMT': 20_000,
  'Tue, 01 Dec 2026 08:00:00 GMT': 7_200_000,
  'Mon, 30 Nov 2026 06:00:00 GMT': 0,
  '-1': null,
  '1e309': null,
  '0x10': null,
  // What roster reads as twenty days.
  '99999999999999999999': 20 * 86_400_000,
  x: null,
  '': null,
};

/** A longer Retry-After is not waited for. */
const LONGEST_WAIT_MS = 60_000;

/** A 429 is not one of them: it is waited out (rate-limits.test.ts). */
const transient = [500, 502, 503, 504, 408];
const final = [400, 402, 403, 404, 405, 409, 410, 413, 418, 422, 451, 501];
const broken: readonly Fault[] = [{ act: 'drop' }, { act: 'cut' }, { act: 'hang' }];

describe('reads', () => {
  const failures: readonly Fault[] = [
    ...broken,
    ...transient.map((status): Fault => ({ act: 'status', status })),
  ];
  experiments(
    'I18',
    'retry: a read that keeps failing is sent three times, and a run retries at most a fifth of its requests, or ten',
    failures.flatMap((fault) =>
      [undefined, '/api/search-groups', '/api/search-groups/*', '/api/pipelines/*'].flatMap((path) =>
        upTo(5).map((seed) => ({ fault: path === undefined ? fault : { ...fault, path }, seed })),
      ),
    ),
    ({ fault, seed }) =>
      withFixture(
        scenario('S6'),
        async (fixture) => {
          seedRandom(seed);
          const sleeps = recordSleeps(fixture);
          fixture.inject({ ...fault, method: 'GET' });
          const ran = await fixture.workspace.plan(timeoutFor(fault));
          expect([ran.exit, fixture.writes()]).toEqual([1, []]);
          const reads = fixture.sandbox.requests.filter((each) => !isWrite(each));
          expectFew(fixture.sandbox.requests, reads, 3);
          // Some still wait when the first one fails permanently, which ends the run.
          expect(sleeps.length).toBeGreaterThanOrEqual(attempts(reads).extra);
          // Full jitter: anywhere below a bound that doubles.
          for (const each of sleeps) expect(each).toBeLessThan(400);
          expect(new Set(sleeps).size).toBeGreaterThan(1);
        },
        { variants: ['items-without-members'] },
      ),
  );

  experiments(
    'I18',
    'retry: it is never earlier than Retry-After, and there is none if that is too long',
    transient.flatMap((status) => Object.keys(retryAfter).map((header) => ({ status, header }))),
    ({ status, header }) =>
      withFixture(scenario('S3'), async (fixture) => {
        const sleeps = recordSleeps(fixture);
        fixture.inject({
          act: 'status',
          status,
          path: '/api/search-groups',
          headers: { 'Retry-After': header, Date: date },
        });
        const { exit, stderr } = await fixture.workspace.plan();
        const wait = retryAfter[header] ?? 0;
        const sent = fixture.sandbox.requests.filter(({ path }) => path === '/api/search-groups').length;
        expect([exit, fixture.writes(), sent]).toEqual([1, [], wait > LONGEST_WAIT_MS ? 1 : 3]);
        expect(sleeps).toHaveLength(sent - 1);
        for (const each of sleeps) expect(each).toBeGreaterThanOrEqual(wait);
        const period = wait > 86_400_000 ? 'more than a day' : `${wait / 1000} s`;
        const asks = `asks to wait ${period}, which is too long`;
        if (wait > LONGEST_WAIT_MS) expect(stderr.replace(/\s+/g, ' ')).toContain(asks);
      }),
  );

  experiments(
    'I18',
    'retry: a permanent refusal is not retried',
    final.flatMap((status) =>
      ['/api/agents', '/api/search-groups', '/api/pipelines', '/api/schedules', '/api/api-keys'].map(
        (path) => ({ status, path }),
      ),
    ),
    ({ status, path }) =>
      withFixture(scenario('S3'), async (fixture) => {
        const sleeps = recordSleeps(fixture);
        fixture.inject({ act: 'status', status, path, headers: { 'Retry-After': '0' } });
        await fixture.workspace.plan();
        expect([attempts(fixture.sandbox.requests).extra, sleeps, fixture.writes()]).toEqual([0, [], []]);
      }),
  );
});

describe('writes', () => {
  const methods = ['POST', 'PUT', 'DELETE'];
  const failing: readonly Fault[] = [
    ...broken,
    { act: 'lose' },
    ...[...transient, ...final].map((status): Fault => ({ act: 'status', status })),
    // A 4xx means that the request had no effect.
    ...[...transient, ...final]
      .filter((status) => status >= 500 || status === 408)
      .map((status): Fault => ({ act: 'status-after', status })),
  ];
  /** A temporary refusal. */
  const isTransient = ({ status }: Fault) => status === undefined || transient.includes(status);
  const mayRepeat = (method: string, path: string) => method !== 'POST' || /bulk|activate/.test(path);

  experiments(
    'I18',
    'retry: a write that keeps failing is sent three times if it is safe to repeat, otherwise once',
    failing.flatMap((fault) =>
      methods.flatMap((method) =>
        ['S1', 'S3', 'S5', 'S6'].map((name) => ({ name, fault: { ...fault, method } })),
      ),
    ),
    ({ name, fault }) =>
      withFixture(scenario(name), async (fixture) => {
        recordSleeps(fixture);
        fixture.inject(
          ...['/api/search-groups*', '/api/pipelines*', '/api/schedules', '/api/schedules/*'].map((path) => ({
            ...fault,
            path,
          })),
        );
        const ran = await fixture.apply({ ...timeoutFor(fault), concurrency: '40' });
        const writes = fixture.sandbox.requests.filter(isWrite);
        const hit = writes.filter(({ method }) => method === fault.method);
        expectFew(fixture.sandbox.requests, writes, isTransient(fault) ? 3 : 1);
        const creates = hit.filter(({ method, path }) => !mayRepeat(method, path));
        expect(attempts(creates).extra).toBe(0);
        // A schedule that the preview refuses is found before the first write.
        expect(ran.exit).toBeOneOf(writes.length === 0 ? [0, 1] : [0, 3]);
        // A run succeeds only if it has converged.
        if (ran.exit === 0) await fixture.expectDesired();
        fixture.inject();
        await fixture.apply();
        await fixture.expectDesired();
      }),
  );
});

describe('revoked keys', async () => {
  const runs = await Promise.all(
    ['S1', 'S3', 'S5'].map(async (name) =>
      upTo(await requestsOf(scenario(name))).map((nth) => ({ name, nth })),
    ),
  );
  const namesIn = ({ sandbox: { world } }: Fixture) =>
    new Set([...world.groups.values(), ...world.pipelines.values()].map((each) => each.name));

  experiments(
    'I18',
    'retry: after a 401 no request follows, and the report says what was done and what was not',
    runs.flat().flatMap((each) => [1, 10].map((concurrency) => ({ ...each, concurrency }))),
    ({ name, nth, concurrency }) =>
      withFixture(scenario(name), async (fixture) => {
        const { sandbox } = fixture;
        let count = 0;
        sandbox.faults.intercept = async (_, next) => {
          await next();
          count += 1;
          if (count === nth) for (const each of sandbox.world.keys.values()) each.isRevoked = true;
        };
        const ran = await fixture.workspace.applyJson({ concurrency: String(concurrency) });
        const { requests } = sandbox;
        const refused = requests.filter(({ status }) => status === 401);
        if (refused.length === 0) {
          expect(ran.exit).toBe(0);
          return;
        }
        // Requests in flight at that moment may fail, too.
        expect(refused.length).toBeLessThanOrEqual(concurrency);
        // The first step may be a read: what it deletes is looked at once more.
        const began = requests.some((each) => isWrite(each)) || 'changes' in ran;
        expect([ran.exit, ran.stdout]).toEqual([began ? 3 : 1, expect.stringContaining('401')]);
        if (began) {
          const there = namesIn(fixture);
          for (const change of ran.changes.filter(({ kind }) => kind !== 'schedule')) {
            const key = change.address.replace(/^.*\//, '');
            if (change.action === 'create')
              expect([key, change.outcome === 'done' || change.id !== null]).toEqual([key, there.has(key)]);
            if (change.action === 'delete')
              expect([key, change.outcome !== 'done']).toEqual([key, there.has(key)]);
            if (change.outcome !== 'done') expect(change.error).toBeTruthy();
          }
          expect(ran.converged).toBe(false);
        }
        sandbox.faults.intercept = null;
        for (const each of sandbox.world.keys.values()) each.isRevoked = false;
        expect((await fixture.apply()).exit).toBe(0);
        await fixture.expectDesired();
      }),
  );
});
