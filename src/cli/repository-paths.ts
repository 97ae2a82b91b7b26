import { existsSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import type { Diagnostic, Place } from '../model/diagnostic.js';
import type { Surroundings } from './settings.js';

/**
 * The same problems with paths from the root of the repository instead of the working directory: what forges want
 * that show them beside the lines of a pull request.
 */
export function fromRepositoryRoot(
  diagnostics: readonly Diagnostic[],
  { cwd, env }: Pick<Surroundings, 'cwd' | 'env'>,
): readonly Diagnostic[] {
  const root = env['GITHUB_WORKSPACE'] ?? env['CI_PROJECT_DIR'] ?? repositoryOf(cwd);
  if (root === null || root === '') return diagnostics;
  const moved = (place: Place): Place => ({ ...place, file: movedPath(place.file, cwd, root) });
  return diagnostics.map(({ place, related, ...rest }) => ({
    ...rest,
    ...(place === undefined ? {} : { place: moved(place) }),
    ...(related === undefined
      ? {}
      : { related: related.map(({ message, place: at }) => ({ message, place: moved(at) })) }),
  }));
}

/** A file outside of the root keeps its path. */
function movedPath(file: string, cwd: string, root: string): string {
  const path = relative(resolve(root), resolve(cwd, file)).split(sep).join('/');
  return path.startsWith('../') ? file : path;
}

function repositoryOf(cwd: string): string | null {
  for (let folder = resolve(cwd); ; folder = dirname(folder)) {
    if (existsSync(join(folder, '.git'))) return folder;
    if (folder === dirname(folder)) return null;
  }
}
