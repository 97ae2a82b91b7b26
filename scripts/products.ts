import { spawnSync } from 'node:child_process';
import { cp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { bundle as bundleInto } from './bundle.js';
import { fresh, root } from './fresh.js';
import { thirdPartyLicenses } from './licenses.js';

const dist = join(root, 'dist');

/** Generates code from the schemas, unless it is up to date. */
export async function generate(): Promise<void> {
  await fresh({
    name: 'generate',
    inputs: ['schemas', 'src/sandbox/faults.schema.json', 'scripts/generate.ts', 'package-lock.json'],
    outputs: [
      'src/manifest/generated',
      'src/kinds/generated',
      'src/snapshot/generated',
      'src/sandbox/generated',
      'schemas/report.schema.json',
    ],
    make: async () => run('tsx', 'scripts/generate.ts'),
  });
}

/** Builds the command and the library into dist/, unless they are up to date. */
export async function bundle(): Promise<void> {
  await generate();
  await fresh({
    name: 'bundle',
    inputs: ['src', 'schemas', 'scripts', 'package.json', 'package-lock.json'],
    outputs: ['dist/roster.cjs', 'dist/entry.js', 'dist/index.js', 'dist/THIRD-PARTY-LICENSES.txt'],
    make: async () => {
      const metafile = await bundleInto(root, dist);
      await writeFile(join(dist, 'THIRD-PARTY-LICENSES.txt'), await thirdPartyLicenses(root, metafile));
    },
  });
}

/** Writes the library's types into dist/types. Fails on any type error in src. */
export async function declareTypes(): Promise<void> {
  // Declarations of files that no longer exist would be published.
  await rm(join(dist, 'types'), { recursive: true, force: true });
  run('tsc', '-p', 'tsconfig.build.json');
  // tsc does not copy generated declarations, though its own refer to them.
  for (const folder of ['manifest/generated', 'kinds/generated', 'snapshot/generated', 'sandbox/generated']) {
    await cp(join(root, 'src', folder), join(dist, 'types', folder), {
      recursive: true,
      filter: (path) => !/\.[cm]?js$/.test(path) && (!path.endsWith('.ts') || path.endsWith('.d.ts')),
    });
  }
}

function run(program: string, ...parameters: readonly string[]): void {
  const file = join(root, 'node_modules', '.bin', program);
  const { status, error } = spawnSync(file, parameters, {
    cwd: root,
    stdio: ['ignore', 2, 2],
    shell: process.platform === 'win32',
  });
  if (error !== undefined) throw error;
  if (status !== 0) throw new Error(`${[program, ...parameters].join(' ')} ended with ${status}`);
}
