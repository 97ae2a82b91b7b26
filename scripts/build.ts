import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { manPage } from './docs/man-page.js';
import { root } from './fresh.js';
import { bundle, declareTypes } from './products.js';

await bundle();
writeFileSync(join(root, 'dist/roster.1'), manPage());
await declareTypes();
