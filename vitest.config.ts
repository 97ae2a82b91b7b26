import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

/** Tests that run the built command as a process. */
const program = ['test/attacks', 'test/cli', 'test/examples', 'test/faults'];
/** What makes a test's size depend on the run. */
const sized = /from '[./]*\/support\/(size|experiments)\.js'/;

const files = readdirSync('test', { recursive: true, encoding: 'utf8' })
  .map((path) => join('test', path).replaceAll('\\', '/'))
  .filter((path) => path.endsWith('.test.ts'));
/** Tests that replace a module: each needs a process of its own. */
const isMocking = (file: string) => file.includes('/toy/');
const isProgram = (file: string) => program.some((folder) => file.startsWith(`${folder}/`));

/** Attacks start many processes: `npm test` runs some, and leaves the others to `--mode long`, unless they are named. */
const isAttack = (file: string) => file.startsWith('test/attacks/');
const sample = ['believed-ids', 'look-alikes'].map((name) => `test/attacks/${name}.test.ts`);
const isLeftOut = (file: string) => isAttack(file) && !sample.includes(file);
const named = process.argv.some((argument) => argument.includes('attacks'));

/** Milliseconds. Only against tests that hang: on a busy machine everything is slow. */
const HANGS = 1_800_000;

/** `npm test` runs all tests but most attacks, and samples of the large ones; `--mode long` runs both in full. */
export default defineConfig(({ mode }) => {
  const isLong = mode === 'long';
  const isLarge = (file: string) => isLeftOut(file) || sized.test(readFileSync(file, 'utf8'));
  const chosen = files.filter((file) => (isLong ? isLarge(file) : named || !isLeftOut(file)));
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
      globalSetup: 'scripts/setup-temp.ts',
      projects: [
        {
          test: {
            ...common,
            name: 'modules',
            include: chosen.filter((file) => !isProgram(file) && !isMocking(file)),
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
        {
          test: {
            ...common,
            name: 'program',
            include: chosen.filter(isProgram),
            globalSetup: 'scripts/setup-program.ts',
          },
        },
      ],
    },
  };
});
