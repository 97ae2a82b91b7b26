import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { otherFolderIn } from '../init/ci-facts.js';
import { problem } from '../model/diagnostic.js';
import type { JobEnvironment, JobGit } from './git.js';
import { checkGithub } from './github-settings.js';
import { checkGitlab } from './gitlab-settings.js';
import { Api, type RefusedRequest, type Sleep } from './requests.js';
import type { Deployments, SettingCheck } from './setting.js';

interface DoctorSubject {
  readonly env: JobEnvironment;
  readonly git: JobGit;
  /** The folder of the project, from the root of the repository. */
  readonly folder: string;
  readonly environments: readonly string[];
  readonly log: (text: string) => void;
  readonly now: Date;
  readonly signal?: AbortSignal | undefined;
  readonly sleep?: Sleep | undefined;
}

/** The file of the host that applies the project. */
interface CiFile {
  readonly name: string;
  readonly text: string;
}

/** Checks the settings of the repository of a checkout, in a job or on a laptop. Throws a Problem where that cannot be. */
export async function diagnose(checkout: DoctorSubject): Promise<readonly SettingCheck[]> {
  const github = fileOf(checkout, '.github/workflows', /^roster.*-environment\.yml$/);
  if (github !== null) return onGithub(checkout, github);
  const gitlab = fileOf(checkout, '.gitlab', /^roster.*\.yml$/);
  if (gitlab !== null) return onGitlab(checkout, gitlab);
  throw problem(
    'usage',
    `no CI file in .github/workflows or .gitlab is for the project in "${checkout.folder}"`,
    'Run `roster init --install SOURCE`.',
  );
}

function fileOf({ git, folder }: DoctorSubject, path: string, name: RegExp): CiFile | null {
  const place = join(git.root, path);
  const names = existsSync(place) ? readdirSync(place).sort() : [];
  const files = names
    .filter((each) => name.test(each))
    .map((each) => ({ name: each, text: readFileSync(join(place, each), 'utf8') }));
  return files.find(({ text }) => otherFolderIn(text, folder) === null) ?? null;
}

async function onGithub(checkout: DoctorSubject, file: CiFile): Promise<readonly SettingCheck[]> {
  const { env, environments, log, now, signal, sleep, git } = checkout;
  const token = env['GITHUB_TOKEN'] || env['GH_TOKEN'] || '';
  const help = 'Set GITHUB_TOKEN, for example to the output of `gh auth token`.';
  if (token === '') throw problem('usage', 'there is no token for GitHub', help);
  const { api: url, page } = await githubAddress(checkout);
  const api = new Api({
    url,
    headers: { Authorization: `Bearer ${token}`, Accept: 'application/vnd.github+json' },
    helpFor: settingsHelp('repository'),
    env,
    log,
    signal,
    sleep,
  });
  try {
    const workflows = { name: file.name.replace(/-environment\.yml$/, ''), root: git.root };
    return await checkGithub(api, {
      url: page,
      now,
      ...workflows,
      ...deploymentsIn(file.text, environments),
    });
  } finally {
    await api.close();
  }
}

async function onGitlab(checkout: DoctorSubject, { text }: CiFile): Promise<readonly SettingCheck[]> {
  const { env, environments, log, now, signal, sleep } = checkout;
  const token = env['GITLAB_TOKEN'] || '';
  const help = 'Set GITLAB_TOKEN to an access token with the scope `read_api` of a maintainer.';
  if (token === '') throw problem('usage', 'there is no token for GitLab', help);
  const api = new Api({
    url: await gitlabAddress(checkout),
    headers: { 'PRIVATE-TOKEN': token },
    helpFor: settingsHelp('project'),
    env,
    log,
    signal,
    sleep,
  });
  try {
    const urlIsFixed = text.includes(' --url ');
    return await checkGitlab(api, { urlIsFixed, now, ...deploymentsIn(text, environments) });
  } finally {
    await api.close();
  }
}

function settingsHelp(what: string): (refused: RefusedRequest) => string | undefined {
  return ({ status }) =>
    [401, 403, 404].includes(status)
      ? `Check the name of the ${what}, and that the token has not expired and may read its settings.`
      : undefined;
}

/** The environments that the jobs of this project use, as its file names them. */
function deploymentsIn(text: string, environments: readonly string[]): Deployments {
  const names = [...text.matchAll(/^ +environment: (?:\{ name: "([^"]*)",.*|([^{\n].*))$/gm)].flatMap(
    ([, first, second]) => {
      const name = first ?? second ?? '';
      const isEach = /\$(?:\{\{|\[\[) inputs\.environment (?:\}\}|\]\])/;
      return isEach.test(name) ? environments.map((each) => name.replace(isEach, each)) : [name];
    },
  );
  const all = [...new Set(names)].filter((name) => !name.startsWith('roster-show'));
  const isReading = (name: string) => name.startsWith('roster-plan');
  return { reading: all.filter(isReading), applying: all.filter((name) => !isReading(name)) };
}

/** From the variables of the job, else from the git remote. */
async function githubAddress({
  env,
  git,
}: DoctorSubject): Promise<{ readonly api: string; readonly page: string }> {
  const { GITHUB_API_URL: api, GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: repository } = env;
  if (api && server && repository)
    return { api: `${api}/repos/${repository}`, page: `${server}/${repository}` };
  const { host, path } = await remoteOf(git, 'GITHUB_REPOSITORY');
  const own = host === 'github.com' ? 'https://api.github.com' : `https://${host}/api/v3`;
  return { api: `${own}/repos/${path}`, page: `https://${host}/${path}` };
}

async function gitlabAddress({ env, git }: DoctorSubject): Promise<string> {
  const { CI_API_V4_URL: api, CI_PROJECT_ID: id } = env;
  if (api && id) return `${api}/projects/${id}`;
  const { host, path } = await remoteOf(git, 'CI_API_V4_URL and CI_PROJECT_ID');
  return `https://${host}/api/v4/projects/${encodeURIComponent(path)}`;
}

async function remoteOf(
  git: JobGit,
  names: string,
): Promise<{ readonly host: string; readonly path: string }> {
  const remote = await git.run(['remote', 'get-url', 'origin']).catch(() => '');
  const [, host = '', path = ''] =
    /^(?:(?:https|ssh):\/\/)?(?:[^@/]*@)?([^:/@]+)(?::\d+)?[:/]([^/:]+(?:\/[^/]+)+?)(?:\.git)?\/?$/.exec(
      remote,
    ) ?? [];
  if (host !== '') return { host, path };
  throw problem('usage', 'the git remote `origin` is not a GitHub or GitLab repository', `Set ${names}.`);
}
