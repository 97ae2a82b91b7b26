import { readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';

/** README.md shows some of the comments as a reader of a pull request sees them. UPDATE_GOLDEN=1 puts them in. */
const readme = new URL('../../README.md', import.meta.url);

test.each(['what-can-hurt', 'pipeline-and-who-uses-it'])('README.md shows %s as it is', (name) => {
  const golden = readFileSync(new URL(`${name}/golden.md`, import.meta.url), 'utf8');
  const [, ...lines] = golden
    .replaceAll('http://127.0.0.1:4010', 'https://collect.example.com')
    .trim()
    .split('\n');
  const text = readFileSync(readme, 'utf8');
  const part = new RegExp(`(?<=<!-- begin ${name} -->\n\n).*?(?=\n\n<!-- end ${name} -->)`, 's');
  if (process.env['UPDATE_GOLDEN'] === '1')
    writeFileSync(
      readme,
      text.replace(part, () => lines.join('\n')),
    );
  expect(part.exec(readFileSync(readme, 'utf8'))?.[0]).toBe(lines.join('\n'));
});
