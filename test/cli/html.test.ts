import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { PageData } from '../../src/view/html/page-data.js';
import { Workspace } from '../support/roster.js';
import { startSandbox } from '../support/sandbox.js';

const manifest = `project: pricing
groups:
  shops: { members: [acme-shop, globex] }
schedules:
  nightly:
    target: group/shops
    cron: "0 30 2 * * *"
    startTime: 2026-01-01T00:00:00
    inputs: { user: "user-\${env.SHOP_USER}" }
`;

async function workspaceWith(text: string): Promise<Workspace> {
  // The calendar begins here.
  const now = new Date('2026-12-01T12:00:00Z');
  const sandbox = await startSandbox({ now, speed: 0 });
  const workspace = new Workspace({ 'roster.yaml': text }, sandbox);
  workspace.now = () => now;
  workspace.env['SHOP_USER'] = 'very-secret-name';
  return workspace;
}

function pageIn(workspace: Workspace, file: string): string {
  return readFileSync(join(workspace.root, file), 'utf8');
}

function dataOf(page: string): PageData {
  return JSON.parse(/<script type="application\/json" id="data">(.*?)<\/script>/s.exec(page)?.[1] ?? '');
}

test('one run of plan writes the page beside its text, with the template of a sensitive value', async () => {
  const workspace = await workspaceWith(manifest);
  const { exit, stdout } = await workspace.command(['plan', '--write', 'html=plan.html']);
  expect([exit, stdout]).toEqual([0, expect.stringContaining('Plan: 2 to create')]);
  const page = pageIn(workspace, 'plan.html');
  expect(dataOf(page).changes.map(({ address }) => address)).toEqual(['group/shops', 'schedule/nightly']);
  expect(page).toContain('user-${env.SHOP_USER}');
  expect(page).not.toContain('very-secret-name');
});

test('the page of a live plan and that of a plan from a snapshot have the same changes and calendar', async () => {
  const workspace = await workspaceWith(manifest);
  await workspace.command(['snapshot', '--out', 'saved.json']);
  await workspace.command(['plan', '--write', 'html=live.html']);
  await workspace.command(['plan', '--snapshot', 'saved.json', '--write', 'html=saved.html']);
  // It begins with the first start: each of the seven days has two.
  const calendars = ['live.html', 'saved.html'].map(
    (file) =>
      /<p>Agent starts of this project in the 7 days from .*?<\/table>/s.exec(pageIn(workspace, file))?.[0],
  );
  expect(calendars[0]).toContain('0 starts → 14 starts');
  expect(calendars[1]).toBe(calendars[0]);
});

test.each([
  ['plan', 'No plan, because of errors'],
  ['calendar', 'No calendar, because of errors'],
])('an error replaces the page of an earlier %s with one about the error', async (command, title) => {
  const workspace = await workspaceWith(manifest);
  await workspace.command([command, '--write', 'html=page.html']);
  workspace.write('roster.yaml', manifest.replace('acme-shop', 'acme-shop, acme-shop'));
  expect((await workspace.command([command, '--write', 'html=page.html'])).exit).toBe(1);
  const page = pageIn(workspace, 'page.html');
  expect(page).toContain(title);
  expect(page).toContain('duplicate-agent');
});

test('calendar prints a page with the totals of its text', async () => {
  const workspace = await workspaceWith(manifest);
  const { exit, stdout } = await workspace.command(['calendar', '--from', '2099-12-01', '--format', 'html']);
  expect([exit, stdout.startsWith('<!doctype html>')]).toEqual([0, true]);
  expect(stdout).toContain('<dt>Agent starts</dt><dd>14</dd>');
});

test('a comment that is too long says where the page is, if that is known', async () => {
  const groups = Array.from(
    { length: 600 },
    (_, index) => `  g${index}: { members: [acme-shop, globex], description: "${'long '.repeat(60)}" }`,
  );
  const workspace = await workspaceWith(`project: pricing\ngroups:\n${groups.join('\n')}\n`);
  const link = 'https://git.example.com/acme/config/actions/runs/7';
  const long = await workspace.command(['plan', '--format', 'markdown', '--page-link', link]);
  expect(long.stdout).toContain(`The [\`HTML page\`](${link}) shows everything.`);
  expect((await workspace.command(['plan', '--format', 'markdown'])).stdout).toContain(
    '`roster plan --format json` shows everything.',
  );
  workspace.write('roster.yaml', manifest);
  const short = await workspace.command(['plan', '--format', 'markdown', '--page-link', link]);
  expect(short.stdout).not.toContain(link);
});
