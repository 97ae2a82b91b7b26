import { existsSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { type Diagnostic, type Place, problem } from '../../model/diagnostic.js';
import type { Change } from '../../model/plan.js';
import type { Host } from './host.js';

type RepositoryHost = Pick<Host, 'cwd' | 'env'>;

/**
 * The same diagnostics with paths from the root of the repository instead of the working directory, as GitHub and
 * GitLab need them to show a diagnostic next to the lines of a pull request.
 */
export function fromRepositoryRoot(
  diagnostics: readonly Diagnostic[],
  host: RepositoryHost,
): readonly Diagnostic[] {
  const fromRoot = fromRootOf(host);
  return diagnostics.map((each) => ({
    ...each,
    place: each.place && fromRoot(each.place),
    related: each.related?.map(({ message, place }) => ({ message, place: fromRoot(place) })),
  }));
}

/** The same for the places of changes and fields. */
export function changesFromRepositoryRoot(
  changes: readonly Change[],
  host: RepositoryHost,
): readonly Change[] {
  const fromRoot = fromRootOf(host);
  const fromRootOrNull = (place: Place | null) => (place === null ? null : fromRoot(place));
  return changes.map(({ source, fields, ...rest }) => ({
    ...rest,
    source: fromRootOrNull(source),
    fields: fields.map((field) => ({ ...field, source: fromRootOrNull(field.source) })),
  }));
}

/** The path from the root of the repository, or from the working directory without one; null for a file elsewhere. */
function inRepository(file: string, host: RepositoryHost): string | null {
  return pathFrom(rootOf(host) ?? host.cwd, file, host.cwd);
}

/** A file outside of the root keeps its path. */
function fromRootOf(host: RepositoryHost): (place: Place) => Place {
  const root = rootOf(host);
  if (root === null) return (place) => place;
  return (place) => ({ ...place, file: pathFrom(root, place.file, host.cwd) ?? place.file });
}

function rootOf({ cwd, env }: RepositoryHost): string | null {
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

/** The URL of a line of a manifest in the commit that is planned; null when the commit is unknown. */
export function sourceLinks(
  { linkBase }: { readonly linkBase?: string },
  host: Pick<Host, 'cwd' | 'env'>,
): (place: Place) => string | null {
  const base = linkBase === undefined ? baseOfCi(host.env) : checked('--link-base', linkBase, commitExample);
  if (base === null) return () => null;
  return ({ file, line }) => {
    const path = inRepository(file, host);
    return path === null ? null : `${base}/${path.split('/').map(encodeURIComponent).join('/')}#L${line}`;
  };
}

/** The URL where the page of `--write html` will be. Only the caller knows: it uploads the file after this run. */
export function pageLink({ pageLink: link }: { readonly pageLink?: string }): string | null {
  return link === undefined ? null : checked('--page-link', link, runExample) + new URL(link).search;
}

const commitExample = 'https://git.example.com/team/config/blob/4f2a91c';
const runExample = 'https://git.example.com/team/config/actions/runs/1';

function checked(flag: string, text: string, example: string): string {
  const url = httpUrl(text);
  if (url !== null) return url;
  throw problem('usage', `${flag}: "${text}" is not an http(s) URL`, `For example: \`${flag} ${example}\`.`);
}

/** From the variables that GitHub and GitLab set for the commit that is checked out. */
function baseOfCi(env: Host['env']): string | null {
  const { GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: repository, GITHUB_SHA: commit } = env;
  if (server && repository && commit) return httpUrl(`${server}/${repository}/blob/${commit}`);
  const { CI_PROJECT_URL: project, CI_COMMIT_SHA: sha } = env;
  return project && sha ? httpUrl(`${project}/-/blob/${sha}`) : null;
}

function httpUrl(text: string): string | null {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !['http:', 'https:'].includes(url.protocol) || url.username !== '') return null;
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}`;
}
