import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { bugs } from './bugs.js';

test.each(bugs)(
  'seeded bugs: the place for "$name" occurs once in the source',
  ({ file, find, replace, tests }) => {
    expect(readFileSync(file, 'utf8').split(find)).toHaveLength(2);
    expect(replace).not.toContain(find);
    expect(tests.filter((each) => !existsSync(each))).toEqual([]);
  },
);
