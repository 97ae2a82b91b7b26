/** Writes docs/pictures from real runs of the built command. Run with `npm run pictures`; a test fails when one is out of date. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { browserPath } from '../test/support/browser.js';
import { root } from './fresh.js';
import { pictures } from './pictures/scenes.js';
import { hashOf, screenshot } from './pictures/screenshot.js';
import { bundle } from './products.js';

await bundle();
const folder = join(root, 'docs/pictures');
mkdirSync(folder, { recursive: true });
const { drawn, page } = await pictures();
for (const [name, picture] of drawn) writeFileSync(join(folder, name), picture);
if (browserPath === undefined)
  console.error('page.png was not written: there is no Chromium. CHROMIUM can name one.');
else {
  writeFileSync(join(folder, 'page.png'), await screenshot(page));
  writeFileSync(join(folder, 'page.png.sha256'), hashOf(page));
}
