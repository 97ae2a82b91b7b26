import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Metafile } from 'esbuild';

/** The licences of all packages in the bundle. Most require that their text is distributed with the code. */
export async function thirdPartyLicenses(root: string, { outputs }: Metafile): Promise<string> {
  const used = Object.values(outputs).flatMap(({ inputs }) =>
    Object.entries(inputs).flatMap(([path, { bytesInOutput }]) => (bytesInOutput > 0 ? [path] : [])),
  );
  const folders = [...new Set(used.flatMap((path) => packageFolder(path) ?? []))].sort();
  const sections = await Promise.all(folders.map((folder) => section(join(root, folder))));
  return `The roster command contains code of these packages.\n\n${sections.join('\n')}`;
}

/** `node_modules/@scope/name` or `node_modules/name`, at any depth. */
function packageFolder(path: string): string | undefined {
  return /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1];
}

async function section(folder: string): Promise<string> {
  const { name, version, license } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
  const file = (await readdir(folder)).find((each) => /^(licen[cs]e|copying)/i.test(each));
  const text = file === undefined ? `${license}\n` : await readFile(join(folder, file), 'utf8');
  return `${'-'.repeat(72)}\n${name} ${version} (${license})\n\n${text.trim()}\n`;
}
