import fs, { mkdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { Workspace } from '../../support/roster.js';
import { inFolder, loadFrom, summary } from './project.js';

/** What another process does right before a file is opened. */
let before: ((path: string) => void) | null = null;

const { openSync } = fs;
beforeAll(() => {
  fs.openSync = (...words) => {
    before?.(String(words[0]));
    return openSync(...words);
  };
  syncBuiltinESMExports();
});
afterAll(() => {
  fs.openSync = openSync;
  syncBuiltinESMExports();
});

afterEach(() => {
  before = null;
});

it('a folder that becomes a link while its file is read is not followed', () => {
  inFolder({ 'roster.yaml': 'project: p\ninclude: [a/x.yaml]\n', 'a/x.yaml': 'groups: {}\n' }, (folder) => {
    mkdirSync(join(folder, 'other'));
    writeFileSync(join(folder, 'other/x.yaml'), 'groups: { stolen: { members: [] } }\n');
    before = (path) => {
      if (!path.endsWith('a/x.yaml')) return;
      renameSync(join(folder, 'a'), join(folder, 'b'));
      symlinkSync('other', join(folder, 'a'));
    };
    const { project, diagnostics } = loadFrom(folder);
    expect(project).toBeNull();
    expect(diagnostics.map(summary)).toEqual(['roster.yaml:2:11 unreadable-file «a/x.yaml»']);
  });
});

it('a file that is changed while others are formatted is not overwritten', async () => {
  const files = { 'roster.yaml': 'project:   p\ninclude: [a.yaml]\n', 'a.yaml': 'groups:   {}\n' };
  const workspace = new Workspace(files, { url: 'http://127.0.0.1:1', apiKey: 'k' });
  before = (path) => {
    if (path.includes('/.roster.yaml.')) workspace.write('a.yaml', '# new\n');
  };
  const { exit, stderr } = await workspace.command(['fmt']);
  expect([exit, stderr]).toEqual([1, expect.stringContaining('a.yaml was changed')]);
  expect(readFileSync(join(workspace.root, 'a.yaml'), 'utf8')).toBe('# new\n');
});
