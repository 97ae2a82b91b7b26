import { expect, it } from 'vitest';
import { pageLink, sourceLinks } from '../../../src/cli/host/repository.js';
import { Problem } from '../../../src/model/diagnostic.js';
import { place } from '../view/samples.js';

const github = {
  GITHUB_SERVER_URL: 'https://github.com',
  GITHUB_REPOSITORY: 'acme/config',
  GITHUB_SHA: '4f2a91c',
};
const gitlab = { CI_PROJECT_URL: 'https://gitlab.example.com/acme/config', CI_COMMIT_SHA: '4f2a91c' };

it.each<[string, string | undefined, Record<string, string>, string, string | null]>([
  ['no commit is known', undefined, {}, 'roster.yaml', null],
  [
    'GitHub',
    undefined,
    github,
    'roster.yaml',
    'https://github.com/acme/config/blob/4f2a91c/prices/roster.yaml#L7',
  ],
  [
    'GitLab',
    undefined,
    gitlab,
    'teams/a.yaml',
    'https://gitlab.example.com/acme/config/-/blob/4f2a91c/prices/teams/a.yaml#L7',
  ],
  [
    'the flag wins',
    'https://git.example.com/x/',
    github,
    'roster.yaml',
    'https://git.example.com/x/prices/roster.yaml#L7',
  ],
  [
    'a strange name',
    'https://git.example.com/x',
    {},
    'a b)#%.yaml',
    'https://git.example.com/x/prices/a%20b)%23%25.yaml#L7',
  ],
  ['a file of another repository', undefined, github, '../../else/roster.yaml', null],
  ['half of the variables', undefined, { GITHUB_SHA: '4f2a91c' }, 'roster.yaml', null],
])('%s', (_, linkBase, env, file, url) => {
  const host = { cwd: '/repo/prices', env: { GITHUB_WORKSPACE: '/repo', ...env } };
  const links = sourceLinks(linkBase === undefined ? {} : { linkBase }, host);
  expect(links(place(7, 3, 1, '', file))).toBe(url);
});

it.each(['', 'x', 'javascript:alert(1)', 'file:///etc', 'https://user:pass@git.example.com'])(
  'refuses %j',
  (linkBase) => {
    expect(() => sourceLinks({ linkBase }, { cwd: '/', env: {} })).toThrow(Problem);
  },
);

it('takes the place of the HTML page as it is given, if it can be opened', () => {
  const url = 'https://git.example.com/team/config/actions/runs/1';
  expect(pageLink({ pageLink: url })).toBe(url);
  expect(pageLink({})).toBe(null);
  expect(() => pageLink({ pageLink: 'javascript:alert(1)' })).toThrow(Problem);
});
