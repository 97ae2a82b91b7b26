// Prints which tests failed in the given reports of vitest, and how many passed and failed. A test that is in several of them
// counts once, and passes if it passes in all. A run without a report, and a file that fails without a failed test (it does not
// load, or a hook fails), count as one failure. Errors outside of tests are in no report: the exit code of the run tells.
import { existsSync, readFileSync } from 'node:fs';
import { basename, relative } from 'node:path';

const results = new Map();
for (const report of process.argv.slice(2)) {
  const run = basename(report, '.json');
  if (!existsSync(report)) fail(report, `${run}: no report was written, because the run stopped early`);
  else for (const file of JSON.parse(readFileSync(report, 'utf8')).testResults) count(run, file);
}
const passed = [...results.values()].filter(Boolean).length;
console.log(`${passed} passed, ${results.size - passed} failed`);

function fail(key, text) {
  results.set(key, false);
  console.log(`failed: ${text}`);
}

function count(run, { name: file, status, message, assertionResults }) {
  const path = `${run}: ${relative('.', file)}`;
  const failedAlone = assertionResults.every((test) => test.status !== 'failed');
  if (status === 'failed' && failedAlone) fail(file, `${path}: ${firstLine(message)}`);
  /** How often a name occurs in the file: tests of one name are different tests. */
  const times = new Map();
  for (const test of assertionResults) {
    times.set(test.fullName, (times.get(test.fullName) ?? 0) + 1);
    if (test.status !== 'passed' && test.status !== 'failed') continue;
    const key = `${file} ${test.fullName} ${times.get(test.fullName)}`;
    if (test.status === 'failed')
      fail(key, `${path} > ${test.fullName}: ${firstLine(test.failureMessages[0])}`);
    else if (!results.has(key)) results.set(key, true);
  }
}

function firstLine(text = '') {
  return text.split('\n')[0];
}
