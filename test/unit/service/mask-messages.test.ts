import { expect, test } from 'vitest';
import { maskMessages } from '../../../src/service/answer.js';

const mask = (text: string) => text.replaceAll('hunter2', '*');

test('messages are masked wherever they are, and nothing else', () => {
  const answer = {
    items: [{ id: 'hunter2', errorMessage: 'no hunter2', steps: [{ error: 'hunter2', reason: null }] }],
    message: 'hunter2 hunter2',
    statusMessage: 7,
  };
  maskMessages(answer, mask);
  expect(answer).toEqual({
    items: [{ id: 'hunter2', errorMessage: 'no *', steps: [{ error: '*', reason: null }] }],
    message: '* *',
    statusMessage: 7,
  });
});

test('an answer that is nested deeper than the stack is masked', () => {
  let answer: object = { message: 'hunter2' };
  const inner = answer;
  for (let depth = 0; depth < 100_000; depth += 1) answer = [answer];
  maskMessages(answer, mask);
  expect(inner).toEqual({ message: '*' });
});
