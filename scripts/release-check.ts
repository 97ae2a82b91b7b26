/**
 * Refuses a release whose package.json does not name the repository, or whose image has a base without a digest. Run with
 * `npm run release:check`. The name of the repository is in `repository.url`: links of the site, of `--help` and of the
 * release are made from these fields.
 */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import manifest from '../package.json' with { type: 'json' };
import { repositoryOf } from './site/addresses.js';

interface Manifest {
  readonly name: string;
  readonly repository?: { readonly type: string; readonly url: string };
  readonly homepage?: string;
  readonly bugs?: { readonly url: string };
}

/** Why an image of this Dockerfile must not be published: a tag of its base can name another image tomorrow. */
export function imageProblems(dockerfile: string): string[] {
  const bases = Array.from(dockerfile.matchAll(/^FROM +(\S+)/gm), ([, base = '']) => base);
  const loose = bases.filter((base) => !/@sha256:[0-9a-f]{64}$/.test(base));
  return loose.map(
    (base) =>
      `The Dockerfile names its base without a digest: ${base}. \`docker buildx imagetools inspect ${base}\` prints it.`,
  );
}

/** What keeps this package from being released. `workflow` is the repository that the release runs in, null on a computer. */
export function releaseProblems(released: Manifest, workflow: string | null): string[] {
  const addresses: readonly (readonly [field: string, url: string | undefined])[] = [
    ['repository.url', released.repository?.url],
    ['homepage', released.homepage],
    ['bugs.url', released.bugs?.url],
  ];
  const wrong = addresses.flatMap(([field, url]) => {
    if (url === undefined) return [`package.json has no \`${field}\`.`];
    if (placeholder.test(url)) return [`\`${field}\` of package.json is a placeholder: ${url}`];
    return /^(?:git\+)?https:\/\//.test(url)
      ? []
      : [`\`${field}\` of package.json is no https address: ${url}`];
  });
  if (wrong.length > 0) return wrong;
  const repository = repositoryOf(released);
  const isElsewhere = released.bugs?.url.startsWith(`${repository}/`) !== true;
  if (isElsewhere) wrong.push(`\`bugs.url\` of package.json is not in the repository ${repository}.`);
  // npm refuses provenance that names another repository, but only after the approval.
  if (workflow !== null && workflow !== repository)
    wrong.push(`The release runs in ${workflow}, but \`repository.url\` of package.json is ${repository}.`);
  return wrong;
}

const placeholder = /\b(?:OWNER|REPOSITORY|TODO)\b|[<>]|example\.(?:com|org)|\.invalid\b/;

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { GITHUB_SERVER_URL, GITHUB_REPOSITORY } = process.env;
  const workflow = GITHUB_REPOSITORY === undefined ? null : `${GITHUB_SERVER_URL}/${GITHUB_REPOSITORY}`;
  const dockerfile = readFileSync(new URL('../Dockerfile', import.meta.url), 'utf8');
  const problems = [...releaseProblems(manifest, workflow), ...imageProblems(dockerfile)];
  for (const each of problems) console.error(each);
  if (problems.length > 0) process.exitCode = 1;
  else console.log('package.json names the repository, and the Dockerfile the digest of its base.');
}
