import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { operationsPage, operationsPath } from '../../scripts/docs.js';
import { AREA_TESTS } from '../support/interface-operations.js';

test('test/sandbox/README.md is up to date: `npm run docs` writes it', () => {
  expect(readFileSync(operationsPath, 'utf8')).toBe(operationsPage());
});

test('test/sandbox/README.md links to tests that exist', () => {
  const files = Object.values(AREA_TESTS).map((file) => join(import.meta.dirname, '../sandbox', file));
  expect(files.filter((file) => !existsSync(file))).toEqual([]);
});
