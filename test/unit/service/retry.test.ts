import { describe, expect, test } from 'vitest';
import type { Effect } from '../../../src/model/request.js';
import { type FailureFacts, retryAfterMs, ServiceFailure } from '../../../src/service/failure.js';
import { type RetrySettings, withRetries } from '../../../src/service/retry.js';

const facts: FailureFacts = {
  code: 'service-error',
  message: 'it failed',
  status: 503,
  errorCode: null,
  certainty: 'unknown',
  transient: true,
  retryAfterMs: null,
};

function settings(given: Partial<RetrySettings> = {}) {
  const waits: number[] = [];
  return {
    waits,
    budget: { requests: 0, retries: 0 },
    random: () => 0.5,
    sleep: async (ms: number) => void waits.push(ms),
    onRetry: () => {},
    signal: undefined,
    ...given,
  };
}

async function run(effect: Effect, failing: Partial<FailureFacts>, given = settings()) {
  let sent = 0;
  const subject = { method: 'GET', path: '/api/x', effect };
  const failure = await withRetries(subject, given, async () => {
    sent += 1;
    throw new ServiceFailure({ ...facts, ...failing });
  }).catch((error: unknown) => error);
  if (!(failure instanceof ServiceFailure)) throw failure;
  return { sent, failure, waits: given.waits };
}

test('after an attempt that may have arrived, one that was not sent leaves the outcome unknown', async () => {
  const certainties = ['unknown', 'not-sent', 'not-sent'] as const;
  let sent = 0;
  const subject = { method: 'PUT', path: '/api/x', effect: 'repeatable' as const };
  const failure = await withRetries(subject, settings(), async () => {
    throw new ServiceFailure({ ...facts, certainty: certainties[sent++] ?? 'unknown' });
  }).catch((error: unknown) => error);
  expect(failure).toMatchObject({ certainty: 'unknown', attempts: 3 });
});

test('after an attempt that may have arrived, a rate limit leaves the outcome unknown', async () => {
  const limited = { status: 429, certainty: 'refused', transient: false, givenUp: 'deadline' } as const;
  const attempts: Partial<FailureFacts>[] = [{ certainty: 'unknown', status: null }, limited];
  const subject = { method: 'PUT', path: '/api/x', effect: 'repeatable' as const };
  const failure = await withRetries(subject, settings(), async () => {
    throw new ServiceFailure({ ...facts, ...attempts.shift() });
  }).catch((error: unknown) => error);
  expect(failure).toMatchObject({ certainty: 'unknown', attempts: 2, facts: { givenUp: 'deadline' } });
  expect((await run('repeatable', limited)).failure.certainty).toBe('refused');
});

test('there are three attempts, with full jitter', async () => {
  const { sent, waits, failure } = await run('read', {});
  expect({ sent, waits, attempts: failure.attempts }).toEqual({ sent: 3, waits: [100, 200], attempts: 3 });
  expect(failure.diagnostics[0]?.message).toBe('it failed (tried 3 times)');
});

test.each<[Effect, Partial<FailureFacts>, number]>([
  ['read', { transient: false }, 1],
  ['repeatable', {}, 3],
  ['create', {}, 1],
  ['create', { certainty: 'not-sent', status: null }, 3],
  ['create', { certainty: 'refused', status: 425 }, 1],
])('%s %o is sent %d times', async (effect, failing, times) => {
  expect((await run(effect, failing)).sent).toBe(times);
});

test('a retry is never before Retry-After, and never after more than a minute', async () => {
  expect((await run('read', { retryAfterMs: 2_000 })).waits).toEqual([2_000, 2_000]);
  expect((await run('read', { retryAfterMs: 0 })).waits).toEqual([100, 200]);
  const far = await run('read', { retryAfterMs: 86_400_000 });
  expect(far.sent).toBe(1);
  expect(far.failure.message).toContain('the service asks to wait 86400 s, which is too long');
});

test('a run retries at most 10 times, or a fifth of its requests', async () => {
  const few = settings();
  for (let n = 0; n < 20; n += 1) await run('read', {}, few);
  expect(few.budget).toEqual({ requests: 20, retries: 10 });
  expect((await run('read', {}, few)).failure.message).toContain(
    'too many requests of this command have failed',
  );
  const many = settings({ budget: { requests: 1_000, retries: 199 } });
  await run('read', {}, many);
  expect(many.budget.retries).toBe(200);
});

test('an interrupted run retries nothing', async () => {
  const stop = new AbortController();
  const given = settings({ signal: stop.signal, sleep: async () => stop.abort() });
  expect((await run('read', {}, given)).sent).toBe(1);
  expect((await run('read', {}, given)).sent).toBe(1);
});

test('a bug is not retried', async () => {
  let sent = 0;
  const sending = withRetries({ method: 'GET', path: '/', effect: 'read' }, settings(), async () => {
    sent += 1;
    throw new TypeError('bug');
  });
  await expect(sending).rejects.toThrow(TypeError);
  expect(sent).toBe(1);
});

describe('Retry-After', () => {
  const date = 'Tue, 01 Dec 2026 06:00:00 GMT';
  test.each([
    [null, null],
    ['0', 0],
    ['2', 2_000],
    ['86400', 86_400_000],
    ['9'.repeat(20), 20 * 86_400_000],
    ['9'.repeat(400), 20 * 86_400_000],
    ['Sat, 01 Dec 2126 06:00:00 GMT', 20 * 86_400_000],
    ['-1', null],
    ['1e309', null],
    ['x', null],
    ['', null],
    ['Tue, 01 Dec 2026 06:00:30 GMT', 30_000],
    ['Tue, 01 Dec 2026 05:00:00 GMT', 0],
    ['Tue, 99 Dec 2026 06:00:30 GMT', null],
  ])('%s', (header, expected) => {
    expect(retryAfterMs(header, date)).toBe(expected);
  });

  test('without a Date header it is measured by the local clock', () => {
    const soon = new Date(Date.now() + 20_000).toUTCString();
    expect(retryAfterMs(soon, null)).toBeGreaterThan(15_000);
  });
});
