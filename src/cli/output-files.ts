import { realpathSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { problem } from '../model/diagnostic.js';
import type { CommonFlags, Host } from './settings.js';

/** Every flag that names a file to write. */
export interface Outputs extends Pick<CommonFlags, 'write'> {
  readonly out?: string;
  readonly report?: string;
}

/** Refuses to write over a file of the project, or two results into one file. `own` are absolute paths. */
export function checkOutputs(flags: Outputs, own: readonly string[], host: Host): void {
  const outputs = outputsOf(flags);
  if (outputs.length === 0) return;
  const reserved = new Set(own.flatMap((path) => [identityOf(path), identityOf(`${path}.lock`)]));
  const named = new Map<string, string>();
  for (const { flag, file } of outputs) {
    const identity = identityOf(resolve(host.cwd, file));
    const other = named.get(identity);
    if (reserved.has(identity))
      throw problem('usage', `${flag}: "${file}" is a file of the project itself`, 'Name another file.');
    if (other !== undefined)
      throw problem('usage', `${flag}: "${file}" is written by ${other} already`, 'Name another file.');
    named.set(identity, flag);
  }
}

/** Absolute paths of what the flags name. */
export function outputPaths(flags: Outputs, { cwd }: Host): readonly string[] {
  return outputsOf(flags).map(({ file }) => resolve(cwd, file));
}

function outputsOf({ write = [], out, report }: Outputs): { flag: string; file: string }[] {
  return [
    ...write.map((each) => ({ flag: '--write', file: each.slice(each.indexOf('=') + 1) })),
    ...(out === undefined ? [] : [{ flag: '--out', file: out }]),
    ...(report === undefined ? [] : [{ flag: '--report', file: report }]),
  ];
}

/** The same for all names of one file: links and disks that do not tell case apart give it several. */
function identityOf(path: string): string {
  const stats = statSync(path, { bigint: true, throwIfNoEntry: false });
  if (stats !== undefined) return `${stats.dev}:${stats.ino}`;
  const folder = dirname(path);
  const exists = statSync(folder, { throwIfNoEntry: false }) !== undefined;
  return exists ? join(realpathSync(folder), basename(path)) : path;
}
