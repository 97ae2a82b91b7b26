import { readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';

/** docs/pull-requests.md shows a comment as a reviewer sees it. UPDATE_GOLDEN=1 updates the page. */
const page = new URL('../../docs/pull-requests.md', import.meta.url);

test('docs/pull-requests.md shows the comment of risky-changes/golden.md', () => {
  const golden = readFileSync(new URL('risky-changes/golden.md', import.meta.url), 'utf8');
  const [, ...lines] = golden
    .replaceAll('http://127.0.0.1:4010', 'https://collect.example.com')
    .trim()
    .split('\n');
  const text = readFileSync(page, 'utf8');
  const part = /(?<=<!-- begin comment -->\n\n).*?(?=\n\n<!-- end comment -->)/s;
  if (process.env['UPDATE_GOLDEN'] === '1')
    writeFileSync(
      page,
      text.replace(part, () => lines.join('\n')),
    );
  expect(part.exec(readFileSync(page, 'utf8'))?.[0]).toBe(lines.join('\n'));
});
