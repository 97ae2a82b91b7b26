import { flag, list, object, optional, type Read, text, within } from '../model/shape.js';
import { checkLockfile, type WorkflowFiles } from './github-lockfile.js';
import type { Api } from './requests.js';
import { check, type Deployments, exists, orNull, ranOfLate, type SettingCheck } from './setting.js';

interface GithubSettings extends Deployments, WorkflowFiles {
  /** The URL of the repository, for people. */
  readonly url: string;
  readonly now: Date;
}

const rules = list(object({ type: text }));

const environment = object({
  protection_rules: optional(rules),
  deployment_branch_policy: optional(object({})),
});

const workflow = object({ state: text, created_at: optional(text) });
const runs = within('workflow_runs', list(object({ created_at: text })));

/** The settings of a repository that the workflows need, one check each. Reads only. */
export async function checkGithub(api: Api, settings: GithubSettings): Promise<readonly SettingCheck[]> {
  const { url, reading, applying } = settings;
  const { default_branch: branch } = await api.get('', object({ default_branch: text }));
  const environments = await Promise.all(
    [...reading, ...applying].map((name) =>
      checkEnvironment(api, url, { name, applies: applying.includes(name) }),
    ),
  );
  const page = `${url}/settings/rules`;
  const others = await Promise.all([
    check(`the branch ${branch} is protected`, page, async () => {
      const path = `branches/${encodeURIComponent(branch)}`;
      return (await api.get(path, object({ protected: flag }))).protected;
    }),
    check('a ruleset restricts updates of the branches roster-inventory*', page, async () => {
      const found = await api.all('rules/branches/roster-inventory', rules);
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
        const may = object({ can_approve_pull_request_reviews: flag });
        return (await api.get('actions/permissions/workflow', may)).can_approve_pull_request_reviews;
      },
    ),
    ...checkSchedule(api, settings),
  ]);
  return [...environments.flat(), ...others, ...(await checkLockfile(api, settings))];
}

/** GitHub switches off the schedule of a public repository in which nothing happens for 60 days. */
function checkSchedule(api: Api, { url, name, now }: GithubSettings): readonly Promise<SettingCheck>[] {
  const path = `actions/workflows/${name}.yml`;
  const page = `${url}/${path}`;
  const found = api.get(path, workflow);
  // Who may not read it is told so once for each.
  found.catch(() => {});
  return [
    check(`the workflow ${name}.yml is enabled`, page, async () => {
      const { state } = await found;
      return state === 'active' || (disabled[state] ?? `GitHub says: ${state}`);
    }),
    check(`the nightly job of ${name}.yml runs`, page, async () => {
      const { created_at: since } = await found;
      const [last] = await api.get(`${path}/runs`, runs, { event: 'schedule', per_page: 1 });
      return ranOfLate(now, last?.created_at ?? null, since);
    }),
  ];
}

const disabled: Readonly<Record<string, string>> = {
  disabled_inactivity: 'GitHub has disabled it, because nothing happened in the repository for 60 days',
  disabled_manually: 'somebody has disabled it',
  disabled_fork: 'GitHub disables workflows in a fork',
};

async function checkEnvironment(
  api: Api,
  url: string,
  { name, applies }: { readonly name: string; readonly applies: boolean },
): Promise<readonly SettingCheck[]> {
  const page = `${url}/settings/environments`;
  const path = `environments/${encodeURIComponent(name)}`;
  const found: { deployment: Read<typeof environment> | null } = { deployment: null };
  const first = await check(`the environment ${name} exists`, page, async () => {
    found.deployment = await orNull(api, path, environment);
    return found.deployment !== null;
  });
  const { deployment } = found;
  if (deployment === null) return [first];
  const { deployment_branch_policy: policy, protection_rules: protections } = deployment;
  return [
    first,
    await check(
      `the environment ${name} is restricted to the default branch`,
      page,
      async () => policy !== null,
    ),
    ...(applies
      ? [
          await check(`the environment ${name} has required reviewers`, page, async () =>
            (protections ?? []).some(({ type }) => type === 'required_reviewers'),
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
