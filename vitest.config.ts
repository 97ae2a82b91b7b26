import { configDefaults, defineConfig } from 'vitest/config';

/** Tests that run the built command as a process. */
const program = ['test/cli/**/*.test.ts', 'test/examples/**/*.test.ts', 'test/faults/**/*.test.ts'];

export default defineConfig({
  test: {
    reporters: process.env['CI'] === undefined ? ['default'] : ['default', 'json'],
    outputFile: { json: 'node_modules/.cache/roster/tests.json' },
    maxWorkers: 2,
    projects: [
      {
        test: {
          name: 'modules',
          // Against hanging alone: a loaded machine is slow, and no fault of the code.
          testTimeout: 120_000,
          include: ['test/**/*.test.ts'],
          exclude: [...configDefaults.exclude, ...program],
          globalSetup: 'scripts/setup-modules.ts',
        },
      },
      {
        test: {
          name: 'program',
          include: program,
          globalSetup: 'scripts/setup-program.ts',
          testTimeout: 120_000,
        },
      },
    ],
  },
});
