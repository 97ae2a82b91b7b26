/**
 * Prints the size of the package and compares it with the recorded one. Run with `npm run size` after a build; with
 * `-- --update` it records the current size.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './fresh.js';
import { byFolder, growth, kilobytes, packedFiles } from './package-size.js';

const record = join(root, 'scripts', 'package-size.json');
const packed = packedFiles();
const { size } = packed;

for (const [folder, bytes] of byFolder(packed)) console.log(`${kilobytes(bytes).padStart(10)}  ${folder}`);
console.log(
  `The package: ${kilobytes(size.packed)} packed, ${kilobytes(size.unpacked)} unpacked, ${packed.files.length} files`,
);
if (process.argv.includes('--update')) writeFileSync(record, `${JSON.stringify(size, null, 2)}\n`);

const grown = growth(JSON.parse(readFileSync(record, 'utf8')), size);
if (grown.length > 0) {
  console.error(`The package has grown by more than a tenth (${grown.join('; ')}).`);
  console.error('If that is intended, run `npm run size -- --update` and commit scripts/package-size.json.');
  process.exitCode = 1;
}
