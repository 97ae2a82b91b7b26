import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { otherFolderIn } from '../init/ci-facts.js';
import { problem } from '../model/diagnostic.js';
import type { JobEnvironment, JobGit } from './git.js';
import { Api, ApiFailure } from './requests.js';

/** What a setting of the host should be, and whether it is. */
export interface SettingCheck {
  /** `unknown` where the token may not read it. */
  readonly state: 'ok' | 'missing' | 'unknown';
  readonly what: string;
  /** Where it is set. */
  readonly page: string;
}

interface GithubSettings {
  /** The URL of the repository, for people. */
  readonly url: string;
  /** The environments of jobs that only read, and of those that apply. */
  readonly reading: readonly string[];
  readonly applying: readonly string[];
}

interface Deployment {
  readonly protection_rules?: readonly { readonly type: string }[];
  readonly deployment_branch_policy?: object | null;
}

/** The settings of a repository that the workflows need, one check each. Reads only. */
async function checkGithub(api: Api, settings: GithubSettings): Promise<readonly SettingCheck[]> {
  const { url, reading, applying } = settings;
  const { default_branch: branch } = await api.get<{ readonly default_branch: string }>('');
  const environments = await Promise.all(
    [...reading, ...applying].map((name) =>
      checkEnvironment(api, url, { name, applies: applying.includes(name) }),
    ),
  );
  const rules = `${url}/settings/rules`;
  const others = await Promise.all([
    check(`the branch ${branch} is protected`, rules, async () => {
      const { protected: isProtected } = await api.get<{ readonly protected: boolean }>(
        `branches/${encodeURIComponent(branch)}`,
      );
      return isProtected;
    }),
    check('a ruleset restricts updates of the branches roster-inventory*', rules, async () => {
      const found = await api.get<readonly { readonly type: string }[]>('rules/branches/roster-inventory');
      return found.some(({ type }) => type === 'update');
    }),
    check(
      'there is no secret ROSTER_API_KEY of the whole repository, which every branch could read',
      `${url}/settings/secrets/actions`,
      async () => !(await exists(api, 'actions/secrets/ROSTER_API_KEY')),
    ),
    check(
      'GitHub Actions may create pull requests, for `roster ci pull`',
      `${url}/settings/actions`,
      async () => {
        const { can_approve_pull_request_reviews: may } = await api.get<{
          readonly can_approve_pull_request_reviews: boolean;
        }>('actions/permissions/workflow');
        return may;
      },
    ),
  ]);
  return [...environments.flat(), ...others];
}

async function checkEnvironment(
  api: Api,
  url: string,
  { name, applies }: { readonly name: string; readonly applies: boolean },
): Promise<readonly SettingCheck[]> {
  const page = `${url}/settings/environments`;
  const path = `environments/${encodeURIComponent(name)}`;
  const found: { deployment: Deployment | null } = { deployment: null };
  const first = await check(`the environment ${name} exists`, page, async () => {
    found.deployment = await orNull(api, path);
    return found.deployment !== null;
  });
  const { deployment } = found;
  if (deployment === null) return [first];
  const { deployment_branch_policy: policy, protection_rules: rules = [] } = deployment;
  return [
    first,
    await check(
      `the environment ${name} is restricted to the default branch`,
      page,
      async () => policy != null,
    ),
    ...(applies
      ? [
          await check(`the environment ${name} has required reviewers`, page, async () =>
            rules.some(({ type }) => type === 'required_reviewers'),
          ),
        ]
      : []),
    await check(`the environment ${name} has the secret ROSTER_API_KEY`, page, () =>
      exists(api, `${path}/secrets/ROSTER_API_KEY`),
    ),
    await check(`the environment ${name} has the variable ROSTER_URL`, page, () =>
      exists(api, `${path}/variables/ROSTER_URL`),
    ),
  ];
}

async function check(what: string, page: string, isSet: () => Promise<boolean>): Promise<SettingCheck> {
  try {
    return { state: (await isSet()) ? 'ok' : 'missing', what, page };
  } catch (failure) {
    if (failure instanceof ApiFailure && [401, 403, 404].includes(failure.status))
      return { state: 'unknown', what, page };
    throw failure;
  }
}

