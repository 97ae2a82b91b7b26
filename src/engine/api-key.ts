import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { readGiven } from '../files/given-file.js';
import { isPrivate, readSecret } from '../files/secret-file.js';
import { isApiKey } from '../model/connection.js';
import { type Diagnostic, Problem, problem } from '../model/diagnostic.js';
import type { Project } from '../model/resource.js';
import { findApiKeys } from '../redact/redactor.js';
import { checkApiKey } from '../service/url.js';
import { keyFileOf } from './key-files.js';
import { keptFiles } from './keys.js';

export interface GivenKey {
  readonly key: string;
  readonly warnings: readonly Diagnostic[];
}

/** The only two ways to give the key (contract §6). Throws a Problem, which never shows it. */
export function apiKeyOf(env: Readonly<Record<string, string | undefined>>, cwd: string): GivenKey {
  const [key, file] = [env['ROSTER_API_KEY'] ?? '', env['ROSTER_API_KEY_FILE'] ?? ''];
  if (key !== '' && file !== '') {
    const message = '`ROSTER_API_KEY` and `ROSTER_API_KEY_FILE` are both set';
    throw problem('usage', message, 'Unset one of them.');
  }
  if (file !== '') return keyInFile(resolve(cwd, file), file);
  if (key !== '') return { key: checkApiKey(key), warnings: [] };
  const help =
    'Set it to an API key of the service, or set `ROSTER_API_KEY_FILE` to a file that contains one. There is no flag for the API key.';
  throw problem('missing-setting', '`ROSTER_API_KEY` is not set', help);
}

function keyInFile(path: string, file: string): GivenKey {
  const text = readGiven(path, `${file}, the file of ROSTER_API_KEY_FILE`);
  if (text === null)
    throw problem(
      'unreadable-file',
      `\`ROSTER_API_KEY_FILE\` names ${file}, which does not exist`,
      'Set it to a file that contains an API key.',
    );
  const key = checkApiKey(text, 'the file of ROSTER_API_KEY_FILE');
  return { key, warnings: isPrivate(path) ? [] : [readableByOthers(file)] };
}

function readableByOthers(file: string): Diagnostic {
  const message = `${file}, which holds the API key, can be read by other users`;
  const help = `Run \`chmod 600 ${file}\`.`;
  return { severity: 'warning', code: 'unreadable-file', message, help };
}

/**
 * The same failure, with the file of the new key where it is known: creating a key has revoked the previous one.
 * `isOwn` says whether a key is the one that the service has refused.
 */
export function withKeyHint(failure: unknown, project: Project, isOwn: (key: string) => boolean): unknown {
  if (!(failure instanceof Problem)) return failure;
  if (!failure.diagnostics.some(isUnauthorized)) return failure;
  const file = newKeyFile(project, isOwn);
  if (file === null) return failure;
  const help = `Set \`ROSTER_API_KEY\` to the key in ${file}: creating a key revokes the previous one.`;
  return new Problem(
    failure.diagnostics.map((each): Diagnostic => (isUnauthorized(each) ? { ...each, help } : each)),
  );
}

/** The newest of all, if a run could not deliver it: each key has revoked the previous one. */
function newKeyFile(project: Project, isOwn: (key: string) => boolean): string | null {
  const { root } = project;
  const delivered = deliveredKeys(project, isOwn);
  const kept = keptFiles(project).filter((file) => holdsOther(resolve(root, file), isOwn));
  const written = (file: string) => statSync(resolve(root, file)).mtimeMs;
  const [newest] = [...kept, ...delivered].sort((a, b) => written(b) - written(a));
  if (newest !== undefined && kept.includes(newest)) return newest;
  return delivered.length === 1 ? (delivered[0] ?? null) : null;
}

function isUnauthorized({ code }: Diagnostic): boolean {
  return code === 'unauthorized';
}

function deliveredKeys({ root, entries }: Project, isOwn: (key: string) => boolean): readonly string[] {
  const files = entries.flatMap((entry) => keyFileOf(entry) ?? []);
  return files.filter((file) => holdsOther(resolve(root, file), isOwn));
}

function holdsOther(path: string, isOwn: (key: string) => boolean): boolean {
  const key = keyIn(path);
  return key !== null && !isOwn(key);
}

function keyIn(path: string): string | null {
  try {
    const text = readSecret(path);
    return text !== null && isApiKey(text) ? text : null;
  } catch {
    return null;
  }
}

/** Checks a flag whose value is written to files. Throws a Problem if it contains what looks like a whole API key. */
export function refusePastedKey(flag: string, value: string | undefined): void {
  if (value === undefined || findApiKeys(value).length === 0) return;
  const help = 'roster reads its key from `ROSTER_API_KEY`, or from the file `ROSTER_API_KEY_FILE`.';
  throw problem('unsafe-text', `${flag}: this looks like an API key, which must not be in a file`, help);
}
