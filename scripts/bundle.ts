import { createHash } from 'node:crypto';
import { chmod, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import { type BuildOptions, build, type Metafile, type Plugin, transform } from 'esbuild';
import { nodeGuard } from './node-guard.js';

const common = {
  bundle: true,
  write: false,
  metafile: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20.18',
  charset: 'ascii',
  legalComments: 'none',
  logLevel: 'warning',
} as const satisfies BuildOptions;

/** Packages and files that most runs never need. Each gets its own chunk, which loads on first use. */
const lazyPackages = [
  './src/manifest/generated/failures.js',
  './src/manifest/generated/quick-defaults.js',
  './src/manifest/generated/quick-keys.js',
  './src/manifest/generated/quick-variants.js',
  './src/manifest/generated/quick-vars.js',
  './src/timing/local-time.ts',
  'cron-parser',
  'diff',
  'fastest-levenshtein',
  'p-limit',
  'picomatch',
  'semver',
  'string-width',
  'tinyglobby',
  'yaml',
];

/**
 * Bundles the command as CommonJS in chunks that load on first use. Node starts CommonJS faster than modules, and most
 * of the start of a run would be loading code that it does not need. esbuild can split only modules, so the first pass
 * makes modules, and the second turns each chunk into lazy CommonJS.
 */
export async function bundleCommand(root: string, entry: string, folder: string): Promise<Metafile> {
  const first = await build({
    ...common,
    absWorkingDir: root,
    entryPoints: {
      roster: entry,
      ...Object.fromEntries(lazyPackages.map((name) => [`unused/${name}`, name])),
    },
    outdir: folder,
    outExtension: { '.js': '.cjs' },
    chunkNames: 'chunks/[name]-[hash]',
    mainFields: ['module', 'main'],
    // The same code without reading the environment for each token, which takes a quarter of its time.
    alias: { yaml: './node_modules/yaml/browser/dist/index.js' },
    define: { 'import.meta.url': '__moduleUrl' },
    plugins: [withoutUnused, withoutCronDates, withProcessTime, fastPackages, asText],
  });
  // The entry of a package itself contains only the parts that roster does not use.
  const used = first.outputFiles.filter(({ path }) => !path.startsWith(join(folder, 'unused')));
  const files = await Promise.all(used.map(toCommonJs));
  const start = await startOf(root, files);
  await replaceFiles(
    files.map((file) => (isEntry(file) ? startingWith(start, file) : file)),
    join(folder, 'chunks'),
  );
  await rm(join(folder, 'cache'), { recursive: true, force: true });
  await chmod(join(folder, 'roster.cjs'), 0o755);
  return first.metafile;
}

interface OutputFile {
  readonly path: string;
  readonly text: string;
}

/** An old Node must be able to read the file that says that it is too old. */
const entryTarget = 'node12';
const shape = { format: 'cjs', platform: 'node', target: 'node20.18', charset: 'ascii' } as const;

async function toCommonJs({ path, text }: OutputFile): Promise<OutputFile> {
  const { code } = await transform(text, { ...shape, supported: { 'dynamic-import': false } });
  // Names are kept, so that stack traces in bug reports are readable.
  const target = isEntry({ path }) ? entryTarget : shape.target;
  const small = await transform(lazily(directly(code)), {
    ...shape,
    target,
    minifySyntax: true,
    minifyWhitespace: true,
  });
  const url = "const __moduleUrl=require('node:url').pathToFileURL(__filename).href;\n";
  return { path, text: (text.includes('__moduleUrl') ? url : '') + small.code };
}

function isEntry({ path }: Pick<OutputFile, 'path'>): boolean {
  return basename(path) === 'roster.cjs';
}

/** What loads the chunks of this build (src/start). It is part of the entry, and shares no chunk with the rest. */
async function startOf(root: string, files: readonly OutputFile[]): Promise<string> {
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: ['src/start/start.ts'],
    bundle: true,
    write: false,
    platform: 'node',
    format: 'iife',
    globalName: '__start',
    target: entryTarget,
    charset: 'ascii',
    minifySyntax: true,
    minifyWhitespace: true,
  });
  const text = outputFiles[0]?.text ?? '';
  const hash = createHash('sha256').update(text);
  for (const file of files.toSorted((a, b) => (a.path < b.path ? -1 : 1)))
    hash.update(`\0${basename(file.path)}\0${file.text}`);
  return `var __build="${hash.digest('hex').slice(0, 32)}";${text}`;
}

function startingWith(start: string, { path, text }: OutputFile): OutputFile {
  const code = text.replaceAll(/require\("\.\/chunks\/([^"]+)"\)/g, '__chunk("$1")');
  const head = `#!/usr/bin/env node\n${nodeGuard}${start}var __chunk=__start.loader(__dirname,require);\n`;
  return { path, text: head + code };
}

/** esbuild exports a copy of what a chunk has, and each access would go through two getters: one will do. */
function directly(code: string): string {
  return code.replace(
    'module.exports = __toCommonJS(stdin_exports);',
    'module.exports = __defProp(stdin_exports, "__esModule", { value: true });',
  );
}

/**
 * Turns each `var import_x = require("x")` at the top of a chunk, as esbuild writes it, into a function that requires
 * on its first call, and each `import_x.name` into `(import_x()).name`, which is also valid after `new`.
 */
