import type { Api } from './requests.js';
import { check, type Deployments, exists, orNull, type SettingCheck } from './setting.js';

interface GithubSettings extends Deployments {
  /** The URL of the repository, for people. */
  readonly url: string;
}

interface Deployment {
  readonly protection_rules?: readonly { readonly type: string }[];
  readonly deployment_branch_policy?: object | null;
}

/** The settings of a repository that the workflows need, one check each. Reads only. */
export async function checkGithub(api: Api, settings: GithubSettings): Promise<readonly SettingCheck[]> {
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
