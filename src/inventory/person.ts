import { hostname, userInfo } from 'node:os';
import { Problem } from '../model/diagnostic.js';
import { type Environment, type Git, GitFailure } from './git.js';
import { NoRepository } from './work-tree.js';

type Name = string | null | undefined;

/**
 * The person who runs roster: the user that started a CI job, where the user of git is a bot, else the user that git knows,
 * else the one of this machine. Null where nobody has a name.
 */
export async function personName(
  env: Environment,
  git: () => Promise<Pick<Git, 'answer'>>,
): Promise<string | null> {
  return (
    firstName(...actors(env), env['GIT_AUTHOR_NAME']) ??
    firstName(await gitUser(git)) ??
    firstName(env['USER'], localUser())
  );
}

/** The author of a commit in a repository in which git knows no user. */
export function ciUser(env: Environment): { readonly name: string; readonly email: string } {
  const name = firstName(...actors(env), env['USER']) ?? 'roster';
  const email = firstName(env['GITLAB_USER_EMAIL']) ?? `${name.replace(/[^\w.-]+/g, '-')}@${hostname()}`;
  return { name, email };
}

/** People choose their full names themselves: that of another person, too. */
function actors(env: Environment): readonly Name[] {
  return [env['GITHUB_ACTOR'], env['GITLAB_USER_LOGIN'], env['GITLAB_USER_NAME']];
}

/** A container may have a user without a name. */
function localUser(): Name {
  try {
    return userInfo().username;
  } catch {
    return null;
  }
}

async function gitUser(git: () => Promise<Pick<Git, 'answer'>>): Promise<string | null> {
  try {
    return await (await git()).answer(['config', 'user.name']);
  } catch (failure) {
    if (failure instanceof NoRepository || failure instanceof GitFailure || failure instanceof Problem)
      return null;
    throw failure;
  }
}

/** A longer name is shortened. */
const LONGEST_NAME = 100;

/** The first that is not empty, on one line, without characters that could change what a terminal shows. */
function firstName(...names: readonly Name[]): string | null {
  const tidied = names.map((name) => (name ?? '').replace(/[\p{C}\p{Z}]+/gu, ' ').trim());
  const found = tidied.find((name) => name !== '');
  return found === undefined ? null : [...found].slice(0, LONGEST_NAME).join('');
}
