import type { Api } from './requests.js';
import { check, type Deployments, type SettingCheck } from './setting.js';

interface GitlabProject {
  readonly web_url: string;
  readonly default_branch: string;
  readonly ci_pipeline_variables_minimum_override_role?: string;
  readonly ci_push_repository_for_job_token_allowed?: boolean;
}

interface Variable {
  readonly key: string;
  readonly protected: boolean;
  readonly masked: boolean;
  readonly environment_scope: string;
}

/** The settings of a project that the jobs need, one check each. Reads only. */
export async function checkGitlab(
  api: Api,
  { reading, applying, urlIsFixed }: Deployments & { readonly urlIsFixed: boolean },
): Promise<readonly SettingCheck[]> {
  const { web_url: url, default_branch: branch, ...project } = await api.get<GitlabProject>('');
  const [repository, pipelines] = [`${url}/-/settings/repository`, `${url}/-/settings/ci_cd`];
  const variables = api.all<Variable>('variables');
  // Who may not read them is told so once for each.
  variables.catch(() => {});
  const has = (key: string, environment: string) => async () =>
    (await variables).some(
      (each) => each.key === key && isSecret(each) && covers(each.environment_scope, environment),
    );
  const named = ['ROSTER_API_KEY', ...(urlIsFixed ? [] : ['ROSTER_URL'])];
  return Promise.all([
    ...[branch, 'roster-inventory'].map((name) =>
      check(`the branch ${name === branch ? branch : 'roster-*'} is protected`, repository, async () => {
        const found = await api.all<{ readonly name: string }>('protected_branches');
        return found.some((each) => covers(each.name, name));
      }),
    ),
    ...[...reading, ...applying].flatMap((environment) =>
      named.map((key) =>
        check(
          `${key} is a protected variable in the environment scope ${environment}`,
          pipelines,
          has(key, environment),
        ),
      ),
    ),
    check(
      'ROSTER_GITLAB_TOKEN is a protected variable in the environment scope roster-*',
      pipelines,
      async () =>
        (
          await Promise.all(['roster-show', ...reading].map((each) => has('ROSTER_GITLAB_TOKEN', each)()))
        ).every(Boolean),
    ),
    check('no key or token is unprotected, or for all jobs', pipelines, async () => {
      const secrets = (await variables).filter(({ key }) => /^ROSTER_(?:API_KEY|GITLAB_TOKEN)$/.test(key));
      return secrets.every((each) => isSecret(each) && each.environment_scope !== '*');
    }),
    check('only maintainers may use pipeline variables', pipelines, async () =>
      ['maintainer', 'owner'].includes(project.ci_pipeline_variables_minimum_override_role ?? ''),
    ),
    check(
      'job tokens may push to the repository',
      pipelines,
      async () => project.ci_push_repository_for_job_token_allowed === true,
    ),
    check('a webhook for merge request events starts a pipeline, for notes', `${url}/-/hooks`, async () => {
      const hooks = await api.all<{ readonly url: string; readonly merge_requests_events: boolean }>('hooks');
      return hooks.some((each) => each.merge_requests_events && each.url.includes('/trigger/pipeline'));
    }),
    check(`a pipeline of ${branch} is scheduled`, `${url}/-/pipeline_schedules`, async () => {
      const found = await api.all<{ readonly active: boolean; readonly ref: string }>('pipeline_schedules');
      return found.some((each) => each.active && each.ref.replace('refs/heads/', '') === branch);
    }),
  ]);
}

/** A URL is no secret, but whoever can change it gets the key. */
function isSecret({ key, protected: isProtected, masked }: Variable): boolean {
  return isProtected && (masked || key === 'ROSTER_URL');
}

/** Whether a name with `*` stands for this one. */
function covers(pattern: string, name: string): boolean {
  const parts = pattern.split('*').map((each) => each.replace(/[^\w]/g, '\\$&'));
  return new RegExp(`^${parts.join('.*')}$`).test(name);
}
