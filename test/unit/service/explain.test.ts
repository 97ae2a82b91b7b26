import { expect, test } from 'vitest';
import { redactKeys } from '../../../src/redact/api-keys.js';
import { explainText } from '../../../src/service/explain.js';

test.each([
  ['{"message":"no"}', 'no', null],
  ['{"message":"no","errorCode":"A_B"}', 'no', 'A_B'],
  ['{"success":false,"message":"","error":"no"}', 'no', null],
  ['{"error":{"message":"no","code":"A"}}', 'no', 'A'],
  ['{"errors":["one","two"]}', 'one; two', null],
  ['{"errors":[{"message":"one"}]}', 'one', null],
  ['{"message":"bad","errors":{"Name":["too long","odd"]}}', 'bad: Name: too long; odd', null],
  ['{"title":"Bad","detail":"Name is missing"}', 'Bad: Name is missing', null],
  ['"no"', 'no', null],
  ['["no"]', 'no', null],
  ['plain\r\ntext', 'plain text', null],
  ['<html><head><title>502 Bad\nGateway</title>…', '502 Bad Gateway', null],
  ['<html>', '', null],
  ['{"code":7}', '', null],
  ['null', '', null],
  ['', '', null],
])('%j says %j', (body, message, errorCode) => {
  expect(explainText(body)).toEqual({ message, errorCode });
});

test('a message has at most 500 characters on one line', () => {
  const { message } = explainText(JSON.stringify({ message: `a\u2028b\u0085c${'x'.repeat(1_000)}` }));
  expect(message).toMatch(/^a b cx+…$/);
  expect(message).toHaveLength(501);
});

test('keys and parts of keys are masked, and nothing else', () => {
  const key = 'svc_live_abcdefghijklmnop';
  expect(redactKeys('İ nothing to see, abcdefghijk', [key])).toBe('İ nothing to see, abcdefghijk');
  expect(redactKeys(`a ${key} b`, [key])).toBe('a (sensitive) b');
  expect(redactKeys('x abcdefghijkl y', [key])).toBe('x (sensitive) y');
  expect(redactKeys('İ "svc_live_other", z', [])).toBe('İ "(sensitive)", z');
});
