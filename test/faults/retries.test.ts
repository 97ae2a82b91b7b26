import { afterEach, describe, expect, vi } from 'vitest';
import type { Fault, RecordedRequest } from '../../src/sandbox/index.js';
import { experiments } from './support/experiments.js';
import { type Fixture, requestsOf, withFixture } from './support/fixture.js';
import { scenario } from './support/scenarios.js';

/** I18: retries are few, jittered, at one layer, and never earlier than the service asked for. */

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

/** The waits that are asked for, in milliseconds; none takes any time. */
function recordSleeps(fixture: Fixture): number[] {
  const sleeps: number[] = [];
  fixture.workspace.sleep = async (milliseconds) => {
    sleeps.push(milliseconds);
  };
  return sleeps;
}

const isWrite = ({ method, path }: RecordedRequest) =>
  method !== 'GET' && !path.startsWith('/api/schedules/preview');

/** How often each was sent: what has the same method, path and body is the same request. */
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

/** Of all requests of a run; those that are `failing` are the ones that may have been sent again. */
function expectFew(
  all: readonly RecordedRequest[],
  failing: readonly RecordedRequest[],
  mostAttempts: number,
): void {
  const { most, extra } = attempts(failing);
  expect(most).toBeLessThanOrEqual(mostAttempts);
  expect(extra).toBeLessThanOrEqual(Math.max(10, (all.length - extra) / 5));
}

/** Short only where nothing is answered: a machine under load would look as broken. */
const patient = ({ act }: Fault) => (act.startsWith('hang') ? { timeout: '150ms' } : {});

/** Of an hour whose clock is not ours: dates are measured by the `Date` of the same answer. */
const date = 'Tue, 01 Dec 2026 06:00:00 GMT';
const told: Readonly<Record<string, number | null>> = {
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
  '99999999999999999999': null,
  x: null,
  '': null,
};

/** Nobody waits longer than this in silence. */
const patience = 60_000;

const transient = [500, 502, 503, 504, 429, 408];
const final = [400, 402, 403, 404, 405, 409, 410, 413, 418, 422, 451, 501];
const broken: readonly Fault[] = [{ act: 'drop' }, { act: 'cut' }, { act: 'hang' }];

describe('reads', () => {
  const failures: readonly Fault[] = [
    ...broken,
    ...transient.map((status): Fault => ({ act: 'status', status })),
  ];
  experiments(
    'I18',
    'a read that keeps failing is sent three times, and retries of a run are a fifth or ten',
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
          const ran = await fixture.workspace.plan(patient(fault));
          expect([ran.exit, fixture.writes()]).toEqual([1, []]);
          const reads = fixture.sandbox.requests.filter((each) => !isWrite(each));
          expectFew(fixture.sandbox.requests, reads, 3);
          // Some still wait when the first has failed for good, which ends the run.
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
    'never earlier than the service asked for, and not at all when that is too long',
    transient.flatMap((status) => Object.keys(told).map((header) => ({ status, header }))),
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
        const wait = told[header] ?? 0;
        const sent = fixture.sandbox.requests.filter(({ path }) => path === '/api/search-groups').length;
        expect([exit, fixture.writes(), sent]).toEqual([1, [], wait > patience ? 1 : 3]);
        expect(sleeps).toHaveLength(sent - 1);
        for (const each of sleeps) expect(each).toBeGreaterThanOrEqual(wait);
        const asks = `asks to wait ${wait / 1000} s, which is too long`;
        if (wait > patience) expect(stderr.replace(/\s+/g, ' ')).toContain(asks);
      }),
  );

  experiments(
    'I18',
    'what is refused for good is not asked again',
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
    // A 4xx says that nothing was done, and is believed.
    ...[...transient, ...final]
      .filter((status) => status >= 500 || status === 408)
      .map((status): Fault => ({ act: 'status-after', status })),
  ];
  /** Not taken by the service, which asks to come back: a create may be sent again then, too (429). */
  const isPassing = ({ status }: Fault) => status === undefined || transient.includes(status);
  const mayRepeat = (method: string, path: string) => method !== 'POST' || /bulk|activate/.test(path);

  experiments(
    'I18',
    'a write that keeps failing is sent three times if it may be repeated, else once',
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
        const ran = await fixture.apply({ ...patient(fault), concurrency: '40' });
        const writes = fixture.sandbox.requests.filter(isWrite);
        const hit = writes.filter(({ method }) => method === fault.method);
        expectFew(fixture.sandbox.requests, writes, isPassing(fault) ? 3 : 1);
        const creates = hit.filter(({ method, path }) => !mayRepeat(method, path));
        if (fault.status !== 429) expect(attempts(creates).extra).toBe(0);
        // What the preview refuses is found before anything is written.
        expect(ran.exit).toBeOneOf(writes.length === 0 ? [0, 1] : [0, 3]);
        // The oracle: success is said where all is as it was wanted, and nowhere else.
        if (ran.exit === 0) await fixture.expectDesired();
        fixture.inject();
        await fixture.apply();
        await fixture.expectDesired();
      }),
  );
});

describe('a key that stops working', async () => {
  const runs = await Promise.all(
    ['S1', 'S3', 'S5'].map(async (name) =>
      upTo(await requestsOf(scenario(name))).map((nth) => ({ name, nth })),
    ),
  );
  const namesIn = ({ sandbox: { world } }: Fixture) =>
    new Set([...world.groups.values(), ...world.pipelines.values()].map((each) => each.name));

  experiments(
    'I18',
    'after a 401 nothing more is asked, and the report says what was done and what was not',
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
        // What is in flight at that moment ends as it ends.
        expect(refused.length).toBeLessThanOrEqual(concurrency);
        const began = requests.some((each) => isWrite(each));
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
