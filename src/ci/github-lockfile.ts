import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { integer, list, object, optional, type Read, text, within } from '../model/shape.js';
import { type Api, ApiFailure } from './requests.js';
import { check, covers, type SettingCheck } from './setting.js';

/** The workflow files of the project. */
export interface WorkflowFiles {
  /** That of `roster.yml`, without its ending, with which the names of the others begin. */
  readonly name: string;
  /** The folder of the checkout. */
  readonly root: string;
}

const FOLDER = '.github/workflows';
const LOCKFILE = `${FOLDER}/actions.lock`;

const policies = within('policies', list(object({ id: integer, enforcement: optional(text) })));

const patterns = optional(list(text));
const policy = object({
  enforcement: optional(text),
  conditions: optional(object({ workflow_path: optional(object({ include: patterns, exclude: patterns })) })),
  rules: optional(list(object({ type: text }))),
});

type ActionsPolicy = Read<typeof policy>;

/**
 * GitHub runs no workflow that an active policy "Require lockfile" is for, unless the lockfile has it. Where there are no such
 * policies, or the host has none, nothing is said.
 */
export async function checkLockfile(
  api: Api,
  { name, root, url }: WorkflowFiles & { readonly url: string },
): Promise<readonly SettingCheck[]> {
  const files = [name, `${name}-plan`, `${name}-environment`]
    .map((each) => `${FOLDER}/${each}.yml`)
    .filter((each) => existsSync(join(root, each)));
  const lockfile = existsSync(join(root, LOCKFILE)) ? readFileSync(join(root, LOCKFILE), 'utf8') : '';
  const found: { required: readonly string[] } = { required: [] };
  const checked = await check(
    `${LOCKFILE} has the workflows that a policy requires to be in it`,
    `${url}/settings/actions/policies`,
    async () => {
      found.required = await requiredBy(api, files);
      const lacking = found.required.filter((each) => !lists(lockfile, each));
      return lacking.length === 0 || `run \`gh actions-lock\`: it lacks ${lacking.join(', ')}`;
    },
  );
  return checked.state === 'unknown' || found.required.length > 0 ? [checked] : [];
}

/** Of these files, those that an active policy requires to be in the lockfile. */
async function requiredBy(api: Api, files: readonly string[]): Promise<readonly string[]> {
  const listed = await listedPolicies(api);
  const active = listed.filter(({ enforcement }) => enforcement === null || enforcement === 'active');
  const read = await Promise.all(active.map(({ id }) => api.get(`actions/policies/${id}`, policy)));
  const requiring = read.filter(
    ({ enforcement, rules }) =>
      enforcement === 'active' && (rules ?? []).some(({ type }) => type.includes('lockfile')),
  );
  return files.filter((file) => requiring.some((each) => isFor(each, file)));
}

async function listedPolicies(api: Api): Promise<Read<typeof policies>> {
  try {
    return await api.all('actions/policies', policies);
  } catch (failure) {
    // A host without policies.
    if (failure instanceof ApiFailure && failure.status === 404) return [];
    throw failure;
  }
}

function isFor({ conditions }: ActionsPolicy, file: string): boolean {
  const { include, exclude } = conditions?.workflow_path ?? { include: null, exclude: null };
  const names = (all: readonly string[]) => all.some((each) => each === '~ALL' || covers(each, file));
  return (include === null || names(include)) && !names(exclude ?? []);
}

/** Whether the lockfile has a list for this workflow. `gh actions-lock` writes each path as a key on a line of its own. */
function lists(lockfile: string, file: string): boolean {
  return lockfile.split('\n').some((line) => line.trim().replace(/^(['"]?)(.*)\1:.*$/, '$2') === file);
}
