import { readdirSync } from 'node:fs';
import { dirname, relative, resolve } from 'node:path';
import type { Diagnostic } from '../model/diagnostic.js';
import type { Project } from '../model/resource.js';

const prefix = 'roster-rescued-key-';

/** Where a key is kept that could not be delivered, or not yet: beside the inventory, else in the project's folder. */
export function backUpFolders({ inventory, root }: Project): readonly string[] {
  const beside = 'file' in inventory ? [dirname(resolve(root, inventory.file))] : [];
  return [...new Set([...beside, root])];
}

export function backUpName(): string {
  return `${prefix}${Date.now()}`;
}

/** Keys that an earlier run has left: they work, and lie where a commit may take them along. */
export function backedUpKeys(project: Project): readonly Diagnostic[] {
  const files = backUpFolders(project).flatMap((folder) =>
    namesIn(folder)
      .filter((name) => name.startsWith(prefix))
      .map((name) => relative(project.root, resolve(folder, name))),
  );
  return files.map((file) => ({
    severity: 'warning',
    code: 'undeliverable-key',
    message: `${file} holds an API key that an earlier run could not deliver`,
    help: 'Take it to where it belongs, or revoke it; then delete the file. Never commit it.',
  }));
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    // A folder that is not there, or cannot be read, has nothing to tell.
    return [];
  }
}
