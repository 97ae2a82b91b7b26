import { expect, test } from 'vitest';
import { explainText, withheldWords, wordsWith } from '../../../src/service/failure.js';

const shown = wordsWith((text) => text);

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
  expect(explainText(body, shown)).toEqual({ message, errorCode });
});

test('a message has at most 500 characters on one line', () => {
  const { message } = explainText(JSON.stringify({ message: `a\u2028b\u0085c${'x'.repeat(1_000)}` }), shown);
  expect(message).toMatch(/^a b cx+…$/);
  expect(message).toHaveLength(501);
});

test('a text is masked before it is cut', () => {
  const words = wordsWith((text) => text.replaceAll('secret', 'MASK'));
  const { message } = explainText(JSON.stringify({ message: `${'x'.repeat(497)}secret` }), words);
  expect(message).toBe(`${'x'.repeat(497)}MAS…`);
});

test('of the answer to a request with values from the environment, only a code that is a word is shown', () => {
  const said = (errorCode: string) =>
    explainText(JSON.stringify({ message: 'not 4711', errorCode }), withheldWords);
  expect(said('InvalidInput').errorCode).toBe('InvalidInput');
  expect(said('4711').errorCode).toBeNull();
  expect(said('x').message).not.toContain('4711');
});
