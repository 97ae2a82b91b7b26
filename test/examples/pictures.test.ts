import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { type Pictures, pictures } from '../../scripts/pictures/scenes.js';
import { hashOf } from '../../scripts/pictures/screenshot.js';

const folder = join(import.meta.dirname, '../../docs/pictures');
const read = (name: string) => readFileSync(join(folder, name), 'utf8');

let made: Pictures;
beforeAll(async () => {
  made = await pictures();
});

test('docs/pictures shows what the command prints today (`npm run pictures` writes it)', () => {
  expect(readdirSync(folder).sort()).toEqual([...made.drawn.keys(), 'page.png', 'page.png.sha256'].sort());
  for (const [name, picture] of made.drawn) expect(read(name), name).toBe(picture);
});

test('page.png is a picture of the HTML page of today (`npm run pictures` takes it, with a Chromium)', () => {
  expect(read('page.png.sha256')).toBe(hashOf(made.page));
});
