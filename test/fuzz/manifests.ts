// Changes manifests at random and reads them, until something happens that never may: npm run fuzz.
// `-- --minutes N` (or ROSTER_FUZZ_MINUTES) says for how long, `-- --seed N` repeats a run.
import { randomInt } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import fc from 'fast-check';
import { stringify } from 'yaml';
import { root } from '../../scripts/fresh.js';
import { kinds } from '../../src/kinds/index.js';
import { type Loaded, loadProject } from '../../src/manifest/load.js';
import { corpus } from '../support/hostile/corpus.js';
import { edited, edits } from '../support/hostile/edits.js';
import { complaints } from '../support/hostile/verdict.js';
import { whole } from '../unit/schemas/whole.js';
import { costOf } from './cost.js';

/** Most milliseconds of processor time that one file may take to be read. */
const longest = 2_000;
const batch = 500;
/** Larger ones would leave little time for others. */
const largest = 20_000;

const { values: flags } = parseArgs({ options: { minutes: { type: 'string' }, seed: { type: 'string' } } });
const minutes = numberOf(flags.minutes ?? process.env['ROSTER_FUZZ_MINUTES'] ?? '10', 'minutes');
const seed = numberOf(flags.seed ?? String(randomInt(2 ** 31)), 'seed');
const folder = mkdtempSync(join(tmpdir(), 'roster-fuzz-'));
const file = join(folder, 'roster.yaml');
const right = wellFormed();
const begun = [...right, ...hostile(seed)];
const which = fc.oneof(fc.nat(right.length - 1), fc.nat(begun.length - 1));

console.log(
  `seed ${seed}, ${minutes} minutes, ${begun.length} manifests; what is read last stands in ${file}`,
);
const found = run();
if (found === null) rmSync(folder, { recursive: true });
else {
  console.error(`${found}\n\nThe manifest stands in ${file}; --seed ${seed} finds it again.`);
  process.exitCode = 1;
}

/** What came to pass that never may, as few changes as possible; null when nothing did. */
function run(): string | null {
  const end = Date.now() + minutes * 60_000;
  let count = 0;
  for (let round = 0; Date.now() < end; round += 1) {
    const property = fc.property(which, edits, (index, list) => {
      count += 1;
      const bytes = edited(begun[index] ?? Buffer.of(), list);
      const trouble = troubleWith(bytes);
      if (trouble.length > 0) throw new Error(trouble.join('\n'));
    });
    const { failed, counterexample, errorInstance } = fc.check(property, {
      seed: seed + round,
      numRuns: batch,
    });
    if (failed) {
      const [index = 0, list = []] = counterexample ?? [];
      // Shrinking goes on after the last failure: the file shall hold what fails.
      writeFileSync(file, edited(begun[index] ?? Buffer.of(), list));
      return `${String(errorInstance)}\nafter ${JSON.stringify(list)}`;
    }
    if (round % 20 === 0) console.log(`${count} read`);
  }
  console.log(`${count} read, and all is well`);
  return null;
}

function troubleWith(bytes: Uint8Array): readonly string[] {
  writeFileSync(file, bytes);
  let loaded: Loaded | undefined;
  const cost = costOf(() => {
    loaded = loadProject({ cwd: folder, environment: null, env: { HOME: '/home' }, kinds });
  });
  const trouble = loaded === undefined ? [] : complaints(loaded, new Map([['roster.yaml', bytes]]));
  return cost > longest ? [...trouble, `it takes ${Math.round(cost)} ms`] : trouble;
}

function wellFormed(): Uint8Array[] {
  const paths = readdirSync(join(root, 'examples'), { recursive: true, encoding: 'utf8' });
  const examples = paths.filter((path) => path.endsWith('.yaml'));
  return [
    ...examples.map((path) => readFileSync(join(root, 'examples', path))),
    ...whole.map((each) => Buffer.from(stringify(each))),
  ];
}

function hostile(seed: number): Uint8Array[] {
  const files = corpus(seed).flatMap((each) => Object.values(each.files));
  return files.filter((text) => text.length <= largest).map((text) => Buffer.from(text));
}

function numberOf(text: string, name: string): number {
  const value = Number(text);
  if (text === '' || !(value >= 0)) throw new Error(`--${name} takes a number, not ${JSON.stringify(text)}`);
  return value;
}
