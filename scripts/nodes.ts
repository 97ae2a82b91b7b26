// Runs the tests on Node 20, 22, 24 and 26, or on the lines that are passed: npm run test:nodes [-- <lines> <vitest arguments>].
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { root } from './fresh.js';
import { bundle } from './products.js';
import { runVitest } from './vitest.js';

const lines = ['20', '22', '24', '26'];

const given = process.argv.slice(2);
const chosen = lines.filter((line) => given.includes(line));
const parameters = given.filter((each) => !lines.includes(each));

await bundle();
const results = [];
for (const line of chosen.length > 0 ? chosen : lines) results.push(await testOn(line));
console.log(
  `\n${results.map(({ version, passed }) => `${version}: ${passed ? 'passed' : 'FAILED'}`).join('\n')}`,
);
process.exitCode = results.every(({ passed }) => passed) ? 0 : 1;

async function testOn(line: string): Promise<{ version: string; passed: boolean }> {
  const node = await nodeOf(line);
  const version = spawnSync(node, ['--version'], { encoding: 'utf8' }).stdout.trim();
  console.log(`\nNode ${version}`);
  // Tests start the program with process.execPath, or by its shebang, which finds `node` in PATH.
  const env = { PATH: `${dirname(node)}${delimiter}${process.env['PATH'] ?? ''}` };
  const report = `--outputFile.json=node_modules/.cache/roster/test-${line}.json`;
  return { version, passed: runVitest([report, ...parameters], { node, env }) };
}

/** The Node that runs this, if it is of the line; otherwise that of the npm package `node`, in node_modules/.cache. */
async function nodeOf(line: string): Promise<string> {
  if (process.versions.node.startsWith(`${line}.`)) return process.execPath;
  const folder = join(root, 'node_modules/.cache/nodes', line);
  const binary = join(folder, 'node_modules/node/bin', process.platform === 'win32' ? 'node.exe' : 'node');
  if (existsSync(binary)) return binary;
  await mkdir(folder, { recursive: true });
  const install = ['install', '--prefix', folder, '--no-audit', '--no-fund', '--loglevel=error'];
  const { status } = spawnSync('npm', [...install, `node@${line}`], {
    stdio: ['ignore', 2, 2],
    shell: process.platform === 'win32',
  });
  if (status !== 0 || !existsSync(binary)) throw new Error(`could not install Node ${line}`);
  return binary;
}
