import { chmod, copyFile, readFile, rm } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { build, type Metafile, type Plugin } from 'esbuild';

/**
 * Bundles the command and the library with their packages into `folder`: installing roster installs nothing else, and works
 * offline. Both share their chunks. What the source loads with `import()` becomes a chunk of its own.
 */
export async function bundle(root: string, folder: string): Promise<Metafile> {
  const chunks = join(folder, 'chunks');
  await rm(chunks, { recursive: true, force: true });
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: ['src/entry.ts', 'src/index.ts'],
    outdir: folder,
    chunkNames: 'chunks/[name]-[hash]',
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20.18',
    banner: { js: requireInModules },
    plugins: [rawText],
    legalComments: 'none',
    // Names are kept, so that stack traces in bug reports are readable.
    minifySyntax: true,
    minifyWhitespace: true,
    metafile: true,
    logLevel: 'warning',
  });
  const command = join(folder, 'roster.cjs');
  await copyFile(join(root, 'src/roster.cjs'), command);
  await chmod(command, 0o755);
  return metafile;
}

/** Some packages are CommonJS, and `require` built-in modules of Node, which modules cannot do by themselves. */
const requireInModules =
  "import { createRequire as __createRequire } from 'node:module';const require = __createRequire(import.meta.url);";

/**
 * `import text from './file?raw'`, as in tests. The names of chunks depend on the path: it is relative, so that a build is
 * the same in any folder, and anyone can compare the hash of a released tarball with that of their own.
 */
const rawText: Plugin = {
  name: 'raw-text',
  setup({ onResolve, onLoad, initialOptions: { absWorkingDir: root = '' } }) {
    onResolve({ filter: /\?raw$/ }, ({ path, resolveDir }) => ({
      path: relative(root, join(resolveDir, path.replace(/\?raw$/, ''))).replaceAll('\\', '/'),
      namespace: 'raw-text',
    }));
    onLoad({ filter: /.*/, namespace: 'raw-text' }, async ({ path }) => ({
      contents: await readFile(join(root, path), 'utf8'),
      loader: 'text',
    }));
  },
};
