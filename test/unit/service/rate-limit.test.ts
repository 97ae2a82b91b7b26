import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { ServiceFailure } from '../../../src/service/failure.js';
import { createQueue } from '../../../src/service/queue.js';
import { RateLimiter, type RateLimitSettings } from '../../../src/service/rate-limit.js';

/** All times here are simulated: `performance` shows what the limiter has waited for. */
beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }));
afterEach(() => void vi.useRealTimers());

const get = (path: string) => ({ subject: `GET ${path}`, isWrite: false });
const put = (path: string) => ({ subject: `PUT ${path}`, isWrite: true });
const later = (ms: number) => new Promise<void>((done) => setTimeout(done, ms));

function limiter(given: Partial<RateLimitSettings> = {}) {
  const pauses: number[] = [];
  const settings = {
    deadlineMs: 30 * 60_000,
    random: () => 0.5,
    sleep: later,
    onPause: (ms: number) => void pauses.push(ms),
    signal: undefined,
    ...given,
  };
  return { limiter: new RateLimiter(settings), pauses };
}

function refusal(retryAfterMs: number | null = null): ServiceFailure {
  const message = 'GET /x returned 429';
  const code = 'service-error';
  return new ServiceFailure({
    code,
    message,
    status: 429,
    certainty: 'refused',
    transient: true,
    retryAfterMs,
  });
}

/** Whether a request at this time is taken. */
type Limit = (now: number) => boolean;

/** As nginx does it: a bucket that leaks at a rate, and holds `burst` more than one. A refusal takes nothing. */
function leakyBucket(perSecond: number, burst = 0): Limit {
  let excess = -1;
  let last = 0;
  return (now) => {
    const next = Math.max(0, excess - ((now - last) / 1000) * perSecond + 1);
    if (excess >= 0 && next > burst) return false;
    excess = excess < 0 ? 0 : next;
    last = now;
    return true;
  };
}

/** So many in each window: a refusal counts for nothing, and only waiting helps. */
function window(size: number, ms: number): Limit {
  let [current, used] = [-1, 0];
  return (now) => {
    const at = Math.floor(now / ms);
    if (at !== current) [current, used] = [at, 0];
    used += 1;
    return used <= size;
  };
}

/** Sends `count` requests, ten at once, each of which takes 5 ms. */
async function send(count: number, limit: Limit, retryAfterMs: number | null = null, given = limiter()) {
  const queue = createQueue(10);
  const [taken, seen] = [new Map<number, number>(), { refused: 0, attempts: 0 }];
  const began = performance.now();
  const one = async (id: number) => {
    seen.attempts += 1;
    await later(5);
    if (!limit(performance.now())) {
      seen.refused += 1;
      throw refusal(retryAfterMs);
    }
    taken.set(id, (taken.get(id) ?? 0) + 1);
  };
  const all = Array.from({ length: count }, (_, id) =>
    queue.run(() => given.limiter.run(get('/x'), () => one(id))),
  );
  const ended = Promise.allSettled(all);
  await vi.runAllTimersAsync();
  const failures = (await ended).flatMap((each) => (each.status === 'rejected' ? [each.reason] : []));
  return { ...seen, taken, failures, ms: performance.now() - began, pauses: given.pauses };
}

describe('a rate limit', () => {
  test.each([
    { perSecond: 2, burst: 0, retryAfterMs: null },
    { perSecond: 5, burst: 0, retryAfterMs: null },
    { perSecond: 50, burst: 0, retryAfterMs: null },
    { perSecond: 2, burst: 10, retryAfterMs: null },
    { perSecond: 5, burst: 20, retryAfterMs: null },
    { perSecond: 50, burst: 20, retryAfterMs: null },
    { perSecond: 2, burst: 0, retryAfterMs: 1_000 },
    { perSecond: 5, burst: 0, retryAfterMs: 1_000 },
    { perSecond: 50, burst: 0, retryAfterMs: 1_000 },
  ])(
    'of $perSecond a second and a burst of $burst (Retry-After: $retryAfterMs) is met: each request is taken once, in less than twice the time that it takes at best',
    async ({ perSecond, burst, retryAfterMs }) => {
      const count = 100;
      const best = ((count - 1 - burst) / perSecond) * 1000;
      const { taken, failures, ms, refused } = await send(count, leakyBucket(perSecond, burst), retryAfterMs);
      expect([failures, taken.size, [...taken.values()].every((times) => times === 1)]).toEqual([
        [],
        count,
        true,
      ]);
      // The start costs a second or two: the limit has to be found first.
      expect(ms).toBeLessThan(2 * best + 2_000);
      expect(refused).toBeLessThan(count / 2);
    },
  );

  test.each([null, 20_000])('by the minute is waited for (Retry-After: %s)', async (retryAfterMs) => {
    const { failures, taken, ms, refused } = await send(150, window(60, 60_000), retryAfterMs);
    expect([failures, taken.size]).toEqual([[], 150]);
    expect(ms).toBeLessThan(150_000);
    expect(refused).toBeLessThan(60);
  });

  test('that no request meets slows nothing down', async () => {
    const { ms, attempts, pauses } = await send(100, () => true);
    expect([ms, attempts, pauses]).toEqual([50, 100, []]);
  });
});

