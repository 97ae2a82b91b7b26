// Prints how many tests passed and failed in the given reports of vitest. A test that is in several of them counts
// once, and passes if it passes in all. A run without a report, and a file that fails without a failed test (it does not
// load, or a hook fails), count as one failure.
import { existsSync, readFileSync } from 'node:fs';

const results = new Map();
for (const report of process.argv.slice(2)) {
  if (!existsSync(report)) results.set(report, false);
  else for (const file of JSON.parse(readFileSync(report, 'utf8')).testResults) count(file);
}
const passed = [...results.values()].filter(Boolean).length;
console.log(`${passed} passed, ${results.size - passed} failed`);

function count({ name: file, status, assertionResults }) {
  const failedAlone = assertionResults.every((test) => test.status !== 'failed');
  if (status === 'failed' && failedAlone) results.set(file, false);
  /** How often a name occurs in the file: tests of one name are different tests. */
  const times = new Map();
  for (const test of assertionResults) {
    times.set(test.fullName, (times.get(test.fullName) ?? 0) + 1);
    if (test.status !== 'passed' && test.status !== 'failed') continue;
    const key = `${file} ${test.fullName} ${times.get(test.fullName)}`;
    results.set(key, test.status === 'passed' && results.get(key) !== false);
  }
}
