import { execFileSync } from 'node:child_process';
import { root } from './fresh.js';

/** In bytes. */
export interface PackageSize {
  /** The tarball. */
  readonly packed: number;
  readonly unpacked: number;
}

export interface PackedFiles {
  readonly size: PackageSize;
  readonly files: readonly { readonly path: string; readonly size: number }[];
}

/** What `npm pack` would put into the tarball. Needs a build. */
export function packedFiles(): PackedFiles {
  const args = ['pack', '--dry-run', '--ignore-scripts', '--json'];
  const shell = process.platform === 'win32';
  const text = execFileSync('npm', args, {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
    shell,
  });
  const [{ size: packed, unpackedSize: unpacked, files }] = JSON.parse(text);
  return { size: { packed, unpacked }, files };
}

/** The two most telling levels: `dist/chunks`, `docs`. The largest first. */
export function byFolder({ files }: Pick<PackedFiles, 'files'>): [folder: string, bytes: number][] {
  const sizes = new Map<string, number>();
  for (const { path, size } of files) {
    const folder = path.startsWith('dist/')
      ? path.split('/').slice(0, 2).join('/')
      : (path.split('/')[0] ?? path);
    sizes.set(folder, (sizes.get(folder) ?? 0) + size);
  }
  return [...sizes].sort(([, one], [, other]) => other - one);
}

/** What has grown by more than a tenth since it was recorded. */
export function growth(recorded: PackageSize, now: PackageSize): string[] {
  return (['packed', 'unpacked'] as const)
    .filter((each) => now[each] > recorded[each] * 1.1)
    .map((each) => `${each}: ${kilobytes(recorded[each])} recorded, ${kilobytes(now[each])} now`);
}

export function kilobytes(bytes: number): string {
  return `${Math.round(bytes / 1000)} kB`;
}
