import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join, relative, resolve, sep } from 'node:path';
import { reasonOf } from '../../files/errno.js';
import type { Install } from '../../init/ci-facts.js';
import { type Problem, problem } from '../../model/diagnostic.js';
import { isJsonObject } from '../../model/json.js';
import { version as ownVersion, packageName } from '../version.js';
import { occupantOf } from './new-files.js';

const HASH = 'sha512-[A-Za-z0-9+/]{86}==';
const HASH_ALONE = new RegExp(`^${HASH}$`);
const VERSION = String.raw`\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?`;
/** Only characters that need no quoting in a shell. */
const FILE = /^[\w.@+/-]+\.tgz$/;
const URL_WITH_HASH = new RegExp(`^(https://[\\w.:-]+/[\\w./:@%+~?=&-]*)#(${HASH})$`);
const NPM = new RegExp(`^npm:${packageName}@(${VERSION})(?:#(${HASH}))?$`);
const IMAGE = /^[a-z0-9][\w./:-]*@sha256:[0-9a-f]{64}$/;

interface RepositoryFolders {
  readonly cwd: string;
  readonly root: string;
}

/** What `--install` names. Throws a Problem for anything that pipelines could not check before they run it. */
export function installSource(source: string | undefined, place: RepositoryFolders): Install {
  if (source === undefined) return { from: 'nowhere' };
  const [, url = '', hash = ''] = URL_WITH_HASH.exec(source) ?? [];
  if (url !== '') return { from: 'url', url, version: versionIn(url), integrity: hash };
  const [, version = '', integrity = ''] = NPM.exec(source) ?? [];
  if (version !== '') return published(version, integrity, place.root);
  if (IMAGE.test(source)) return { from: 'image', image: source };
  if (/^(https?|npm):|#|@sha\d/.test(source) || !source.endsWith('.tgz')) throw unusable(source);
  return vendored(source, place);
}

/** The version in the name of a tarball, as `npm pack` writes it. */
function versionIn(path: string): string {
  return new RegExp(`-(${VERSION})\\.tgz$`).exec(path)?.[1] ?? ownVersion;
}

/** What the registry that npm is configured for has of this version, unless the hash was given. */
function published(version: string, given: string, root: string): Install {
  if (given !== '') return { from: 'npm', version, integrity: given };
  const spec = `${packageName}@${version}`;
  const words = ['view', spec, 'dist', '--json', '--fetch-retries=1'];
  const { status, stdout, stderr, error } = spawnSync('npm', words, {
    cwd: root,
    encoding: 'utf8',
    timeout: 60_000,
  });
  const failed = error !== undefined || (status !== 0 && !/\bE404\b/.test(stderr));
  if (failed) {
    const reason = error?.message ?? stderr.trim().split('\n')[0] ?? '';
    throw problem(
      'usage',
      `--install: npm cannot look up ${spec}${reason === '' ? '' : `: ${reason}`}`,
      help,
    );
  }
  const dist = status === 0 ? distIn(stdout) : null;
  if (dist === null) throw problem('usage', `--install: npm does not know ${spec}`, help);
  const { integrity } = dist;
  if (typeof integrity === 'string' && HASH_ALONE.test(integrity)) return { from: 'npm', version, integrity };
  const message = `--install: the registry has ${spec}, but not its sha512 hash`;
  throw problem(
    'usage',
    message,
    `Add the hash: \`npm:${spec}#sha512-…\`. Or use a tarball in this repository.`,
  );
}

/** Null for a version that does not exist: npm prints nothing. */
function distIn(text: string): Readonly<Record<string, unknown>> | null {
  try {
    const dist: unknown = JSON.parse(text);
    return isJsonObject(dist) ? dist : null;
  } catch {
    return null;
  }
}

function vendored(source: string, { cwd, root }: RepositoryFolders): Install {
  const path = relative(root, resolve(cwd, source)).split(sep).join('/');
  if (path.startsWith('../') || !FILE.test(path) || path.startsWith('-')) {
    throw problem(
      'usage',
      `--install: "${source}" is not in this repository, or has special characters in its path`,
      'Copy the tarball into the repository and commit it.',
    );
  }
  if (occupantOf(root, path) !== 'file') {
    throw problem('unreadable-file', `--install: "${source}" is not a regular file`, help);
  }
  return { from: 'file', path, version: versionIn(path), integrity: integrityOf(join(root, path)) };
}

function integrityOf(path: string): string {
  try {
    return `sha512-${createHash('sha512').update(readFileSync(path)).digest('base64')}`;
  } catch (failure) {
    throw problem('unreadable-file', `cannot read ${path}: ${reasonOf(failure)}`);
  }
}

function unusable(source: string): Problem {
  return problem('usage', `--install: "${source}" does not say exactly what to install`, help);
}

const help = [
  'Use a tarball in this repository (`npm pack` makes one), `https://…/roster.tgz#sha512-…`,',
  `\`npm:${packageName}@1.2.3\` or \`image@sha256:…\`.`,
].join(' ');
