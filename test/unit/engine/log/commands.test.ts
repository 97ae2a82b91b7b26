import { expect, test } from 'vitest';
import { withCommands } from '../../../../src/engine/log.js';
import { emptyInventory } from '../../../../src/model/inventory.js';
import type { LogEntry } from '../../../../src/model/log.js';

const entry: LogEntry = {
  number: 1,
  command: 'apply',
  outcome: 'done',
  plan: '1 to delete',
  commits: ['c0'],
} as never;

test('however many runs only deleted, few commits are read at a time, and the entries keep their order', async () => {
  let reading = 0;
  let most = 0;
  const read: string[] = [];
  const history = {
    inventoryAt: async (commit: string) => {
      read.push(commit);
      most = Math.max(most, ++reading);
      await new Promise((done) => setImmediate(done));
      reading -= 1;
      const destroy = Number(commit.slice(1)) % 3 === 0;
      return { ...emptyInventory('p', null), intent: { destroy } } as never;
    },
  };
  const entries = Array.from({ length: 300 }, (_, index) => ({
    ...entry,
    number: index,
    commits: [`c${index}`],
    plan: index % 2 === 0 ? '1 to delete' : '1 to create, 1 to delete',
  }));
  const shown = await withCommands(entries, history);
  expect(most).toBeGreaterThan(1);
  expect(most).toBeLessThanOrEqual(10);
  expect(read).toHaveLength(150);
  expect(shown.map((each) => [each.number, each.command])).toEqual(
    entries.map(({ number }) => [number, number % 6 === 0 ? 'destroy' : 'apply']),
  );
});
