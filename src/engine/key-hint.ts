import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { kinds } from '../kinds/index.js';
import { Problem } from '../model/diagnostic.js';
import type { Project } from '../model/resource.js';

/** A refused API key has often been replaced by one of this project: names the file with the new one. */
export function withKeyHint(failure: unknown, project: Project, keyFile: string | null): unknown {
  if (!(failure instanceof Problem) || !failure.diagnostics.some(({ code }) => code === 'unauthorized'))
    return failure;
  const files = deliveredFiles(project).filter((file) => resolve(project.root, file) !== keyFile);
  if (files.length === 0) return failure;
  const help = `If this project has created a new key since, set \`ROSTER_API_KEY\` to the key in ${files.join(' or ')}: creating a key revokes the previous one.`;
  return new Problem(
    failure.diagnostics.map((each) => (each.code === 'unauthorized' ? { ...each, help } : each)),
  );
}

/** As the manifest names them; only those that exist. */
function deliveredFiles({ entries, root }: Project): string[] {
  return entries.flatMap(({ kind: name, declared }) => {
    const to = kinds.find((kind) => kind.name === name)?.secret?.deliverTo(declared) ?? null;
    return to !== null && 'file' in to && existsSync(resolve(root, to.file)) ? [to.file] : [];
  });
}
