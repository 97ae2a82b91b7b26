import { hostname } from 'node:os';
import type { Environment } from './git.js';

/** The address of this run's log; null outside of CI. */
export function runAddress(env: Environment): string | null {
  const { GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: repository, GITHUB_RUN_ID: run } = env;
  if (server !== undefined && repository !== undefined && run !== undefined)
    return `${server}/${repository}/actions/runs/${run}`;
  const names = ['CI_JOB_URL', 'BUILDKITE_BUILD_URL', 'CIRCLE_BUILD_URL', 'BUILD_URL', 'DRONE_BUILD_LINK'];
  return names.map((name) => env[name]).find((address) => address !== undefined && address !== '') ?? null;
}

/** `process 4711 on runner-7`. */
export function processName(pid = process.pid, host = hostname()): string {
  return `process ${pid} on ${host}`;
}

/** The author of a commit in a repository in which git knows no user. */
export function ciUser(env: Environment): { readonly name: string; readonly email: string } {
  const name = env['GITHUB_ACTOR'] ?? env['GITLAB_USER_NAME'] ?? env['USER'] ?? 'roster';
  const email = env['GITLAB_USER_EMAIL'] ?? `${name.replace(/[^\w.-]+/g, '-')}@${hostname()}`;
  return { name, email };
}
