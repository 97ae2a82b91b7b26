import { expect, test } from 'vitest';
import { factsOf, shownPlans, sinceText } from '../../../src/ci/plan-facts.js';

const change = (address: string, more: object = {}) => ({
  address,
  action: 'update',
  fields: [{ path: 'members', before: [], after: ['acme-shop'] }],
  risks: null,
  ...more,
});
const nothing = { verdict: '1 to update · 1 risk', changes: null, diagnostics: null };

test('the verdict is that of the plan', () => {
  expect(factsOf(nothing)?.verdict).toBe('1 to update · 1 risk');
});

test('there are no facts of errors in place of a plan', () => {
  expect(factsOf({ ...nothing, verdict: null })).toBeNull();
});

test('the refusals are codes, each once', () => {
  const diagnostics = [
    { severity: 'error', code: 'protected' },
    { severity: 'warning', code: 'held' },
    { severity: 'error', code: 'protected' },
    { severity: 'error', code: '`@everyone`' },
  ];
  expect(factsOf({ ...nothing, diagnostics })?.refusals).toEqual(['protected']);
});

test('a change is the same as long as what it does is the same', () => {
  const [first, ...others] =
    factsOf({
      ...nothing,
      changes: [
        change('group/a'),
        change('group/a', { risks: [{}] }),
        change('group/a', { fields: [] }),
        change('group/a', { action: 'create' }),
        change('group/b'),
      ],
    })?.changes ?? [];
  expect(others.map((each) => each === first)).toEqual([true, false, false, false]);
});

test('a large plan is not compared', () => {
  const changes = Array.from({ length: 5_001 }, (_, n) => change(`group/${n}`));
  const facts = factsOf({ ...nothing, changes });
  expect(facts?.changes).toBeNull();
  expect(sinceText({ head: 'a'.repeat(40), changes: [] }, facts)).toBeNull();
});

test('two plans without changes have nothing to say of each other', () => {
  expect(sinceText({ head: 'a'.repeat(40), changes: [] }, factsOf({ ...nothing, changes: [] }))).toBeNull();
});

test.each([
  ['nothing', [], []],
  ['one plan', ['a'.repeat(40), '0123456789ab', 'ba9876543210'], [2]],
  ['one without changes, and the one before it', ['a'.repeat(40), 'b'.repeat(40), '0123456789ab'], [0, 1]],
  ['words before the first commit', ['0123456789ab', 'a'.repeat(64)], [0]],
])('a comment that notes %s tells which plans it has shown', (_, words, counts) => {
  expect(shownPlans(words).map(({ changes }) => changes.length)).toEqual(counts);
});
