import { describe, expect, test } from 'vitest';
import type { Plan } from '../../../src/model/plan.js';
import {
  apiKey,
  group,
  owning,
  planOf,
  remoteGroup,
  remoteKey,
  remoteSchedule,
  schedule,
} from '../../support/small-world.js';

/** Each step with the steps that it waits for. */
const edges = ({ steps }: Plan) => Object.fromEntries(steps.map(({ id, after }) => [id, after]));
const target = { kind: 'group', id: '1' };

describe('order', () => {
  test('an object is created before what refers to it', () => {
    const plan = planOf({ entries: [schedule('s', { target: 'group/a' }), group('a')] });
    expect(edges(plan)).toEqual({ 'group/a#1': [], 'schedule/s#1': ['group/a#1'] });
  });

  test('an object is deleted after what refers to it was deleted or refers to something else', () => {
    const objects = [remoteGroup('1'), remoteSchedule('2', { target }), remoteSchedule('3', { target })];
    const plan = planOf({
      entries: [schedule('moves')],
      objects,
      inventory: owning({ 'group/a': '1', 'schedule/ends': '2', 'schedule/moves': '3' }),
    });
    expect(edges(plan)).toEqual({
      'schedule/ends#1': [],
      'schedule/moves#1': [],
      'group/a#1': ['schedule/ends#1', 'schedule/moves#1'],
    });
  });

  test('a name is given up before another object takes it', () => {
    const plan = planOf({
      entries: [group('old', { name: 'renamed' }), group('new', { name: 'shops' })],
      objects: [remoteGroup('1', { name: 'shops' })],
      inventory: owning({ 'group/old': '1' }),
    });
    expect(edges(plan)).toEqual({ 'group/old#1': [], 'group/new#1': ['group/old#1'] });
  });

  test('pauses that wait for different changes are requests of their own, so that a failure stops only one', () => {
    const on = (id: string) => ({ target: { kind: 'group', id } });
    const plan = planOf({
      entries: [
        group('a'),
        group('b'),
        schedule('s', { target: 'group/a', enabled: false }),
        schedule('t', { target: 'group/b', enabled: false }),
      ],
      objects: [
        remoteGroup('1'),
        remoteGroup('2'),
        remoteSchedule('3', on('1')),
        remoteSchedule('4', on('2')),
      ],
      inventory: owning({ 'group/a': '1', 'group/b': '2', 'schedule/s': '3', 'schedule/t': '4' }),
    });
    expect(edges(plan)).toEqual({
      'group/a#1': [],
      'group/b#1': [],
      'schedule/s#1': ['group/a#1'],
      'schedule/t#1': ['group/b#1'],
    });
  });

  test('the requests of one change follow each other', () => {
    const plan = planOf({ entries: [group('a', { active: false })] });
    expect(edges(plan)).toEqual({ 'group/a#1': [], 'group/a#2': ['group/a#1'] });
  });

  test('a key is revoked after its successor was created, and both come last', () => {
    const plan = planOf({
      entries: [apiKey('new')],
      objects: [remoteKey('1')],
      inventory: owning({ 'key/old': '1' }),
    });
    expect(edges(plan)).toEqual({ 'key/new#1': [], 'key/old#1': ['key/new#1'] });
    expect(plan.steps.map(({ last }) => last)).toEqual([true, true]);
  });

  test.each([
    [2, [2]],
    [101, [100, 1]],
  ])('%i equal changes are merged into requests for %j of them', (count, sizes) => {
    const keys = Array.from({ length: count }, (_, index) => `s${index}`);
    const plan = planOf({
      objects: keys.map((key) => remoteSchedule(key)),
      inventory: owning(Object.fromEntries(keys.map((key) => [`schedule/${key}`, key]))),
    });
    expect(plan.steps.map(({ addresses }) => addresses.length)).toEqual(sizes);
    expect(plan.steps.map(({ singles }) => singles.length)).toEqual(
      sizes.map((size) => (size > 1 ? size : 0)),
    );
  });
});
