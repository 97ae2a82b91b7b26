import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { noFaults } from '../../src/sandbox/faults.js';
import { ListLag } from '../../src/sandbox/list-lag.js';
import { emptyWorld, put } from '../../src/sandbox/world.js';
import { UNKNOWN } from './service.js';

/** The state that lists show while they lag. */

const user = { name: 'x', company: null };
beforeEach(() => vi.useFakeTimers({ now: 1_000_000 }));
afterEach(() => vi.useRealTimers());

function lagging(lagMs: number) {
  const world = emptyWorld();
  const plan = { ...noFaults(), lagMs };
  const lag = new ListLag(world, plan);
  const add = () => {
    lag.beforeChange();
    world.users.set(String(world.users.size), user);
    lag.afterChange();
  };
  return { world, plan, lag, add, shown: () => lag.listed().users.size };
}

test('lagMs: lists are late by lagMs, or by up to a twentieth more, however fast the changes are', () => {
  const { lag, add, shown } = lagging(1_000);
  for (let at = 0; at < 5_000; at += 10) {
    add();
    vi.advanceTimersByTime(10);
    const late = (at + 10) / 10 - shown();
    expect(late).toBeGreaterThanOrEqual(Math.min(99, at / 10));
    expect(late).toBeLessThanOrEqual(106);
  }
  expect(lag.kept).toBeLessThanOrEqual(22);
});

test('lagMs: a state is kept only until lists show a later one', () => {
  const { lag, add, shown, world } = lagging(1_000);
  for (let count = 0; count < 10; count += 1) {
    add();
    vi.advanceTimersByTime(100);
  }
  expect(lag.kept).toBe(10);
  vi.advanceTimersByTime(950);
  expect([shown(), lag.kept, lag.listed()]).toEqual([10, 0, world]);
});

test('lagMs: a state that lists show does not change with the world', () => {
  const { world, lag } = lagging(1_000);
  const agent = { id: UNKNOWN, externalAgentId: 'a', name: 'a', version: '1', assigned: true };
  put(world, 'agents', { ...agent, inputParameters: [{ key: 'q', defaultValue: '' }] });
  lag.beforeChange();
  for (const each of world.agents.values()) each.inputParameters.pop();
  lag.afterChange();
  expect(lag.listed().agents.get(UNKNOWN)?.inputParameters).toEqual([{ key: 'q', defaultValue: '' }]);
  expect(world.agents.get(UNKNOWN)?.inputParameters).toEqual([]);
});

test('lagMs: switched off, lists show every change at once, and switched on again, what was there before', () => {
  const { plan, add, shown } = lagging(1_000);
  add();
  expect(shown()).toBe(0);
  plan.lagMs = 0;
  add();
  expect(shown()).toBe(2);
  plan.lagMs = 1_000;
  add();
  expect(shown()).toBe(2);
});
