import { expect, it } from 'vitest';
import { slowestChain } from './service.js';

it('the slowest chain goes back from the last response to the last that had ended before its request', () => {
  const exchange = (request: string, from: number, to: number) => ({ request, from, to });
  const exchanges = [
    exchange('short', 0, 10),
    exchange('first', 0, 20),
    exchange('beside', 5, 45),
    exchange('second', 22, 50),
    exchange('third', 51, 70),
  ];
  expect(slowestChain(exchanges).map(({ request }) => request)).toEqual(['first', 'second', 'third']);
  expect(slowestChain([])).toEqual([]);
});
