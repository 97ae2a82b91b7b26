import { expect, test } from 'vitest';
import { isRefusal, isRisk } from '../../../src/model/finding.js';
import {
  apiKey,
  codesOf,
  group,
  owning,
  planOf,
  reconcileWorld,
  remoteGroup,
  remoteKey,
} from '../../support/small-world.js';

test('findings: a key that is only delivered late has no risk, because nothing changes on the service', () => {
  const observed = remoteKey('1', { name: 'ci' });
  const kept = new Map([['key/ci', { file: '.roster/rescued/ci.key', observed }]]);
  const { changes, undelivered } = planOf({ entries: [apiKey('ci')], objects: [observed], kept });
  expect(changes).toMatchObject([{ address: 'key/ci', action: 'update' }]);
  expect(changes.flatMap(({ findings }) => findings.filter(isRisk))).toEqual([]);
  expect(Object.keys(undelivered ?? {})).toEqual(['key/ci']);
});

test('findings: setting the protection of an object says nothing of what is not changed there', () => {
  const entries = [apiKey('ci', {}, { protect: true })];
  const { changes } = planOf({
    entries,
    objects: [remoteKey('1', { name: 'ci' })],
    inventory: owning({ 'key/ci': '1' }),
  });
  expect(changes).toMatchObject([{ address: 'key/ci', action: 'update' }]);
  expect(changes.flatMap(({ findings }) => findings.filter(isRisk))).toEqual([]);
});

test('findings: refusals of the plan as a whole come before those of single changes', () => {
  const keys = Array.from({ length: 6 }, (_, index) => `g${index}`);
  const plan = planOf({
    objects: keys.map((key) => remoteGroup(key)),
    inventory: owning(Object.fromEntries(keys.map((key) => [`group/${key}`, key])), { protect: true }),
  });
  expect(codesOf(plan.findings.filter(isRefusal)).slice(0, 2)).toEqual(['empty-project', 'too-many-deletes']);
  expect(codesOf(plan.findings.filter(isRefusal)).slice(2)).toEqual(keys.map(() => 'protected'));
});

test('findings: errors in matching and errors that only a rule sees are reported at once', () => {
  const { plan, diagnostics } = reconcileWorld({
    entries: [group('shops', { agents: ['nobody'] })],
    objects: [{ ...remoteKey('1', { name: 'old' }), id: null, rawId: null }],
    inventory: owning({ 'key/old': null }, { name: 'old' }),
  });
  expect(plan).toBeNull();
  expect(codesOf(diagnostics).sort()).toEqual(['not-manageable', 'unknown-agent']);
});
