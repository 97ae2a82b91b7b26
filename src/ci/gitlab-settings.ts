import { flag, list, object, optional, type Read, text } from '../model/shape.js';
import type { Api } from './requests.js';
import { check, covers, type Deployments, ranOfLate, type SettingCheck } from './setting.js';

const gitlabProject = object({
  web_url: text,
  default_branch: text,
  ci_pipeline_variables_minimum_override_role: optional(text),
  ci_push_repository_for_job_token_allowed: optional(flag),
});

const variable = object({ key: text, protected: flag, masked: flag, environment_scope: text });

type Variable = Read<typeof variable>;

const schedule = object({
  active: flag,
  ref: text,
  description: optional(text),
  created_at: optional(text),
});

interface GitlabSettings extends Deployments {
  readonly urlIsFixed: boolean;
  readonly now: Date;
}

/** The settings of a project that the jobs need, one check each. Reads only. */
export async function checkGitlab(
  api: Api,
  { reading, applying, urlIsFixed, now }: GitlabSettings,
): Promise<readonly SettingCheck[]> {
  const { web_url: url, default_branch: branch, ...project } = await api.get('', gitlabProject);
  const [repository, pipelines] = [`${url}/-/settings/repository`, `${url}/-/settings/ci_cd`];
  const variables = api.all('variables', list(variable));
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
        const found = await api.all('protected_branches', list(object({ name: text })));
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
      const hooks = await api.all('hooks', list(object({ url: text, merge_requests_events: flag })));
      return hooks.some((each) => each.merge_requests_events && each.url.includes('/trigger/pipeline'));
    }),
    ...checkSchedule(api, `${url}/-/pipeline_schedules`, branch, now),
  ]);
}

/** GitLab deactivates the schedules of a person who may no longer run them. */
function checkSchedule(api: Api, page: string, branch: string, now: Date): readonly Promise<SettingCheck>[] {
  const found = api.all('pipeline_schedules', list(schedule));
  // Who may not read them is told so once for each.
  found.catch(() => {});
  const own = async () => (await found).filter((each) => each.ref.replace('refs/heads/', '') === branch);
  return [
    check(`a pipeline of ${branch} is scheduled`, page, async () => {
      const all = await own();
      const [first] = all;
      if (first === undefined || all.some(({ active }) => active)) return first !== undefined;
      return `the schedule ${JSON.stringify(first.description ?? '')} is not active: take ownership, and activate it`;
    }),
    check(`the nightly pipeline of ${branch} runs`, page, async () => {
      const query = { source: 'schedule', ref: branch, per_page: 1 };
      const [last] = await api.get('pipelines', list(object({ created_at: text })), query);
      const since = (await own()).map((each) => each.created_at ?? '').sort();
      return ranOfLate(now, last?.created_at ?? null, since[0] ?? null);
    }),
  ];
}

/** A URL is no secret, but whoever can change it gets the key. */
function isSecret({ key, protected: isProtected, masked }: Variable): boolean {
  return isProtected && (masked || key === 'ROSTER_URL');
}
