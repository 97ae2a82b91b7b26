import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const docs = new URL('../../docs/', import.meta.url);
const rows = readFileSync(new URL('glossary.md', docs), 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('| ') && !/^\| (Term|---) /.test(line));

describe('docs/glossary.md', () => {
  it.each(rows)('names something that exists: %s', (row) => {
    const [, name = '', path = ''] = /\[`(\w+)`\]\(([^)]+)\) \|$/.exec(row) ?? [];
    const file = new URL(path, docs);
    expect(path !== '' && existsSync(file), path).toBe(true);
    const source = readFileSync(file, 'utf8');
    expect(source).toMatch(
      new RegExp(
        `^export (?:(?:async )?function|interface|type|class|const) ${name}\\b|^export \\{[^}]*\\b${name}\\b`,
        'm',
      ),
    );
  });

  it('defines each term once, in one sentence', () => {
    const cells = rows.map((row) => row.split(' | '));
    const terms = cells.map(([term]) => term);
    expect(new Set(terms).size).toBe(terms.length);
    for (const [, meaning = ''] of cells) expect(meaning).toMatch(/^[A-Z].*[^.]$/);
  });
});
