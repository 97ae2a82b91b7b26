// Reads random YAML twice, by the program and by an independent reader, until it means two things: npm run fuzz:yaml.
// `-- --runs N` says how many texts, `-- --seed N` repeats a run.
import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';
import fc from 'fast-check';
import { agreementOn, canBeRead } from '../support/yaml-agreement/agreement.js';
import { yamlTexts } from '../support/yaml-agreement/texts.js';

const batch = 1_000;

const { values: flags } = parseArgs({ options: { runs: { type: 'string' }, seed: { type: 'string' } } });
const runs = numberOf(flags.runs ?? '100000', 'runs');
const seed = numberOf(flags.seed ?? String(randomInt(2 ** 31)), 'seed');
const counts = { read: 0, refused: 0, disputed: 0, onlyRefused: 0 };
const property = fc.property(yamlTexts.filter(canBeRead), (text) => {
  const agreement = agreementOn(text);
  if ('disagree' in agreement) throw new Error(agreement.disagree);
  if ('onlyRefused' in agreement) tell(text, agreement.onlyRefused);
  else if ('disputed' in agreement) counts.disputed += 1;
  else if (agreement.both === 'read') counts.read += 1;
  else counts.refused += 1;
});

console.log(`seed ${seed}, ${runs} texts`);
for (let done = 0; done < runs; done += batch) {
  const numRuns = Math.min(batch, runs - done);
  const { failed, counterexample, errorInstance } = fc.check(property, { seed: seed + done, numRuns });
  if (failed) {
    const [text = ''] = counterexample ?? [];
    console.error(`${JSON.stringify(text)}: ${String(errorInstance)}\n--seed ${seed} finds it again.`);
    process.exitCode = 1;
    break;
  }
  if (done % (10 * batch) === 0) console.log(summary());
}
console.log(summary());

/** Not a failure: nothing wrong is read. But each is worth a look. */
function tell(text: string, message: string): void {
  counts.onlyRefused += 1;
  console.log(`${JSON.stringify(text)} is refused for a reason of its own: ${message}`);
}

function summary(): string {
  return `${counts.onlyRefused} refused for reasons of their own, ${counts.read} read, ${counts.refused} refused by both, ${counts.disputed} refused because parsers disagree`;
}

function numberOf(text: string, name: string): number {
  const value = Number(text);
  if (text === '' || !(value >= 0)) throw new Error(`--${name} takes a number, not ${JSON.stringify(text)}`);
  return value;
}
