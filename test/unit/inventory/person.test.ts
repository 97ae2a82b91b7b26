import { userInfo } from 'node:os';
import { expect, test } from 'vitest';
import { GitFailure } from '../../../src/inventory/git.js';
import { ciUser, personName } from '../../../src/inventory/person.js';

const knows = (name: string | null) => async () => ({ answer: async () => name });
const noGit = () => Promise.reject(new GitFailure('config', 'failed'));

const bot = { GIT_AUTHOR_NAME: 'bot' };

test.each<[string, Record<string, string>, string | null, string]>([
  ['the user that started the job, before the bot of git', { GITHUB_ACTOR: 'anna', ...bot }, 'bot', 'anna'],
  [
    'the same on GitLab, by the name that nobody chooses',
    { GITHUB_ACTOR: '', GITLAB_USER_LOGIN: 'olivia', GITLAB_USER_NAME: 'Anna A.', ...bot },
    null,
    'olivia',
  ],
  [
    'the full name where there is no other',
    { GITLAB_USER_LOGIN: ' ', GITLAB_USER_NAME: 'Olivia' },
    null,
    'Olivia',
  ],
  ['the author that git is told', { GIT_AUTHOR_NAME: 'Ada\n Lovelace' }, 'Grace', 'Ada Lovelace'],
  ['the user of git', { GIT_AUTHOR_NAME: '', USER: 'root' }, 'Grace', 'Grace'],
  ['the user of the machine', { USER: 'ada' }, null, 'ada'],
  ['the same, without a variable', { USER: '' }, '', userInfo().username],
  ['a long name, shortened', { GITHUB_ACTOR: '😀'.repeat(120) }, null, '😀'.repeat(100)],
])('the person is %s', async (_, env, user, expected) => {
  expect(await personName(env, knows(user))).toBe(expected);
});

test('the person is known without git', async () => {
  expect(await personName({ USER: 'ada' }, noGit)).toBe('ada');
});

test('an empty variable names no author', () => {
  const env = { GITHUB_ACTOR: '', GITLAB_USER_LOGIN: 'olivia', GITLAB_USER_EMAIL: '' };
  expect(ciUser(env)).toMatchObject({ name: 'olivia', email: expect.stringMatching(/^olivia@./) });
  expect(ciUser({ GITHUB_ACTOR: '', USER: '' }).name).toBe('roster');
});
