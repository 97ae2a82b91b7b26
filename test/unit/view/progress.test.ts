import { expect, it } from 'vitest';
import { widthOf } from '../../../src/view/columns.js';
import { progressLine, stepLine } from '../../../src/view/text/progress.js';

const end = { address: 'group/retail-prices', action: 'create', id: null, error: null } as const;

it('the progress line names the steps in flight', () => {
  expect(progressLine({ done: 3, total: 10, running: ['group/a', 'schedule/b'], width: 80 })).toBe(
    '3 of 10: group/a, schedule/b',
  );
  expect(progressLine({ done: 10, total: 10, running: [], width: 80 })).toBe('10 of 10');
});

it('the progress line counts the steps that do not fit', () => {
  const running = Array.from({ length: 30 }, (_, index) => `schedule/number-${index}`);
  const line = progressLine({ done: 0, total: 30, running, width: 60 });
  expect(line).toBe('0 of 30: schedule/number-0, schedule/number-1 and 28 more');
});

it('the progress line is narrower than the terminal', () => {
  for (let width = 40; width < 100; width += 1) {
    const running = ['group/a', `group/${'long-'.repeat(40)}`, 'group/b'];
    expect(widthOf(progressLine({ done: 1, total: 3, running, width }))).toBeLessThan(width);
  }
});

it('the log has one line for each finished step', () => {
  expect(stepLine({ ...end, outcome: 'done', id: '3f2a' })).toBe('group/retail-prices: created (id 3f2a)');
  expect(stepLine({ ...end, outcome: 'failed', error: 'answered\n500' })).toBe(
    'group/retail-prices: could not create: answered\\u{a}500',
  );
  expect(stepLine({ ...end, outcome: 'skipped', error: 'group/b failed' })).toBe(
    'group/retail-prices: not tried: group/b failed',
  );
  expect(stepLine({ ...end, outcome: 'unknown' })).toBe('group/retail-prices: unknown whether created');
});
