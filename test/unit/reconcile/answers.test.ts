import { expect, test } from 'vitest';
import { isDiagnostic, isRefusal } from '../../../src/model/finding.js';
import type { Ask, Preview } from '../../../src/model/schedule.js';
import { asksOf } from '../../../src/reconcile/next-runs.js';
import { plan } from '../../../src/reconcile/plan.js';
import { mayBePlanned } from '../../../src/reconcile/rules/index.js';
import { type Answers, nothingAsked } from '../../../src/reconcile/world.js';
import {
  apiKey,
  codesOf,
  group,
  owning,
  reconcileWorld,
  remoteKey,
  schedule,
} from '../../support/small-world.js';

/** Plans of what was asked, and of its answers. */

const timed = reconcileWorld({ entries: [schedule('s')] });

function answered(preview: Preview): Answers {
  const asks: readonly Ask[] = asksOf(timed, null);
  return { ...nothingAsked, previews: asks.map((ask) => ({ ask, preview })) };
}

test('answers: the times of the service are the next runs of a new schedule, and no next runs are shown unasked', () => {
  const runs = ['2026-11-01T06:00:00.000Z', '2026-11-02T06:00:00.000Z'];
  const made = plan(timed, answered({ runs })).plan;
  expect(made?.changes[0]?.nextRuns).toMatchObject({ by: 'service', after: runs.map((utc) => ({ utc })) });
  expect(made?.findings.filter(isDiagnostic)).toEqual([]);
  expect(plan(timed).plan?.changes[0]?.nextRuns).toBeNull();
});

test('answers: other times than those that are computed are a warning', () => {
  const made = plan(timed, answered({ runs: ['2026-11-01T05:00:00.000Z'] })).plan;
  expect(codesOf(made?.findings.filter(isDiagnostic) ?? [])).toEqual(['preview-differs']);
});

test('answers: there is no plan with a schedule that the service would reject', () => {
  const { plan: made, diagnostics } = plan(timed, answered({ rejected: 'too often' }));
  expect(made).toBeNull();
  expect(diagnostics).toMatchObject([
    { severity: 'error', code: 'rejected-by-preview', message: expect.stringMatching(/: too often$/) },
  ]);
});

test('answers: a key that could not be delivered is a refusal', () => {
  const created = reconcileWorld({ entries: [apiKey('ci')] });
  const undeliverable = new Map([['key/ci', 'it is a folder']]);
  const refused = plan(created, { ...nothingAsked, undeliverable }).plan?.findings.filter(isRefusal);
  expect(refused?.at(-1)).toMatchObject({
    code: 'undeliverable-key',
    address: 'key/ci',
    message: 'key/ci: the new key could not be delivered: it is a folder',
  });
});

test('answers: owners are those of the changes that act', () => {
  const changed = reconcileWorld({ entries: [group('a')] });
  const owners = new Map([['group/a', ['@acme']]]);
  expect(plan(changed, { ...nothingAsked, owners }).plan?.changes).toMatchObject([{ owners: ['@acme'] }]);
});

const withoutId = { ...remoteKey('ci'), id: null, rawId: null };

test.each([
  ['a schedule', { entries: [schedule('s')] }, true],
  ['an entry with an error', { entries: [group('a', { agents: ['nobody'] })] }, false],
  [
    'a delete of a key without an id',
    { entries: [], objects: [withoutId], inventory: owning({ 'key/ci': null }, { name: 'ci' }) },
    false,
  ],
])('answers: whether anything is asked of %s', (_, world, isAsked) => {
  expect(mayBePlanned(reconcileWorld(world))).toBe(isAsked);
});
