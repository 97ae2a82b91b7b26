import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
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
/** Files with tests that count steps. Only the long run counts: V8 then drops all that it has compiled in the process. */
const isCounting = (file: string) => /from '[./]*\/support\/cost\.js'/.test(readFileSync(file, 'utf8'));
const isProgram = (file: string) => program.some((folder) => file.startsWith(`${folder}/`));

/** Most tests below these paths start processes, or are about the simulated service: `npm test` has only those in `quick`. */
const slow = [
  'test/attacks/',
  'test/bench/',
  'test/browser/',
  'test/cli/',
  'test/examples/',
  'test/faults/',
  'test/plans/',
  'test/sandbox/',
  'test/unit/kinds/toy/',
  'test/docs/links.',
  'test/docs/plan-json.',
  'test/unit/init/host-lint.',
  // Of git.
  'test/unit/ci/git.',
  'test/unit/inventory/contained.',
  'test/unit/inventory/git-store.',
  'test/unit/inventory/work-tree.',
  ...[
    'exposed-keys',
    'git-inventory',
    'init',
    'init-verify',
    'log',
    'move',
    'move-held',
    'run-changed',
    'status-clocks',
  ].map((name) => `test/unit/cli/${name}.`),
  // Of odd and lost answers: `npm test` has those of test/faults/every-request.
  ...[
    'data-lost-answers',
    'data-odd-answers',
    'data-rm-odd-answers',
    'run-lost-answers',
    'runs-odd-answers',
  ].map((name) => `test/unit/cli/${name}.`),
  // Large random projects and files: `npm test` has smaller ones of the same features.
  'test/cases/canary.',
  'test/properties/hostile.',
  'test/properties/moved-holds.',
  'test/properties/policies.',
  'test/properties/projects.',
  'test/properties/pull-environments.',
  'test/unit/cli/formats.',
  'test/unit/cli/numbers.',
  'test/unit/schemas/mutations.',
  // Of pairs of features: each alone is in other tests.
  'test/unit/cli/selection-pairs.',
];
const quick = [
  'attacks/reviewed-plan',
  'cli/list/list',
  'cli/loading',
  'cli/pull/write-back',
  'examples/ci-files',
  'faults/bugs',
  'faults/every-request',
].map((name) => `test/${name}.test.ts`);
/** Every test but this one passes without the reader of plain YAML: the library reads the same. */
const aboutPlainReader = 'test/properties/plain-yaml.test.ts';
const withoutPlainReader = {
  name: 'without-plain-reader',
  enforce: 'pre' as const,
  load: (id: string) => (id.endsWith('/src/yaml/plain.ts') ? 'export const readPlain = () => null;' : null),
};
/** Each leaves out one part of the CI files after the other: only `--mode all` has them. */
const isNightly = (file: string) => /-mutants\.test\.ts$/.test(file);
const words = process.argv
  .slice(2)
  .filter((word, index, all) => !/^(-.*|run|watch|list)$/.test(word) && all[index - 1] !== '--mode');
const isNamed = (file: string) => words.some((word) => file.includes(word));
const isSlow = (file: string) => slow.some((start) => file.startsWith(start)) && !quick.includes(file);

const endsWithTheRun = ['--require', resolve('test/support/ends-with-the-run.cjs')];

/** Milliseconds. Only against tests that hang: on a busy machine everything is slow. */
const HANGS = 1_800_000;

/**
 * `npm test` leaves out the slow tests and samples the large ones. `--mode long` runs both; `--mode all` adds the
 * nightly tests and every experiment of test/faults. `--mode library` is `npm test` with the YAML library alone.
 */
export default defineConfig(({ mode }) => {
  const isLong = mode === 'long' || mode === 'all';
  const isLarge = (file: string) => isSlow(file) || sized.test(readFileSync(file, 'utf8'));
  const isLeftOut = (file: string) => (isLong ? !isLarge(file) : isSlow(file)) || isNightly(file);
  const isLibrary = mode === 'library';
  const size = isLong ? mode : (process.env['ROSTER_TESTS'] ?? 'sample');
  const needsOwnProcess = (file: string) => size !== 'sample' && isCounting(file);
  const chosen = files.filter((file) => {
    if (isLibrary && file === aboutPlainReader) return false;
    return mode === 'all' ? isLarge(file) : isNamed(file) || !isLeftOut(file);
  });
  const isFiltered = chosen.some(isNamed);
  const needsProgram = chosen.some((file) => isProgram(file) && (!isFiltered || isNamed(file)));
  const plugins = isLibrary ? [withoutPlainReader] : [];
  const common = {
    // A new process for each file would cost as much as the tests in it. So these tests must not mock a module.
    isolate: false,
    setupFiles: 'test/support/unflushed.ts',
    execArgv: endsWithTheRun,
    // Otherwise the styles of the HTML pages would be empty.
    css: true,
    env: {
      ROSTER_TESTS: size,
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
      outputFile: { json: `node_modules/.cache/roster/${isLong || isLibrary ? mode : 'test'}.json` },
      maxWorkers: 2,
      projects: [
        {
          plugins,
          test: {
            ...common,
            name: 'tests',
            include: chosen.filter((file) => !isMocking(file) && !needsOwnProcess(file)),
            globalSetup: needsProgram ? 'scripts/setup-program.ts' : 'scripts/setup-modules.ts',
          },
        },
        {
          plugins,
          test: {
            ...common,
            name: 'steps',
            include: chosen.filter(needsOwnProcess),
            // V8 counts the loops only of functions that it compiles during the count, so which functions are compiled already
            // must not depend on garbage collection.
            execArgv: [...endsWithTheRun, '--no-flush-bytecode'],
            globalSetup: 'scripts/setup-modules.ts',
          },
        },
        {
          plugins,
          test: {
            ...common,
            name: 'mocks',
            isolate: true,
            include: chosen.filter(isMocking),
            globalSetup: 'scripts/setup-modules.ts',
          },
        },
      ].filter(({ test }) => test.include.length > 0),
    },
  };
});
