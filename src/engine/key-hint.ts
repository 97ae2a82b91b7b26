import { resolve } from 'node:path';
import { readSecret } from '../files/secret-file.js';
import { kinds } from '../kinds/index.js';
import { type Diagnostic, Problem } from '../model/diagnostic.js';
import { isApiKey } from '../model/key-prefix.js';
import type { Project } from '../model/resource.js';

/**
 * The same failure, with the file of the new key where there is exactly one: creating a key has revoked the previous one.
 * `isOwn` says whether a key is the one that the service has refused.
 */
export function withKeyHint(failure: unknown, project: Project, isOwn: (key: string) => boolean): unknown {
  if (!(failure instanceof Problem)) return failure;
  if (!failure.diagnostics.some(isUnauthorized)) return failure;
  const [file, ...others] = deliveredKeys(project, isOwn);
  if (file === undefined || others.length > 0) return failure;
  const help = `Set \`ROSTER_API_KEY\` to the key in ${file}: creating a key revokes the previous one.`;
  return new Problem(
    failure.diagnostics.map((each): Diagnostic => (isUnauthorized(each) ? { ...each, help } : each)),
  );
}

function isUnauthorized({ code }: Diagnostic): boolean {
  return code === 'unauthorized';
}

function deliveredKeys({ root, entries }: Project, isOwn: (key: string) => boolean): readonly string[] {
  const files = entries.flatMap(({ kind: name, declared, external }) => {
    const delivery = kinds.find((each) => each.name === name)?.secret?.deliverTo(declared) ?? null;
    return external || delivery === null || !('file' in delivery) ? [] : [delivery.file];
  });
  return files.filter((file) => {
    const key = keyIn(resolve(root, file));
    return key !== null && !isOwn(key);
  });
}

function keyIn(path: string): string | null {
  try {
    const text = readSecret(path);
    return text !== null && isApiKey(text) ? text : null;
  } catch {
    return null;
  }
}
