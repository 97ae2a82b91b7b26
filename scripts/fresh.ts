import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The repository's folder. */
export const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** A build product. Paths are relative to the repository; an input may be a folder, with outputs in it. */
export interface Product {
  readonly name: string;
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
  make(): Promise<void>;
}

/**
 * Makes the product unless its outputs exist and its inputs have not changed since. Compares content, because
 * modification times mean nothing after a `git checkout`.
 */
export async function fresh({ name, inputs, outputs, make }: Product): Promise<void> {
  const stamp = join(root, 'node_modules', '.cache', 'roster', `${name}.stamp`);
  const digest = await digestOf(inputs, outputs);
  const known = existsSync(stamp) ? await readFile(stamp, 'utf8') : '';
  if (known === digest && outputs.every((path) => existsSync(join(root, path)))) return;
  await make();
  await mkdir(dirname(stamp), { recursive: true });
  await writeFile(stamp, digest);
}

async function digestOf(inputs: readonly string[], outputs: readonly string[]): Promise<string> {
  const hash = createHash('sha256');
  for (const input of inputs) {
    for (const path of await filesUnder(input)) {
      if (outputs.includes(path)) continue;
      const content = await readFile(join(root, path));
      hash.update(`${path}\0${content.length}\0`).update(content);
    }
  }
  return hash.digest('hex');
}

async function filesUnder(path: string): Promise<readonly string[]> {
  const absolute = join(root, path);
  if (!existsSync(absolute)) return [];
  if ((await stat(absolute)).isFile()) return [path];
  const entries = await readdir(absolute, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1))
    .sort();
}
