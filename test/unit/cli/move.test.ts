import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { PlanJson } from '../../../src/view/json/plan-json.js';
import { command } from '../../support/command.js';
import { jsonOf } from '../../support/json.js';
import { git, initRepository } from '../../support/repository.js';
import { startSandbox } from '../../support/sandbox.js';

const retail = `project: retail
vars: { zone: Europe/Berlin, country: DE }
groups:
  # The shops of both countries.
  shops: { members: [acme-shop, globex] }   # two
  other:
    members: [initech]
pipelines:
  # Runs at night.
  # Owned by travel.
  nightly-refresh:
    stages: [acme-shop, initech] # in this order
    # and nothing else
schedules:
  nightly:
    target: pipeline/nightly-refresh
    cron: "0 30 2 * * *"
    startTime: 2030-01-07T00:00:00
  zoned:
    target: group/shops
    every: 6 hours
    startTime: 2030-01-07T00:00:00
    timeZone: \${var.zone}
`;
const travel = 'project: travel\ngroups:\n  flights: { members: [globex] }\n';

class Folder {
  readonly root = mkdtempSync(join(tmpdir(), 'roster-move-'));

  constructor(files: Readonly<Record<string, string>>) {
    initRepository(this.root);
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(this.root, path)), { recursive: true });
      writeFileSync(join(this.root, path), text);
    }
  }

  read(path: string): string {
    return readFileSync(join(this.root, path), 'utf8');
  }

  move(...words: string[]) {
    const to = ['--to', '../travel/roster.yaml', '--format', 'json'];
    return command(['move', ...words, ...to], { cwd: join(this.root, 'retail') });
  }
}

const both = (from = retail, to = travel) =>
  new Folder({ 'retail/roster.yaml': from, 'travel/roster.yaml': to });

