import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { manPage } from '../../scripts/docs/man-page.js';

const root = join(import.meta.dirname, '../..');
const hasGroff = spawnSync('groff', ['--version']).status === 0;

describe('the manual page', () => {
  // npm ignores a single path outside a list.
  it('is part of the package, and installed with it', () => {
    const { man, files } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    expect(man).toEqual(['./dist/roster.1']);
    expect(files).toContain('dist');
  });

  it.skipIf(!hasGroff)(
    'is formatted without a warning, and keeps flags and commands as they are typed',
    () => {
      const { stdout, stderr } = spawnSync('groff', ['-man', '-ww', '-Tascii', '-P-cbou'], {
        encoding: 'utf8',
        input: manPage(),
      });
      expect(stderr).toBe('');
      for (const text of [
        '--detailed-exitcode',
        'roster apply --expect "$DIGEST"',
        "roster plan 'schedule/*'",
        'ROSTER_API_KEY_FILE',
      ])
        expect(stdout).toContain(text);
    },
  );
});