function lazily(code: string): string {
  const declaration = /^var (import_\w+) = (.*require.*);$/gm;
  const names = [...code.matchAll(declaration)].map((match) => match[1]);
  if (names.length === 0) return code;
  const lazy = code
    .replace(declaration, 'var $1_value, $1 = () => ($1_value ??= $2);')
    .replaceAll(new RegExp(`\\b(${names.join('|')})\\.`, 'g'), '($1()).');
  const other = new RegExp(`\\b(?:${names.join('|')})\\b(?!\\(\\)\\)\\.| = \\(\\) =>)`).exec(lazy);
  if (other !== null) throw new Error(`an import that cannot be made lazy: ${other[0]}`);
  return lazy;
}

/**
 * Built-in modules that packages load and roster does not use: for commander's subcommands as separate programs, and
 * for undici's HTTP/2, which is off by default.
 */
const unusedBuiltIns: Readonly<Record<string, string>> = {
  'node:child_process': 'commander',
  'node:http2': 'undici',
};

const withoutUnused: Plugin = {
  name: 'without-unused-built-ins',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^node:(child_process|http2)$/ }, ({ path, importer }) => {
      const isUnused = importer.split(/[\\/]/).includes(unusedBuiltIns[path] ?? '');
      return isUnused ? { path: 'nothing', namespace: 'nothing' } : undefined;
    });
    // undici reads the names of headers from it.
    onLoad({ filter: /.*/, namespace: 'nothing' }, () => ({ contents: 'exports.constants = {};' }));
  },
};

/**
 * cron-parser gives each expression a start date, which roster never uses. Without this stub, it would load all of
 * luxon and set up Intl.
 */
const withoutCronDates: Plugin = {
  name: 'without-cron-dates',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^luxon$/ }, () => ({ path: 'no-dates', namespace: 'no-dates' }));
    onLoad({ filter: /.*/, namespace: 'no-dates' }, () => ({
      contents: 'exports.DateTime = { fromJSDate: (_, { zone }) => ({ isValid: true, zoneName: zone }) };',
    }));
  },
};

/** The command asks its own process for local times (src/timing/process-time.ts), which itself asks Intl for others. */
const withProcessTime: Plugin = {
  name: 'with-process-time',
  setup({ onResolve }) {
    onResolve({ filter: /\/local-time\.js$/ }, ({ importer, resolveDir }) =>
      basename(importer) === 'zone.ts' ? { path: join(resolveDir, 'process-time.ts') } : undefined,
    );
  },
};

/**
 * `import text from './file?raw'`, as in tests. The names of chunks depend on the path: it is relative, so that a build is
 * the same in any folder, and anyone can compare the hash of a released tarball with that of their own.
 */
const asText: Plugin = {
  name: 'as-text',
  setup({ onResolve, onLoad, initialOptions: { absWorkingDir: root = '' } }) {
    onResolve({ filter: /\?raw$/ }, ({ path, resolveDir }) => ({
      path: relative(root, join(resolveDir, path.replace(/\?raw$/, ''))).replaceAll('\\', '/'),
      namespace: 'text',
    }));
    onLoad({ filter: /.*/, namespace: 'text' }, async ({ path }) => ({
      contents: await readFile(join(root, path), 'utf8'),
      loader: 'text',
    }));
  },
};

/**
 * Nobody reads the names inside packages and generated code, and long names slow down every start. V8 of Node 20 gives
 * each object of a literal such as `{ ...a, b }` a hidden class of its own, and drops the code that it optimized for the
 * others: with those, a parser takes more than twice as long.
 */
const fastPackages: Plugin = {
  name: 'fast-packages',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/](node_modules|generated)[\\/].*\.[cm]?js$/ }, async ({ path }) => {
      const text = await readFile(path, 'utf8');
      const { code } = await transform(text, {
        target: shape.target,
        supported: { 'object-rest-spread': false },
        minifyIdentifiers: true,
      });
      return { contents: code };
    });
  },
};

/** Some packages are CommonJS, and `require` built-in modules of Node. */
const requireInModules =
  "import { createRequire as __createRequire } from 'node:module';\nconst require = __createRequire(import.meta.url);";

/** Bundles the library as modules, with its packages: installing roster installs nothing else, and works offline. */
export async function bundleLibrary(root: string, entry: string, folder: string): Promise<void> {
  const { outputFiles } = await build({
    ...common,
    absWorkingDir: root,
    entryPoints: { index: entry },
    outdir: folder,
    chunkNames: 'library/[name]-[hash]',
    banner: { js: requireInModules },
    plugins: [withoutCronDates, fastPackages, asText],
    minifySyntax: true,
    minifyWhitespace: true,
  });
  await replaceFiles(outputFiles, join(folder, 'library'));
}

/** Writes each file atomically, entries last, then removes the chunks of earlier builds. */
async function replaceFiles(files: readonly OutputFile[], chunks: string): Promise<void> {
  const isChunk = (file: OutputFile) => dirname(file.path) === chunks;
  for (const file of files.filter(isChunk)) await replaceFile(file);
  for (const file of files.filter((each) => !isChunk(each))) await replaceFile(file);
  const kept = new Set(files.map((file) => basename(file.path)));
  const present = await readdir(chunks).catch(() => []);
  await Promise.all(
    present.filter((name) => !kept.has(name)).map((name) => rm(join(chunks, name), { force: true })),
  );
}

async function replaceFile({ path, text }: OutputFile): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const draft = `${path}.${process.pid}.tmp`;
  await writeFile(draft, text);
  await rename(draft, path);
}
