// What roster.mjs and roster-drift.mjs share: the run, its repository on GitHub, and git.
import { appendFileSync, readFileSync } from 'node:fs';
import { request, runGit } from './roster-request.mjs';

const { GITHUB_API_URL, GITHUB_REPOSITORY, GITHUB_RUN_ID, GITHUB_SERVER_URL, GITHUB_WORKSPACE } = process.env;
export const run = `${GITHUB_SERVER_URL}/${GITHUB_REPOSITORY}/actions/runs/${GITHUB_RUN_ID}`;
export const event = JSON.parse(readFileSync(process.env.GITHUB_EVENT_PATH, 'utf8'));

/** The comment or issue that workflows have written, found by the hidden marker in its first line. */
export function ours(list, marker) {
  return list.find((each) => each.user.login === 'github-actions[bot]' && each.body?.startsWith(marker));
}

export async function all(path, itemsOf = (answer) => answer) {
  const list = [];
  for (let page = 1; ; page += 1) {
    const query = `${path.includes('?') ? '&' : '?'}per_page=100&page=${page}`;
    const items = itemsOf(await send('GET', `${path}${query}`));
    list.push(...items);
    if (items.length < 100) return list;
  }
}

export function send(method, path, body) {
  return request(method, `${GITHUB_API_URL}/repos/${GITHUB_REPOSITORY}/${path}`, {
    headers: { Authorization: `Bearer ${process.env.GH_TOKEN}`, Accept: 'application/vnd.github+json' },
    body,
  });
}

/** In the repository that was checked out: a folder of it can look like another one, with programs to run. */
export function git(...words) {
  const settings = ['safe.bareRepository=explicit', `safe.directory=${GITHUB_WORKSPACE}`];
  return runGit([...settings.flatMap((each) => ['-c', each]), ...words], { cwd: GITHUB_WORKSPACE });
}

export function output(name, value) {
  appendFileSync(process.env.GITHUB_OUTPUT, `${name}=${value}\n`);
}

export function firstLine(text) {
  return text.slice(0, text.indexOf('\n'));
}
