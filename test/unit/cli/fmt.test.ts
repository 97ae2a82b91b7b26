import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { limits } from '../../../src/manifest/limits.js';
import { jsonOf } from '../../support/json.js';
import { Workspace } from '../../support/roster.js';
import { isLong } from '../../support/size.js';

let workspace: Workspace;

beforeEach(() => {
  workspace = new Workspace({}, { url: '', apiKey: '' });
});

it.runIf(isLong)('fmt formats a file with more errors than are listed', async () => {
  const entries = Array.from({ length: limits.diagnostics + 1 }, (_, i) => `  g${i}: {membrs: [a]}\n`);
  workspace.write('roster.yaml', `project: p\ngroups:\n${entries.join('')}`);
  expect((await workspace.command(['fmt'])).exit).toBe(0);
  expect((await workspace.command(['fmt', '--check'])).exit).toBe(0);
});

const untidy = 'project:   p\ngroups:\n    shops: {members: [a]} # ours\n';

it('fmt --diff prints a patch that makes the change, and changes nothing', async () => {
  workspace.write('roster.yaml', untidy);
  const shown = await workspace.command(['fmt', '--diff']);
  expect(shown.exit).toBe(0);
  expect(readFileSync(join(workspace.root, 'roster.yaml'), 'utf8')).toBe(untidy);
  workspace.write('change.patch', shown.stdout);
  const patched = spawnSync('git', ['apply', 'change.patch'], { cwd: workspace.root, encoding: 'utf8' });
  expect(patched).toMatchObject({ status: 0, stderr: '' });
  expect(await workspace.command(['fmt', '--check'])).toMatchObject({ exit: 0 });
  expect(readFileSync(join(workspace.root, 'roster.yaml'), 'utf8')).toContain('# ours');
});

it('fmt --check --diff exits with 2 and shows why, in JSON, too', async () => {
  workspace.write('roster.yaml', untidy);
  const text = await workspace.command(['fmt', '--check', '--diff']);
  expect(text).toMatchObject({ exit: 2, stdout: expect.stringMatching(/^--- a\/roster\.yaml\n/) });
  const json = await workspace.command(['fmt', '--check', '--diff', '--format', 'json']);
  expect(jsonOf(json)).toMatchObject({ changed: ['roster.yaml'], patch: text.stdout });
  expect(readFileSync(join(workspace.root, 'roster.yaml'), 'utf8')).toBe(untidy);
});

it('fmt --diff says that there is nothing to change', async () => {
  workspace.write('roster.yaml', untidy);
  await workspace.command(['fmt']);
  expect((await workspace.command(['fmt', '--diff'])).stdout).toBe('All files are formatted.\n');
});

it('fmt keeps `each`, the order of its items, and their comments', async () => {
  const tidy = `project: p

groups:
  prices-\${each.key}: # one for each country
    each:
      fr: [globex] # first
      de: [acme-shop] # second
    members: \${each.value}
`;
  workspace.write('roster.yaml', tidy.replaceAll('    ', '      ').replaceAll(' #', '   #'));
  expect(await workspace.command(['fmt'])).toMatchObject({ exit: 0 });
  expect(readFileSync(join(workspace.root, 'roster.yaml'), 'utf8')).toBe(tidy);
});
