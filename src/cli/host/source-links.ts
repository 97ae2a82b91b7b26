import { type Place, problem } from '../../model/diagnostic.js';
import type { Host } from './host.js';
import { inRepository } from './repository-paths.js';

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