test('while the service refuses everything, one request at a time probes, after pauses that grow up to ten seconds', async () => {
  const given = limiter({ random: () => 0 });
  const { attempts, failures, pauses } = await send(40, () => false, null, given);
  expect(failures).toHaveLength(40);
  const few = pauses.slice(0, 19).map((ms) => Math.round(ms));
  expect(few).toEqual([
    ...[40, 56, 78, 110, 154, 215, 301, 422, 590, 826, 1157, 1620, 2268, 3175, 4445, 6223, 8712],
    ...[10_000, 10_000],
  ]);
  // Ten at the start, then one for each pause within half an hour.
  expect(attempts).toBe(10 + pauses.length);
  expect(attempts).toBeLessThan(210);
});

test('all requests wait for the Retry-After that one of them got', async () => {
  const { limiter: shared } = limiter();
  const starts: number[] = [];
  const first = shared.run(get('/a'), async () => {
    starts.push(performance.now());
    if (starts.length === 1) throw refusal(7_000);
  });
  await vi.advanceTimersByTimeAsync(1);
  const second = shared.run(get('/b'), async () => void starts.push(performance.now()));
  await vi.runAllTimersAsync();
  await Promise.all([first, second]);
  const [began = 0, ...others] = starts;
  expect(others).toHaveLength(2);
  for (const each of others) expect(each - began).toBeGreaterThanOrEqual(7_000);
});

test('a read that the run can do without does not wait for a limit, and a refusal of it stops no other request', async () => {
  const { limiter: shared, pauses } = limiter();
  const began = performance.now();
  const optional = { ...get('/preview'), isOptional: true };
  const late = () => Promise.reject(refusal(3_600_000));
  await expect(shared.run(optional, late)).rejects.toMatchObject({
    facts: { status: 429, transient: false },
  });
  expect(await shared.run(put('/a'), async () => 'sent')).toBe('sent');
  expect([pauses, performance.now() - began]).toEqual([[], 0]);
  const waiting = shared.run(put('/b'), late).catch(() => 'given up');
  await vi.advanceTimersByTimeAsync(1);
  const notSent = { certainty: 'not-sent', facts: { transient: false } };
  const other = shared.run(get('/c'), () => Promise.reject(refusal(5_000))).catch(() => 'given up');
  await expect(shared.run(optional, async () => 'sent')).rejects.toMatchObject(notSent);
  await vi.runAllTimersAsync();
  expect(await Promise.all([waiting, other])).toEqual(['given up', 'given up']);
});

