import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { bundle } from '../../scripts/bundle.js';
import { root } from '../../scripts/fresh.js';
import { byFolder, growth } from '../../scripts/package-size.js';
import { declareTypes } from '../../scripts/products.js';
import { isLong } from '../support/size.js';

describe('the recorded size of the package', () => {
  const recorded = { packed: 1000, unpacked: 4000 };

  test('may be exceeded by a tenth', () => {
    expect(growth(recorded, { packed: 1100, unpacked: 4400 })).toEqual([]);
    expect(growth(recorded, { packed: 500, unpacked: 4401 })).toEqual(['unpacked: 4 kB recorded, 4 kB now']);
    expect(growth(recorded, { packed: 1101, unpacked: 4401 })).toHaveLength(2);
  });

  test('is printed by folder, the largest first', () => {
    const files = [
      { path: 'README.md', size: 1 },
      { path: 'dist/chunks/a.js', size: 3 },
      { path: 'docs/ci.md', size: 2 },
      { path: 'dist/chunks/b.js', size: 4 },
    ];
    expect(byFolder({ files })).toEqual([
      ['dist/chunks', 7],
      ['docs', 2],
      ['README.md', 1],
    ]);
  });
});

test('two builds are the same, and do not depend on the folder that they are made in', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'roster-build-'));
  const build = async (name: string) => {
    const out = join(folder, name);
    const { inputs } = await bundle(root, out);
    const files = readdirSync(out, { recursive: true, withFileTypes: true }).filter((each) => each.isFile());
    const texts = files.map((each): [string, string] => [
      each.name,
      readFileSync(join(each.parentPath, each.name), 'utf8'),
    ]);
    return { inputs: Object.keys(inputs), texts: new Map(texts) };
  };
  const [one, other] = [await build('one'), await build('other')];
  rmSync(folder, { recursive: true });
  expect(one.texts.size).toBeGreaterThan(20);
  expect([...one.texts.keys()]).toContain('roster.cjs');
  expect(other).toEqual(one);
  expect([...one.inputs, ...one.texts.values()].filter((each) => each.includes(root))).toEqual([]);
});

describe.runIf(isLong)('the types of the packed library', () => {
  const folder = mkdtempSync(join(tmpdir(), 'roster-types-'));
  const installed = join(folder, 'node_modules');

  beforeAll(async () => {
    await declareTypes();
    const pack = ['pack', '--ignore-scripts', '--silent', '--pack-destination', folder];
    execFileSync('npm', pack, { cwd: root, stdio: 'ignore' });
    const tarball = join(folder, `${manifest.name}-${manifest.version}.tgz`);
    mkdirSync(join(installed, manifest.name), { recursive: true });
    execFileSync('tar', ['-xzf', tarball, '-C', join(installed, manifest.name), '--strip-components=1']);
    // The only types that a program for Node needs besides.
    for (const name of ['@types/node', 'undici-types'])
      cpSync(join(root, 'node_modules', name), join(installed, name), { recursive: true });
    const use = `import { createClient, type Sandbox } from '${manifest.name}';\nexport const use = createClient;\nexport type S = Sandbox;\n`;
    writeFileSync(join(folder, 'module.mts'), use);
    const dynamic = `export const use = import('${manifest.name}').then(({ createClient }) => createClient);\n`;
    const wrong = `export const wrong: Promise<string> = import('${manifest.name}').then((all) => all.createClient);\n`;
    writeFileSync(join(folder, 'common.cts'), dynamic);
    writeFileSync(join(folder, 'wrong.cts'), wrong);
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  /** The errors of the compiler, which checks the declarations of the package, too. */
  function errorsOf(module: string, resolution: string, file: string): string[] {
    const how = ['--module', module, '--moduleResolution', resolution, '--skipLibCheck', 'false'];
    const args = [
      ...how,
      '--noEmit',
      '--strict',
      '--target',
      'es2022',
      '--types',
      'node',
      '--ignoreConfig',
      file,
    ];
    try {
      execFileSync(join(root, 'node_modules/.bin/tsc'), args, {
        cwd: folder,
        encoding: 'utf8',
        stdio: 'pipe',
      });
      return [];
    } catch (failure) {
      if (!(failure instanceof Error && 'stdout' in failure)) throw failure;
      return String(failure.stdout).trim().split('\n');
    }
  }

  test.each([
    ['node16', 'node16', 'module.mts'],
    ['node16', 'node16', 'common.cts'],
    ['nodenext', 'nodenext', 'module.mts'],
    ['nodenext', 'nodenext', 'common.cts'],
    ['esnext', 'bundler', 'module.mts'],
    ['preserve', 'bundler', 'common.cts'],
  ])('resolve with %s and %s in %s, without skipLibCheck', (module, resolution, file) => {
    expect(errorsOf(module, resolution, file)).toEqual([]);
  });

  test('are not just any', () => {
    expect(errorsOf('node16', 'node16', 'wrong.cts')[0]).toContain('TS2322');
  });
});
