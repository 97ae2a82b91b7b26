import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { pictures } from '../../scripts/pictures/scenes.js';

const folder = join(import.meta.dirname, '../../docs/pictures');

test('docs/pictures shows what the command prints today (`npm run pictures` writes it)', async () => {
  const made = await pictures();
  expect(readdirSync(folder).sort()).toEqual([...made.keys()].sort());
  for (const [name, picture] of made) expect(readFileSync(join(folder, name), 'utf8'), name).toBe(picture);
});
