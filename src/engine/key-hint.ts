import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { readSecret } from '../files/secret-file.js';
import { kinds } from '../kinds/index.js';
import { type Diagnostic, Problem } from '../model/diagnostic.js';
import { isApiKey } from '../model/key-prefix.js';
import type { Project } from '../model/resource.js';
import { keptFiles } from './kept-keys.js';

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
  const files = entries.flatMap(({ kind: name, declared, external }) => {
    const delivery = kinds.find((each) => each.name === name)?.secret?.deliverTo(declared) ?? null;
    return external || delivery === null || !('file' in delivery) ? [] : [delivery.file];
  });
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
