import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { checkOutputs } from '../../../src/engine/output-files.js';

const root = mkdtempSync(join(tmpdir(), 'roster-outputs-'));
const own = join(root, 'roster.yaml');
writeFileSync(own, '');
mkdirSync(join(root, 'folder'));
symlinkSync(join(root, 'folder'), join(root, 'link'));
symlinkSync('loop', join(root, 'loop'));
afterAll(() => rmSync(root, { recursive: true }));

const check = (...files: string[]) =>
  checkOutputs(
    files.map((file) => ({ flag: '--out', file })),
    [own],
    root,
  );

test.each(['roster.yaml', './roster.yaml', 'roster.yaml.lock', 'folder/../roster.yaml'])(
  '%s is a file of the project',
  (file) => {
    expect(() => check(file)).toThrow('is a file of the project itself');
  },
);

test.each([
  ['new.json', 'new.json'],
  ['folder/new.json', 'link/new.json'],
])('%s and %s are one file', (one, other) => {
  expect(() => check(one, other)).toThrow('is already written by --out');
});

test.each(['roster.yaml/x', 'missing/x', 'loop', 'loop/x', `${'a'.repeat(300)}/x`])(
  '%s cannot be looked at, and is left to the write to refuse',
  (file) => {
    expect(() => check(file)).not.toThrow();
  },
);
