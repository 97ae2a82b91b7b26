import { afterEach, beforeEach, expect, it } from 'vitest';
import { limits } from '../../../src/manifest/limits.js';
import { Workspace } from '../../support/roster.js';

let workspace: Workspace;

beforeEach(() => {
  workspace = new Workspace({}, { url: '', apiKey: '' });
});
afterEach(() => workspace.remove());

it('fmt formats a file with more errors than are listed', async () => {
  const entries = Array.from({ length: limits.diagnostics + 1 }, (_, i) => `  g${i}: {membrs: [a]}\n`);
  workspace.write('roster.yaml', `project: p\ngroups:\n${entries.join('')}`);
  expect((await workspace.command(['fmt'])).exit).toBe(0);
  expect((await workspace.command(['fmt', '--check'])).exit).toBe(0);
});
