import { expect, test } from 'vitest';
import { pollUntil } from '../../../src/model/request.js';

async function poll(doneAfter: number) {
  const waits: number[] = [];
  let looks = 0;
  const look = async () => ++looks;
  const sleep = async (milliseconds: number) => void waits.push(milliseconds);
  const seen = await pollUntil(look, (each) => each >= doneAfter, sleep);
  return { seen, waits };
}

test('a list that does not lag is read once, without a delay', async () => {
  expect(await poll(1)).toEqual({ seen: 1, waits: [] });
});

test('a list that lags is read again after growing delays', async () => {
  expect(await poll(3)).toEqual({ seen: 3, waits: [250, 1000] });
});

test('polling ends with what was seen last', async () => {
  expect(await poll(100)).toEqual({ seen: 4, waits: [250, 1000, 2500] });
});
