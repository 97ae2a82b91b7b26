import { expect, test } from 'vitest';
import type { Session } from '../../../src/engine/session.js';
import { Problem, problem } from '../../../src/model/diagnostic.js';
import { batchResult, changeOne, itemResult, runBatch } from '../../../src/operate/batch.js';
import { ServiceFailure } from '../../../src/service/failure.js';

/** What commands that change several things have in common. */

type Act =
  | 'done'
  | 'refused'
  | 'unknown'
  | 'problem'
  | 'failure'
  | 'refusal'
  | 'lost'
  | 'parts'
  | 'interrupt';

interface Case {
  readonly acts: Readonly<Record<string, Act>>;
  /** What was changed, in this order. */
  readonly changed: string;
  readonly results: string;
  readonly codes: readonly string[];
  readonly begun: boolean;
}

const cases: Readonly<Record<string, Case>> = {
  'each item is changed in turn': {
    acts: { a: 'done', b: 'refused', c: 'unknown' },
    changed: 'a b c',
    results: 'a done, b refused, c unknown',
    codes: ['usage'],
    begun: true,
  },
  'nothing has begun where everything was refused': {
    acts: { a: 'refused', b: 'refused' },
    changed: 'a b',
    results: 'a refused, b refused',
    codes: ['usage', 'usage'],
    begun: false,
  },
  'what is wrong with one item does not keep the others from being changed': {
    acts: { a: 'problem', b: 'done' },
    changed: 'a b',
    results: 'a notSent, b done',
    codes: ['limit-exceeded'],
    begun: true,
  },
  'after a failure that the others would meet, none of them is sent': {
    acts: { a: 'done', b: 'failure', c: 'done' },
    changed: 'a b',
    results: 'a done, b notSent, c notSent',
    codes: ['service-error'],
    begun: true,
  },
  'a refusal that ends the batch is one of the item that met it': {
    acts: { a: 'refusal', b: 'done' },
    changed: 'a',
    results: 'a refused, b notSent',
    codes: ['service-error'],
    begun: false,
  },
  'after a lost answer that ends the batch, the item may have been changed': {
    acts: { a: 'lost', b: 'done' },
    changed: 'a',
    results: 'a unknown, b notSent',
    codes: ['service-error'],
    begun: true,
  },
  'an item that consists of others is replaced by them': {
    acts: { a: 'parts', b: 'done' },
    changed: 'a a.1 a.2 b',
    results: 'a.1 done, a.2 done, b done',
    codes: [],
    begun: true,
  },
  'an interrupt lets the item finish that is being changed, and leaves the others': {
    acts: { a: 'interrupt', b: 'done', c: 'done' },
    changed: 'a',
    results: 'a done, b notSent, c notSent',
    codes: ['interrupted'],
    begun: true,
  },
};

const certainties: Partial<Record<Act, 'not-sent' | 'refused' | 'unknown'>> = {
  failure: 'not-sent',
  refusal: 'refused',
  lost: 'unknown',
};

test.each(Object.entries(cases))('%s', async (_, { acts, changed, results, codes, begun }) => {
  const sent: string[] = [];
  let isInterrupted = false;
  let isBegun = false;
  const session = { interrupted: () => isInterrupted, warnings: [] } as unknown as Session;
  const ended = await runBatch<string>(session, {
    items: Object.keys(acts),
    async change(item) {
      sent.push(item);
      const act = acts[item] ?? 'done';
      if (act === 'parts') return { parts: [`${item}.1`, `${item}.2`] };
      if (act === 'problem') throw problem('limit-exceeded', 'too long');
      const certainty = certainties[act];
      if (certainty !== undefined)
        throw new ServiceFailure({ code: 'service-error', message: 'down', certainty });
      if (act === 'interrupt') isInterrupted = true;
      if (act === 'refused') return itemResult(item, act, 'no', problem('usage', 'no'));
      return itemResult(item, act === 'unknown' ? act : 'done');
    },
    interruption: (left) => problem('interrupted', `${left} are left`).diagnostics,
    begin: () => {
      isBegun = true;
    },
  });
  const { diagnostics, results: all } = batchResult(session, ended.results, ended.failures);
  expect(sent.join(' ')).toBe(changed);
  expect(all.map(({ item, result }) => `${item} ${result}`).join(', ')).toBe(results);
  expect([diagnostics.map(({ code }) => code), isBegun]).toEqual([codes, begun]);
});

test('one look at the end settles what became of all items', async () => {
  const session = { interrupted: () => false, warnings: [] } as unknown as Session;
  const { results } = await runBatch<string>(session, {
    items: ['a', 'b'],
    change: async (item) => itemResult(item, 'unknown'),
    settle: async (sent) => sent.map(({ item }) => itemResult(item, item === 'a' ? 'done' : 'refused')),
    interruption: () => [],
    begin: () => undefined,
  });
  expect(results.map(({ result }) => result)).toEqual(['done', 'refused']);
});

test('items that go into one request are changed together, and share what becomes of it', async () => {
  const session = { interrupted: () => false, warnings: [] } as unknown as Session;
  const requests: string[] = [];
  const { results } = await runBatch<string>(session, {
    items: ['a', 'b', 'c', 'd', 'e'],
    atOnce: 2,
    async change(...some) {
      requests.push(some.join(' '));
      if (some.includes('c'))
        throw new ServiceFailure({ code: 'service-error', message: 'down', certainty: 'unknown' });
      return some.map((item) => itemResult(item, 'done'));
    },
    interruption: () => [],
    begin: () => undefined,
  });
  expect(requests).toEqual(['a b', 'c d']);
  expect(results.map(({ item, result }) => `${item} ${result}`).join(', ')).toBe(
    'a done, b done, c unknown, d unknown, e notSent',
  );
});

const ends: Readonly<Record<string, { readonly act: Act; readonly code: string; readonly begun: boolean }>> =
  {
    'one thing that the service refuses to change is an error before which nothing has begun': {
      act: 'refusal',
      code: 'service-error',
      begun: false,
    },
    'one thing whose change is unknown is an error, and it may have been changed': {
      act: 'unknown',
      code: 'not-converged',
      begun: true,
    },
    'nothing is sent for one thing after an interrupt': {
      act: 'interrupt',
      code: 'interrupted',
      begun: false,
    },
  };

test.each(Object.entries(ends))('%s', async (_, { act, code, begun }) => {
  let isBegun = false;
  const session = { interrupted: () => act === 'interrupt', warnings: [] } as unknown as Session;
  const begin = () => {
    isBegun = true;
  };
  const changed = changeOne<string>(session, 'deleted', begin, async () => {
    if (act === 'refusal')
      throw new ServiceFailure({ code: 'service-error', message: 'no', certainty: 'refused' });
    return itemResult('a', 'unknown', null, problem('not-converged', 'it is still there'));
  });
  const failure = await changed.then(
    () => null,
    (error: Problem) => error,
  );
  expect(failure?.diagnostics.map((each) => each.code)).toEqual([code]);
  expect(isBegun).toBe(begun);
});

test('a bug in the change of an item is not taken for a failure of the service', async () => {
  const session = { interrupted: () => false, warnings: [] } as unknown as Session;
  const batch = runBatch<string>(session, {
    items: ['a'],
    change: () => Promise.reject(new TypeError('a bug')),
    interruption: () => [],
    begin: () => undefined,
  });
  await expect(batch).rejects.not.toBeInstanceOf(Problem);
});