describe('roster move', () => {
  test('moves entries with their comments, and lists them under `removed`', async () => {
    const folder = both();
    const { exit, stderr } = await folder.move('pipeline/nightly-refresh', 'schedule/nightly', '--yes');
    expect([exit, stderr]).toEqual([0, '']);
    expect(folder.read('travel/roster.yaml')).toBe(`${travel}
pipelines:
  # Runs at night.
  # Owned by travel.
  nightly-refresh:
    stages: [acme-shop, initech] # in this order
    # and nothing else

schedules:
  nightly:
    target: pipeline/nightly-refresh
    cron: "0 30 2 * * *"
    startTime: 2030-01-07T00:00:00
`);
    const left = folder.read('retail/roster.yaml');
    expect(left).toContain('removed: [pipeline/nightly-refresh, schedule/nightly]');
    expect(left).toContain('pipelines: {}\n');
    expect(left).not.toContain('Runs at night');
  });

  test('back again takes the address out of `removed`', async () => {
    const folder = both();
    await folder.move('group/other', '--yes');
    const back = await command(['move', 'group/other', '--to', '../retail/roster.yaml', '--yes'], {
      cwd: join(folder.root, 'travel'),
    });
    expect([back.exit, back.stderr]).toEqual([0, '']);
    expect(folder.read('retail/roster.yaml')).not.toContain('removed');
    expect(folder.read('travel/roster.yaml')).toMatch(/removed: \[ ?group\/other ?\]/);
  });

  test.each(['first', 'second', 'third'])('leaves one blank line between what stays: %s', async (moved) => {
    const keys = ['first', 'second', 'third'];
    const textOf = (left: readonly string[]) =>
      `groups:\n${left.map((key) => `  ${key}: { members: [globex] }\n\n`).join('')}schedules: {}\n`;
    const folder = both(`project: retail\n${textOf(keys)}`);
    expect((await folder.move(`group/${moved}`, '--yes')).exit).toBe(0);
    const text = folder.read('retail/roster.yaml').replaceAll(/^(project|removed):.*\n/gm, '');
    expect(text).toBe(textOf(keys.filter((key) => key !== moved)));
  });

  test('leaves no blank lines at the end of a file', async () => {
    const folder = both(
      'project: retail\ngroups:\n  first: { members: [globex] }\n\n  second: { members: [globex] }\n',
    );
    expect((await folder.move('group/second', '--yes')).exit).toBe(0);
    expect(folder.read('retail/roster.yaml')).toMatch(/groups:\n {2}first: .*\n$/);
  });

  test('under another key, the object keeps its name', async () => {
    const folder = both();
    expect((await folder.move('group/other', '--as', 'trips', '--yes')).exit).toBe(0);
    expect(folder.read('travel/roster.yaml')).toContain(
      '  trips:\n    members: [initech]\n    name: other\n',
    );
  });

  test('an API key without `deliver` moves, and the other project adopts the active key', async () => {
    const sandbox = await startSandbox();
    const own = 'scopes: [agents.run]\n';
    const key = `keys:\n  ours: { name: sandbox, scopes: full }\n`;
    const folder = both(`project: retail\n${own}${key}`, `${travel}${own}`);
    const env = { ROSTER_URL: sandbox.url, ROSTER_API_KEY: sandbox.apiKey };
    const run = (name: string, ...words: string[]) =>
      command([...words, '--format', 'json'], { cwd: join(folder.root, name), env });
    expect((await run('retail', 'apply', '--yes')).exit).toBe(0);
    expect((await folder.move('key/ours', '--yes')).exit).toBe(0);
    git(folder.root, 'add', '--all');
    const actions = async (name: string) => {
      const { changes } = jsonOf<PlanJson>(await run(name, 'plan'));
      return changes.map(({ action, address }) => `${action} ${address}`);
    };
    expect(await actions('travel')).toEqual(['create group/flights', 'adopt key/ours']);
    for (const name of ['retail', 'travel', 'retail'])
      expect([name, (await run(name, 'apply', '--yes', '--allow-empty')).exit]).toEqual([name, 0]);
    expect([await actions('retail'), await actions('travel')]).toEqual([[], []]);
    const writes = sandbox.requests.filter(({ method, path }) => method !== 'GET' && path.includes('keys'));
    expect(writes).toEqual([]);
  });

  test('writes nothing without `--yes` where nobody can be asked, nor with `--format diff`', async () => {
    const folder = both();
    expect(await folder.move('group/other')).toMatchObject({
      exit: 1,
      stdout: expect.stringContaining('not-confirmed'),
    });
    const words = ['move', 'group/other', '--to', '../travel/roster.yaml', '--format', 'diff'];
    const shown = await command(words, { cwd: join(folder.root, 'retail') });
    expect([shown.exit, shown.stdout]).toEqual([0, expect.stringContaining('+  other:')]);
    expect([folder.read('retail/roster.yaml'), folder.read('travel/roster.yaml')]).toEqual([retail, travel]);
  });

  const anchored = 'project: retail\nx-a: &a [globex]\ngroups:\n  a: { members: *a }\n';
  const each =
    'project: retail\ngroups:\n  "a-${each.key}":\n    each: { de: [globex], fr: [initech] }\n    members: ${each.value}\n';
  const defaults = 'project: travel\ndefaults: { groups: { active: false } }\ngroups: {}\n';
  const key = 'project: retail\nkeys:\n  ci: { scopes: [agents.run], deliver: { file: ci.key } }\n';

  test.each([
    ['a schedule that stays behind', both(), ['group/shops'], 'schedule/zoned'],
    ['what it refers to stays', both(), ['schedule/nightly'], 'pipeline/nightly-refresh'],
    [
      'a variable that is missing there',
      both(),
      ['group/shops', 'schedule/zoned'],
      'there is no variable "zone"',
    ],
    ['an anchor outside of the entry', both(anchored), ['group/a'], 'anchor'],
    ['one of several that are repeated', both(each), ['group/a-de'], 'each'],
    ['a default of the other project', both(retail, defaults), ['group/other'], 'active'],
    ['where an API key is delivered', both(key), ['key/ci'], '`deliver`'],
    [
      'a scope that the other project does not know',
      both('project: retail\nscopes: [data.read]\nkeys:\n  ci: { scopes: [data.read] }\n'),
      ['key/ci'],
      'scope',
    ],
    [
      'an entry of this address there',
      both(retail, travel.replace('flights', 'other')),
      ['group/other'],
      'already',
    ],
    [
      'another service',
      both(retail, `${travel}service: { url: https://x.example }\n`),
      ['group/other'],
      'services',
    ],
    [
      'other environments',
      both(retail, `${travel}environments: { staging: {} }\n`),
      ['group/other'],
      'environments',
    ],
  ])('refuses %s, and writes nothing', async (_, folder, addresses, why) => {
    const before = [folder.read('retail/roster.yaml'), folder.read('travel/roster.yaml')];
    const { exit, stdout } = await folder.move(...addresses, '--yes');
    const { diagnostics } = JSON.parse(stdout) as { diagnostics: { code: string; message: string }[] };
    expect([exit, diagnostics[0]?.code]).toEqual([1, 'not-movable']);
    expect(diagnostics.map(({ message }) => message).join('\n')).toContain(why);
    expect([folder.read('retail/roster.yaml'), folder.read('travel/roster.yaml')]).toEqual(before);
  });

  test('refuses projects that are in no repository', async () => {
    const root = mkdtempSync(join(tmpdir(), 'roster-move-'));
    for (const [name, text] of [
      ['a', retail],
      ['b', travel],
    ] as const) {
      mkdirSync(join(root, name));
      writeFileSync(join(root, name, 'roster.yaml'), text);
    }
    const words = ['move', 'group/other', '--to', '../b/roster.yaml', '--yes', '--format', 'json'];
    const { exit, stdout } = await command(words, { cwd: join(root, 'a') });
    expect([exit, stdout]).toEqual([1, expect.stringContaining('work tree')]);
  });
});