describe('the deadline', () => {
  test('ends the waiting: what was refused says so, and the others were not sent', async () => {
    const began = performance.now();
    const given = limiter({ deadlineMs: 60_000 });
    const { failures } = await send(20, () => false, null, given);
    expect(performance.now() - began).toBeLessThanOrEqual(60_000);
    const facts = failures.map((each) => (each as ServiceFailure).facts);
    expect(facts.every(({ givenUp, transient }) => givenUp === 'deadline' && !transient)).toBe(true);
    expect(facts.filter(({ certainty }) => certainty === 'refused')).toHaveLength(10);
    expect(facts.filter(({ certainty }) => certainty === 'not-sent')).toHaveLength(10);
    expect(facts[0]?.message).toMatch(
      /^GET \/x returned 429; the service limits requests, and waiting \d+ s would exceed the deadline of 1 min$/,
    );
  });

  test('leaves a tenth, at most a minute, to the reads that find out what the writes did', async () => {
    const { limiter: shared } = limiter({ deadlineMs: 100_000 });
    const began = performance.now();
    const refused = shared.run(put('/x'), () => Promise.reject(refusal())).catch((error: unknown) => error);
    await vi.runAllTimersAsync();
    expect((await refused) as ServiceFailure).toMatchObject({ facts: { givenUp: 'deadline' } });
    expect(performance.now() - began).toBeLessThanOrEqual(90_000);
    const read = shared.run(get('/x'), async () => 'seen');
    await vi.runAllTimersAsync();
    expect(await read).toBe('seen');
  });

  test('does not keep a run from reading once, without a wait, what its writes did', async () => {
    const { limiter: shared } = limiter({ deadlineMs: 10_000 });
    await shared.run(put('/a'), async () => 'created');
    const late = () => Promise.reject(refusal(30_000));
    await expect(shared.run(put('/b'), late)).rejects.toMatchObject({ facts: { givenUp: 'deadline' } });
    expect(await shared.run(get('/a'), async () => 'seen')).toBe('seen');
    expect(await shared.run(get('/a'), async () => 'seen again')).toBe('seen again');
    await expect(shared.run(put('/c'), async () => 'sent')).rejects.toMatchObject({ certainty: 'not-sent' });
    await expect(shared.run(get('/a'), late)).rejects.toMatchObject({ certainty: 'refused' });
    // The service takes no reads either: it is not asked any further.
    await expect(shared.run(get('/a'), async () => 'sent')).rejects.toMatchObject({ certainty: 'not-sent' });
  });

  test('is not waited for when Retry-After is later', async () => {
    const began = performance.now();
    const { failures, attempts } = await send(1, () => false, 86_400_000);
    expect([attempts, performance.now() - began]).toEqual([1, 5]);
    expect(String(failures[0])).toContain('waiting 86400 s would exceed the deadline of 30 min');
  });

  test('names a wait of many days as such, and a deadline of nothing in seconds', async () => {
    const far = await send(1, () => false, 20 * 86_400_000);
    expect(String(far.failures[0])).toContain('waiting more than a day would exceed the deadline of 30 min');
    const none = await send(1, () => false, 1_000, limiter({ deadlineMs: 0 }));
    expect(String(none.failures[0])).toContain('waiting 1 s would exceed the deadline of 0 s');
  });

  test('does not count the time that the service takes to answer', async () => {
    const { limiter: shared } = limiter({ deadlineMs: 60_000 });
    const slow = shared.run(get('/slow'), () => later(3_600_000));
    const answers = [refusal(30_000), refusal(20_000), null];
    await vi.advanceTimersByTimeAsync(1_800_000);
    const second = shared.run(get('/x'), async () => {
      const next = answers.shift();
      if (next) throw next;
      return 'seen';
    });
    await vi.runAllTimersAsync();
    await slow;
    expect(await second).toBe('seen');
  });

  test('counts only the time in which there are requests: a person may take an hour to confirm', async () => {
    const given = limiter({ deadlineMs: 60_000 });
    await send(5, leakyBucket(2), null, given);
    await vi.advanceTimersByTimeAsync(3_600_000);
    const { failures } = await send(5, leakyBucket(2), null, given);
    expect(failures).toEqual([]);
  });
});

test('an interrupt ends the waiting', async () => {
  const stop = new AbortController();
  const sleep = (ms: number, signal: AbortSignal | undefined) =>
    Promise.race([
      later(ms),
      new Promise<void>((done) => signal?.addEventListener('abort', () => done(), { once: true })),
    ]);
  const { limiter: shared } = limiter({ signal: stop.signal, sleep });
  let sent = 0;
  const refused = () => {
    sent += 1;
    return Promise.reject(refusal(60_000));
  };
  const ends = Promise.allSettled([shared.run(put('/a'), refused), shared.run(put('/b'), refused)]);
  await vi.advanceTimersByTimeAsync(1_000);
  const third = Promise.allSettled([shared.run(put('/c'), refused)]);
  await vi.advanceTimersByTimeAsync(1);
  stop.abort();
  await vi.advanceTimersByTimeAsync(1);
  const results = [...(await ends), ...(await third)].map(
    (each) => each.status === 'rejected' && each.reason,
  );
  expect(results.map(({ facts }: ServiceFailure) => [facts.certainty, facts.givenUp])).toEqual([
    ['refused', 'interrupt'],
    ['refused', 'interrupt'],
    ['not-sent', 'interrupt'],
  ]);
  expect(sent).toBe(2);
  // The last looks of an interrupted run go out at once.
  expect(await shared.run(get('/d'), async () => 'seen')).toBe('seen');
});

test('another failure says nothing about the limit, and is not repeated here', async () => {
  const { limiter: shared } = limiter();
  const failure = new ServiceFailure({
    code: 'service-error',
    message: 'broken',
    status: 503,
    transient: true,
  });
  await expect(shared.run(get('/x'), () => Promise.reject(failure))).rejects.toBe(failure);
});

test('a wait counts as passed when its timer fires early', async () => {
  let calls = 0;
  const { limiter: shared } = limiter({
    sleep: async () => {
      calls += 1;
    },
  });
  const answers = [refusal(5_000), null];
  await shared.run(get('/x'), async () => {
    const next = answers.shift();
    if (next) throw next;
  });
  expect(calls).toBe(1);
});
