import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const folder = join(import.meta.dirname, '..');

test('no test mocks a module, because test files share their processes, except in a `toy` folder', () => {
  const mock = /\bvi\s*\.(mock|doMock|hoisted|resetModules)\(/;
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((path) =>
    /\.tsx?$/.test(path),
  );
  const shared = files.filter((path) => !path.replaceAll('\\', '/').includes('/toy/'));
  expect(shared.filter((path) => mock.test(readFileSync(join(folder, path), 'utf8')))).toEqual([]);
});
