import { expect, test } from 'vitest';
import { isId } from '../../../src/model/resource.js';
import { INTERFACE_OPERATIONS } from '../../support/interface-operations.js';

/** The words that stand where other paths have an id, and those that follow the id of an object that roster manages. */
const words = INTERFACE_OPERATIONS.flatMap(({ path }) => {
  const segments = path.split('/');
  return segments.filter((word, index) => {
    const isPlaceOfId = INTERFACE_OPERATIONS.some(({ path: other }) => {
      const others = other.split('/');
      return (
        others[index]?.startsWith('{') && others.slice(0, index).join() === segments.slice(0, index).join()
      );
    });
    const follows = /^\/api\/(search-groups|pipelines|schedules|api-keys)\/\{/.test(path) && index > 3;
    return !word.startsWith('{') && (isPlaceOfId || follows);
  });
});

test.each([...new Set(words)])('the path segment %s is no id', (word) => {
  expect(isId(word)).toBe(false);
});

test('the paths of the interface have such segments', () => {
  expect(words).toEqual(expect.arrayContaining(['runs', 'bulk', 'preview', 'enabled', 'members', 'steps']));
  expect(['7', 'enabled7', 'aaaaaaaa-0000-4000-8000-000000000000'].every(isId)).toBe(true);
});
