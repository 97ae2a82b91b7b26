import { existsSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import type { Diagnostic, Place } from '../model/diagnostic.js';
import type { Change } from '../model/plan.js';
import type { Host } from './settings.js';

type Where = Pick<Host, 'cwd' | 'env'>;

/**
 * The same problems with paths from the root of the repository instead of the working directory: what forges want
 * that show them beside the lines of a pull request.
 */
export function fromRepositoryRoot(diagnostics: readonly Diagnostic[], host: Where): readonly Diagnostic[] {
  const moved = mover(host);
  return diagnostics.map(({ place, related, ...rest }) => ({
    ...rest,
    ...(place === undefined ? {} : { place: moved(place) }),
    ...(related === undefined
      ? {}
      : { related: related.map(({ message, place: at }) => ({ message, place: moved(at) })) }),
  }));
}

/** The same for the places of changes. */
export function changesFromRepositoryRoot(changes: readonly Change[], host: Where): readonly Change[] {
  const moved = mover(host);
  const movedOrNull = (place: Place | null) => (place === null ? null : moved(place));
  return changes.map(({ source, fields, ...rest }) => ({
    ...rest,
    source: movedOrNull(source),
    fields: fields.map((field) => ({ ...field, source: movedOrNull(field.source) })),
  }));
}

/** The path from the root of the repository, or from the working directory outside of any; null for a file elsewhere. */
export function inRepository(file: string, host: Where): string | null {
  return pathFrom(rootOf(host) ?? host.cwd, file, host.cwd);
}

/** A file outside of the root keeps its path. */
function mover(host: Where): (place: Place) => Place {
  const root = rootOf(host);
  if (root === null) return (place) => place;
  return (place) => ({ ...place, file: pathFrom(root, place.file, host.cwd) ?? place.file });
}

function rootOf({ cwd, env }: Where): string | null {
  const root = env['GITHUB_WORKSPACE'] ?? env['CI_PROJECT_DIR'] ?? repositoryOf(cwd);
  return root === '' ? null : root;
}

function pathFrom(root: string, file: string, cwd: string): string | null {
  const path = relative(resolve(root), resolve(cwd, file)).split(sep).join('/');
  return path.startsWith('../') ? null : path;
}

function repositoryOf(cwd: string): string | null {
  for (let folder = resolve(cwd); ; folder = dirname(folder)) {
    if (existsSync(join(folder, '.git'))) return folder;
    if (folder === dirname(folder)) return null;
  }
}
