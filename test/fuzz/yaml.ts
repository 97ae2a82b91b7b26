// Reads random YAML, repeated until it is large, until a text crashes the reader or costs too much: npm run fuzz:yaml.
// `-- --runs N` says how many texts, `-- --seed N` repeats a run.
import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';
import fc from 'fast-check';
import { canBeRead, read } from '../support/yaml/reading.js';
import { yamlTexts } from '../support/yaml/texts.js';
import { costOf } from './cost.js';

const SIZE = 200_000;
/** How much more than ordinary entries a text of the same size may cost. */
const MOST = 6;

const { values: flags } = parseArgs({ options: { runs: { type: 'string' }, seed: { type: 'string' } } });
const runs = numberOf(flags.runs ?? '2000', 'runs');
const seed = numberOf(flags.seed ?? String(randomInt(2 ** 31)), 'seed');
const repeated = (text: string) => text.repeat(Math.ceil(SIZE / Math.max(1, text.length))).slice(0, SIZE);
const usual = costOf(() => read(repeated('  - { name: a, members: [b, c] }\n')));
/** A text alone, and two that take turns: the second repeats what the first has begun. */
const texts = fc.tuple(yamlTexts, yamlTexts, fc.boolean());
const property = fc.property(texts, ([first, second, isMixed]) => {
  const text = isMixed
    ? (repeated(first).slice(0, SIZE / 2) + repeated(second)).slice(0, SIZE)
    : repeated(first);
  if (!canBeRead(text)) return;
  const cost = Math.min(...[1, 2].map(() => costOf(() => read(text)))) / usual;
  if (cost > MOST) throw new Error(`costs ${cost.toFixed(1)} times as much as ordinary entries`);
});

console.log(`seed ${seed}, ${runs} texts`);
const { failed, counterexample, errorInstance } = fc.check(property, { seed, numRuns: runs });
if (failed) {
  console.error(
    `${JSON.stringify(counterexample)}: ${String(errorInstance)}\n--seed ${seed} finds it again.`,
  );
  process.exitCode = 1;
}

function numberOf(text: string, name: string): number {
  const value = Number(text);
  if (text === '' || !(value >= 0)) throw new Error(`--${name} takes a number, not ${JSON.stringify(text)}`);
  return value;
}
