import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { useTempFolder } from './scripts/temp-folder.js';

useTempFolder();

/** Tests that run the built command as a process. */
const program = ['test/attacks', 'test/cli', 'test/examples', 'test/faults'];
/** What makes a test's size depend on the run. */
const sized = /from '[./]*\/support\/(size|experiments)\.js'/;

const files = readdirSync('test', { recursive: true, encoding: 'utf8' })
  .map((path) => join('test', path).replaceAll('\\', '/'))
  .filter((path) => path.endsWith('.test.ts'));
/** Tests that replace a module: each needs a process of its own. */
const isMocking = (file: string) => file.includes('/toy/');
/** Tests that count steps: V8 then drops all that it has compiled in the process. */
const isCounting = (file: string) => /from '[./]*\/support\/cost\.js'/.test(readFileSync(file, 'utf8'));
const isProgram = (file: string) => program.some((folder) => file.startsWith(`${folder}/`));

/** Tests that mostly start processes take minutes: `npm test` leaves them to `--mode long`, unless they are named. */
const slow = [
  'test/attacks/',
  'test/examples/',
  ...[
    'data-downloads',
    'proxy',
    'pull/brown-field',
    'races',
    'run-signals',
    'sandbox',
    'scale',
    'signals',
    'streams',
  ].map((name) => `test/cli/${name}.`),
  ...[
    'files',
    'hold',
    'init',
    'interrupted-apply',
    'keys',
    'kills',
    'lost-lock',
    'origin',
    'pull',
    'resume',
    'truth',
    'two-runs',
    'wall-clock',
  ].map((name) => `test/faults/${name}.`),
  // Of git.
  'test/unit/inventory/git-store.',
  'test/unit/inventory/work-tree.',
  ...['git-inventory', 'init-verify', 'log', 'status-clocks'].map((name) => `test/unit/cli/${name}.`),
];
/** These run in `npm test`, too. */
const sample = ['attacks/believed-ids', 'attacks/look-alikes', 'examples/examples', 'examples/install-files'];
const words = process.argv.slice(2).filter((word) => !/^(-.*|run|watch|list)$/.test(word));
const isNamed = (file: string) => words.some((word) => file.includes(word));
const isSlow = (file: string) =>
  slow.some((start) => file.startsWith(start)) && !sample.some((name) => file === `test/${name}.test.ts`);

/** Milliseconds. Only against tests that hang: on a busy machine everything is slow. */
const HANGS = 1_800_000;

/** `npm test` leaves out the slow tests and samples the large ones; `--mode long` runs both in full. */
export default defineConfig(({ mode }) => {
  const isLong = mode === 'long';
  const isLarge = (file: string) => isSlow(file) || sized.test(readFileSync(file, 'utf8'));
  const chosen = files.filter((file) => (isLong ? isLarge(file) : isNamed(file) || !isSlow(file)));
  const isFiltered = chosen.some(isNamed);
  const needsProgram = chosen.some((file) => isProgram(file) && (!isFiltered || isNamed(file)));
  const common = {
    // A new process for each file would cost as much as the tests in it. So these tests must not mock a module.
    isolate: false,
    setupFiles: 'test/support/unflushed.ts',
    // Otherwise the styles of the HTML pages would be empty.
    css: true,
    env: {
      ROSTER_TESTS: isLong ? 'long' : (process.env['ROSTER_TESTS'] ?? 'sample'),
      // The command, started with the environment of the tests, would leave compiled code in the user's folder.
      NODE_DISABLE_COMPILE_CACHE: '1',
    },
    testTimeout: HANGS,
    hookTimeout: HANGS,
    expect: { poll: { timeout: HANGS } },
  };
  return {
    test: {
      reporters: process.env['CI'] === undefined ? ['default'] : ['default', 'json'],
      outputFile: { json: `node_modules/.cache/roster/${isLong ? 'long' : 'test'}.json` },
      maxWorkers: 2,
      projects: [
        {
          test: {
            ...common,
            name: 'tests',
            include: chosen.filter((file) => !isMocking(file) && !isCounting(file)),
            globalSetup: needsProgram ? 'scripts/setup-program.ts' : 'scripts/setup-modules.ts',
          },
        },
        {
          test: {
            ...common,
            name: 'steps',
            include: chosen.filter(isCounting),
            // V8 counts the loops only of functions that it compiles during the count, so which functions are compiled already
            // must not depend on garbage collection.
            execArgv: ['--no-flush-bytecode'],
            globalSetup: 'scripts/setup-modules.ts',
          },
        },
        {
          test: {
            ...common,
            name: 'mocks',
            isolate: true,
            include: chosen.filter(isMocking),
            globalSetup: 'scripts/setup-modules.ts',
          },
        },
      ],
    },
  };
});
