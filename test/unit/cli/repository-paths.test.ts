import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { fromRepositoryRoot } from '../../../src/cli/host/repository.js';

const root = mkdtempSync(join(tmpdir(), 'roster-root-'));
const inner = join(root, 'teams/pricing');
mkdirSync(inner, { recursive: true });
mkdirSync(join(root, 'bare/.git'), { recursive: true });
afterAll(() => rmSync(root, { recursive: true }));

const at = (file: string) => ({ file, line: 1, column: 1, length: 1, lineText: 'x' });

function moved(file: string, cwd: string, env: Record<string, string> = {}): (string | undefined)[] {
  const related = [{ message: 'first', place: at(file) }];
  const given = {
    severity: 'error' as const,
    code: 'schema' as const,
    message: 'm',
    place: at(file),
    related,
  };
  const [found] = fromRepositoryRoot([given], { cwd, env });
  return [found?.place?.file, found?.related?.[0]?.place.file];
}

test.each([
  [
    'in a folder of the workspace',
    'roster.yaml',
    inner,
    { GITHUB_WORKSPACE: root },
    'teams/pricing/roster.yaml',
  ],
  ['above the working directory', '../roster.yaml', inner, { CI_PROJECT_DIR: root }, 'teams/roster.yaml'],
  [
    'outside of the workspace',
    '../../x/roster.yaml',
    inner,
    { GITHUB_WORKSPACE: inner },
    '../../x/roster.yaml',
  ],
  ['in a repository without CI', 'a.yaml', join(root, 'bare'), {}, 'a.yaml'],
])('%s', (_, file, cwd, env, expected) => {
  expect(moved(file, cwd, env)).toEqual([expected, expected]);
});
