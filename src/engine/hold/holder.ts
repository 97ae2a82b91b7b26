import { userInfo } from 'node:os';
import { GitFailure } from '../../inventory/git.js';
import { NoRepository, openWorkTree } from '../../inventory/work-tree.js';
import { Problem } from '../../model/diagnostic.js';
import type { Session } from '../session.js';

/** A longer name is shortened. */
const MOST_CHARACTERS = 100;

/** Who holds: the user that started a CI job, else the user that git knows, else the one of this machine. */
export async function holderOf(
  { project }: Pick<Session, 'project'>,
  env: Readonly<Record<string, string | undefined>>,
): Promise<string> {
  const names = [env['GITHUB_ACTOR'], env['GITLAB_USER_LOGIN'], env['GIT_AUTHOR_NAME']];
  const named = names.map(tidy).find((name) => name !== '');
  return named ?? (tidy(await gitUser(project.root, env)) || tidy(localUser()) || 'an unknown user');
}

async function gitUser(folder: string, env: Readonly<Record<string, string | undefined>>) {
  try {
    const { git } = await openWorkTree(folder, env);
    return (await git.answer(['config', 'user.name'])) ?? undefined;
  } catch (failure) {
    if (failure instanceof NoRepository || failure instanceof GitFailure || failure instanceof Problem)
      return undefined;
    throw failure;
  }
}

/** A container may have a user without a name. */
function localUser(): string | undefined {
  try {
    return userInfo().username;
  } catch {
    return undefined;
  }
}

/** On one line, without characters that could change what a terminal shows. */
function tidy(name: string | undefined): string {
  const shown = (name ?? '').replace(/[\p{C}\p{Z}]+/gu, ' ').trim();
  return [...shown].slice(0, MOST_CHARACTERS).join('');
}
