import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { referencePage, referencePath } from '../../scripts/docs.js';

describe('docs/reference.md', () => {
  it('is up to date (`npm run docs` writes it)', () => {
    expect(readFileSync(referencePath, 'utf8')).toBe(referencePage());
  });

  it('describes every property, with its type', () => {
    const rows = referencePage()
      .split('\n')
      .filter((line) => line.startsWith('| `'));
    for (const row of rows) expect(row).toMatch(/^\| `[\w.]+` \| [^|]+[^| ] \| [A-Z][^|]+\. \| /);
    const names = rows.map((row) => row.split('`')[1]);
    expect(names).toEqual(
      expect.arrayContaining([
        'project',
        'limits.deletes',
        'environments.NAME.vars',
        'timeZone',
        'deliver.env',
      ]),
    );
  });
});