async function orNull<T>(api: Api, path: string): Promise<T | null> {
  try {
    return await api.get<T>(path);
  } catch (failure) {
    if (failure instanceof ApiFailure && failure.status === 404) return null;
    throw failure;
  }
}

async function exists(api: Api, path: string): Promise<boolean> {
  return (await orNull(api, path)) !== null;
}

/** The environments that the jobs of this project use, as its workflow names them. */
function deploymentsIn(
  workflow: string,
  environments: readonly string[],
): Pick<GithubSettings, 'reading' | 'applying'> {
  const names = [...workflow.matchAll(/^ {4}environment: (.*)$/gm)].flatMap(([, name = '']) =>
    name.includes('${{')
      ? environments.map((each) => name.replace('${{ inputs.environment }}', each))
      : [name],
  );
  const all = [...new Set(names)];
  const isReading = (name: string) => name.startsWith('roster-plan');
  return { reading: all.filter(isReading), applying: all.filter((name) => !isReading(name)) };
}

interface DoctorSubject {
  readonly env: JobEnvironment;
  readonly git: JobGit;
  /** The folder of the project, from the root of the repository. */
  readonly folder: string;
  readonly environments: readonly string[];
  readonly log: (text: string) => void;
}

/** Checks the settings of the repository of a checkout, in a job or on a laptop. Throws a Problem where that cannot be. */
export async function diagnose(checkout: DoctorSubject): Promise<readonly SettingCheck[]> {
  const { env, git, environments, log } = checkout;
  const token = env['GITHUB_TOKEN'] || env['GH_TOKEN'] || '';
  const help = 'Set GITHUB_TOKEN, for example to the output of `gh auth token`.';
  if (token === '') throw problem('usage', 'there is no token for GitHub', help);
  const { api: url, page } = await addressOf(checkout);
  const workflow = workflowOf(git.root, checkout.folder);
  const api = new Api({
    url,
    headers: { Authorization: `Bearer ${token}`, Accept: 'application/vnd.github+json' },
    helpFor: () => 'The token must be able to read the settings of the repository.',
    ...{ env, log },
  });
  try {
    return await checkGithub(api, { url: page, ...deploymentsIn(workflow, environments) });
  } finally {
    await api.close();
  }
}

/** From the variables of the job, else from the git remote. */
async function addressOf({
  env,
  git,
}: DoctorSubject): Promise<{ readonly api: string; readonly page: string }> {
  const { GITHUB_API_URL: api, GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: repository } = env;
  if (api && server && repository)
    return { api: `${api}/repos/${repository}`, page: `${server}/${repository}` };
  const remote = await git.run(['remote', 'get-url', 'origin']).catch(() => '');
  const [, host = '', name = ''] =
    /^(?:(?:https|ssh):\/\/)?(?:[^@/]*@)?([^:/@]+)(?::\d+)?[:/]([^/:]+\/[^/]+?)(?:\.git)?\/?$/.exec(remote) ??
    [];
  if (host === '')
    throw problem('usage', 'the git remote origin is no repository on GitHub', 'Set GITHUB_REPOSITORY.');
  const own = host === 'github.com' ? 'https://api.github.com' : `https://${host}/api/v3`;
  return { api: `${own}/repos/${name}`, page: `https://${host}/${name}` };
}

/** The workflow that applies the project in this folder. */
function workflowOf(root: string, folder: string): string {
  const place = join(root, '.github/workflows');
  const names = existsSync(place) ? readdirSync(place).sort() : [];
  const texts = names
    .filter((name) => /^roster.*-environment\.yml$/.test(name))
    .map((name) => readFileSync(join(place, name), 'utf8'));
  const own = texts.find((text) => otherFolderIn(text, folder) === null);
  if (own !== undefined) return own;
  throw problem(
    'usage',
    `no workflow in .github/workflows applies the project in "${folder}"`,
    'Run `roster init --install SOURCE`.',
  );
}
