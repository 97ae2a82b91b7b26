/** Writes docs/pictures from real runs of the built command. Run with `npm run pictures`; a test fails when one is out of date. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './fresh.js';
import { pictures } from './pictures/scenes.js';
import { bundle } from './products.js';

await bundle();
const folder = join(root, 'docs/pictures');
mkdirSync(folder, { recursive: true });
for (const [name, picture] of await pictures()) writeFileSync(join(folder, name), picture);
