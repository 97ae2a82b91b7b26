import { expect, test } from 'vitest';
import { Redactor } from '../../../src/redact/redactor.js';

function redactorOf(...secrets: string[]): Redactor {
  const redactor = new Redactor();
  redactor.knowKinds(['group']);
  redactor.hide(secrets);
  return redactor;
}

test('a masked address keeps its kind, and two masked addresses stay different', () => {
  const redactor = redactorOf('first-secret', 'second-secret');
  const addresses = ['group/first-secret', 'group/second-secret', 'group/first-secret', 'group/other'];
  expect(redactor.value(addresses)).toEqual([
    'group/(sensitive)',
    'group/(sensitive)-2',
    'group/(sensitive)',
    'group/other',
  ]);
});

test('only a known kind makes a text an address', () => {
  const redactor = redactorOf('retail/prices', 'groups');
  expect(redactor.value({ name: 'retail/prices', section: 'groups' })).toEqual({
    name: '(sensitive)',
    section: '(sensitive)',
  });
});

test('what only apply needs of a plan is left out', () => {
  const plan = { project: 'p', records: { 'group/a': { name: 'canary-1' } }, createIntents: { x: 1 } };
  expect(redactorOf('canary-1').value(plan)).toEqual({ project: 'p', records: {}, createIntents: {} });
});

test('values of fields are masked with their names and numbers, words of the formats are not', () => {
  const field = { path: 'inputs', before: { canary: 31337 }, after: null, origin: 'canary' };
  expect(redactorOf('canary', '31337').value(field)).toEqual({
    path: 'inputs',
    before: { '(sensitive)': '(sensitive)' },
    after: null,
    origin: 'canary',
  });
});

test('a text that a view has made loses encoded secrets, and keeps words that a format may contain', () => {
  const secret = 'a value with 1 "quote"';
  const redactor = redactorOf(secret, 'error');
  const texts = [
    secret,
    JSON.stringify(secret),
    encodeURIComponent(secret),
    Buffer.from(secret).toString('hex'),
  ];
  for (const text of texts) expect(redactor.text(text)).toContain('(sensitive)');
  expect(redactor.text('::error ::')).toBe('::error ::');
});
