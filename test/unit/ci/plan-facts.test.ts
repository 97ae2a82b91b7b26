import { expect, test } from 'vitest';
import { factsOf, sinceText } from '../../../src/ci/plan-facts.js';

const change = (address: string, more: object = {}) => ({
  address,
  action: 'update',
  fields: [{ path: 'members', before: [], after: ['acme-shop'] }],
  risks: null,
  ...more,
});
const nothing = { summary: null, risks: null, changes: null, diagnostics: null };

test.each<[string, Parameters<typeof factsOf>[0], string]>([
  ['nothing', nothing, 'No changes'],
  [
    'changes in the order of the last line',
    { ...nothing, summary: { delete: 1, update: 2, create: 0, unchanged: 9 } },
    '2 to update, 1 to delete',
  ],
  [
    'risks of the plan and of changes, each change once',
    {
      ...nothing,
      summary: { update: 2, delete: 1 },
      risks: [{}],
      changes: [
        change('group/a', { risks: [{}, {}] }),
        change('group/b', { risks: [] }),
        change('group/c', { action: 'delete', risks: [{}] }),
      ],
    },
    '2 to update, 1 to delete · 3 risks',
  ],
  [
    'a new key, which is always one to look at',
    {
      ...nothing,
      summary: { create: 1 },
      changes: [change('key/ci', { action: 'create', fields: [{ path: 'deliver', after: {} }] })],
    },
    '1 to create · 1 risk',
  ],
])('the verdict of %s', (_, plan, verdict) => {
  expect(factsOf(plan).verdict).toBe(verdict);
});

test('the refusals are codes, each once', () => {
  const diagnostics = [
    { severity: 'error', code: 'protected' },
    { severity: 'warning', code: 'held' },
    { severity: 'error', code: 'protected' },
    { severity: 'error', code: '`@everyone`' },
  ];
  expect(factsOf({ ...nothing, diagnostics }).refusals).toEqual(['protected']);
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
    }).changes ?? [];
  expect(others.map((each) => each === first)).toEqual([true, false, false, false]);
});

test('a large plan is not compared', () => {
  const changes = Array.from({ length: 5_001 }, (_, n) => change(`group/${n}`));
  const facts = factsOf({ ...nothing, changes });
  expect(facts.changes).toBeNull();
  expect(sinceText({ head: 'a'.repeat(40), changes: [] }, facts)).toBeNull();
});

test('two plans without changes have nothing to say of each other', () => {
  expect(sinceText({ head: 'a'.repeat(40), changes: [] }, factsOf({ ...nothing, changes: [] }))).toBeNull();
});
