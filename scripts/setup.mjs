// Installs the dependencies if node_modules does not match package-lock.json, so that `npm test` and `npm run demo`
// work in a fresh clone, and offline afterwards. With a folder, installs those of the package in it.
// Plain JavaScript, because it runs before anything is installed.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(dirname(fileURLToPath(import.meta.url))), process.argv[2] ?? '.');

if (!isInstalled()) install();

function isInstalled() {
  const expected = packagesOf(join(root, 'package-lock.json'));
  const installed = packagesOf(join(root, 'node_modules', '.package-lock.json'));
  if (expected === null || installed === null) return false;
  return (
    Object.entries(expected).every(([path, entry]) => path === '' || fits(entry, installed[path])) &&
    Object.keys(installed).every((path) => path in expected)
  );
}

/** npm does not install optional packages of other platforms. */
function fits(expected, installed) {
  if (installed === undefined) return expected.optional === true;
  const { version, integrity } = installed;
  return expected.version === version && (expected.integrity ?? integrity) === integrity;
}

function packagesOf(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8')).packages;
  } catch (error) {
    if (error.code === 'ENOENT') return null;
    throw error;
  }
}

function install() {
  console.error('Installing dependencies (npm ci)…');
  const options = { cwd: root, stdio: ['ignore', 2, 2], shell: process.platform === 'win32' };
  const parameters = [
    'ci',
    '--include=dev',
    '--prefer-offline',
    '--no-audit',
    '--no-fund',
    '--loglevel=error',
  ];
  const { status, error } = spawnSync('npm', parameters, options);
  if (error !== undefined) throw error;
  if (status !== 0) process.exit(status ?? 1);
}
