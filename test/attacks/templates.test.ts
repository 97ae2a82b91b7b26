import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { parseSeed, type Sandbox } from '../../src/sandbox/index.js';
import type { PlanJson } from '../../src/view/json/plan-json.js';
import { command } from '../support/command.js';
import { inventoryAt, jsonOf } from '../support/json.js';
import { startSandbox } from '../support/sandbox.js';
import { filesBelow, mustHide } from '../support/secrets.js';

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup();
});

/** A folder with one manifest, and a service with two agents. */
class Project {
  readonly cwd = mkdtempSync(join(tmpdir(), 'roster-attack-'));
  env: Record<string, string>;

  constructor(readonly sandbox: Sandbox) {
    this.env = { ROSTER_URL: sandbox.url, ROSTER_API_KEY: sandbox.apiKey };
    cleanups.push(() => rmSync(this.cwd, { recursive: true, force: true }));
  }

  declare(manifest: object): void {
    writeFileSync(join(this.cwd, 'roster.yaml'), JSON.stringify({ project: 'attack', ...manifest }, null, 1));
  }

  async plan(manifest: object, ...flags: string[]): Promise<PlanJson> {
    this.declare(manifest);
    const { stdout } = await command(['plan', '--format', 'json', ...flags], this);
    return jsonOf<PlanJson>({ stdout });
  }

  async apply(manifest: object): Promise<void> {
    this.declare(manifest);
    const { exit, stderr } = await command(['apply', '--yes'], this);
    expect([exit, stderr]).toEqual([0, expect.anything()]);
  }

  /** Rewrites the inventory file, as a pull request can. */
  forge(change: (entry: Record<string, unknown>) => void): void {
    const path = join(this.cwd, 'roster.inventory.json');
    const inventory = inventoryAt<{ entries: Record<string, Record<string, unknown>> }>(this.cwd);
    for (const entry of Object.values(inventory.entries)) change(entry);
    writeFileSync(path, JSON.stringify(inventory));
  }
}

async function arrange(env: Record<string, string> = {}): Promise<Project> {
  const agents = ['acme', 'globex'].map((name) => ({ externalAgentId: name, name }));
  const project = new Project(await startSandbox({ seed: parseSeed(JSON.stringify({ agents })) }));
  project.env = { ...project.env, ...env };
  return project;
}

const start = '2099-12-01T06:00:00';

function scheduled(entry: object): object {
  return { schedules: { s: { target: 'agent/acme', every: '1 day', startTime: start, ...entry } } };
}

function fieldsOf({ changes }: PlanJson): Record<string, unknown> {
  return Object.fromEntries(
    changes.flatMap(({ fields }) => fields.map(({ path, ...field }) => [path, field])),
  );
}

describe('where values from the environment are allowed', () => {
  test.each([
    ['the target of a schedule', scheduled({ target: 'agent/acme${env.TAIL}' })],
    ['its time zone', scheduled({ timeZone: 'UTC${env.TAIL}' })],
    ['a scope of a key', { keys: { k: { scopes: ['agents.run${env.TAIL}'], deliver: { file: 'k' } } } }],
    [
      'the command that gets a key',
      { keys: { k: { scopes: 'full', deliver: { command: ['./save${env.TAIL}'] } } } },
    ],
    ['a member', { groups: { g: { members: ['${env.TAIL}'] } } }],
    ['the name of the project', { project: 'p${env.TAIL}' }],
    ['the URL of the service', { service: { url: 'https://example.com/${env.TAIL}' } }],
    [
      'a variable in a target',
      { vars: { t: 'acme${env.TAIL}' }, ...scheduled({ target: 'agent/${var.t}' }) },
    ],
    [
      'a variable that is an entry',
      { vars: { g: { members: [], description: '${env.TAIL}' } }, groups: { g: '${var.g}' } },
    ],
  ])('a value from the environment in %s is refused with its place', async (_, manifest) => {
    const project = await arrange({ TAIL: 'x-tail' });
    const { diagnostics } = await project.plan(manifest);
    expect(diagnostics).toMatchObject([
      { code: 'misplaced-variable', severity: 'error', file: 'roster.yaml', line: expect.any(Number) },
    ]);
  });

  test.each([
    ['an empty value', 'EMPTY', 'missing-environment-variable'],
    ['the branch of a pull request', 'GITHUB_HEAD_REF', 'misplaced-variable'],
    ['a title on GitLab', 'CI_MERGE_REQUEST_TITLE', 'misplaced-variable'],
    ['the key of roster', 'ROSTER_API_KEY', 'misplaced-variable'],
  ])('%s cannot be used in a description', async (_, name, code) => {
    const project = await arrange({
      EMPTY: '',
      GITHUB_HEAD_REF: 'fix-it-all',
      CI_MERGE_REQUEST_TITLE: 'a title',
    });
    const { diagnostics } = await project.plan({
      groups: { g: { members: [], description: `Shops \${env.${name}}` } },
    });
    expect(diagnostics.map((each) => each.code)).toEqual([code]);
  });
});

describe('what a template hides', () => {
  const inputs = (others: object) => scheduled({ inputs: { token: 'user-${env.TOKEN}', ...others } });

  test('a plan shows the template and everything around it', async () => {
    const project = await arrange({ TOKEN: 'first-token-value' });
    const plan = await project.plan(inputs({ country: 'DE', note: '$${env.TOKEN}' }));
    expect(fieldsOf(plan)['inputs']).toEqual({
      before: null,
      after: { token: 'user-${env.TOKEN}', country: 'DE', note: '$${env.TOKEN}' },
      sensitive: true,
    });
  });

  test('the digest covers the text around a value from the environment, but not the value', async () => {
    const project = await arrange({ TOKEN: 'first-token-value' });
    const digestOf = async (others: object) => (await project.plan(inputs(others))).digest;
    const [germany, france] = [await digestOf({ country: 'DE' }), await digestOf({ country: 'FR' })];
    expect(france).not.toBe(germany);
    project.env['TOKEN'] = 'another-token-value';
    expect(await digestOf({ country: 'DE' })).toBe(germany);
  });

  test('a changed secret is an update that hides exactly its own old value', async () => {
    const project = await arrange({ TOKEN: 'first-token-value' });
    await project.apply(inputs({ country: 'DE' }));
    project.env['TOKEN'] = 'another-token-value';
    const plan = await project.plan(inputs({ country: 'FR' }));
    expect(fieldsOf(plan)).toEqual({
      inputs: {
        before: { token: 'user-(sensitive)', country: 'DE' },
        after: { token: 'user-${env.TOKEN}', country: 'FR' },
        sensitive: true,
      },
    });
  });

  test('nothing is planned after an apply, and no file holds the value', async () => {
    const project = await arrange({ TOKEN: 'first-token-value' });
    await project.apply(inputs({ country: 'DE' }));
    const plan = await project.plan(
      inputs({ country: 'DE' }),
      '--out',
      'plan.json',
      '--write',
      'markdown=plan.md',
    );
    expect(plan.changes).toEqual([]);
    await command(['snapshot', '--out', 'snapshot.json'], project);
    for (const [file, text] of filesBelow(project.cwd)) mustHide(file, text, ['first-token-value']);
  });

  test('a guess in place of a secret is a change, whether or not it is right', async () => {
    const project = await arrange({ WORD: '4711' });
    await project.apply(scheduled({ inputs: { pin: '${env.WORD}' } }));
    const outcomes = [];
    for (const guess of ['4711', '4712']) {
      const plan = await project.plan(scheduled({ inputs: { pin: guess } }));
      outcomes.push([plan.summary.update, fieldsOf(plan)]);
    }
    const shown = (after: string) => [
      1,
      { inputs: { before: { pin: '(sensitive)' }, after: { pin: after }, sensitive: true } },
    ];
    expect(outcomes).toEqual([shown('4711'), shown('4712')]);
  });

  test('a plan does not reveal whether a template guesses a part of an old value', async () => {
    const project = await arrange({ WORD: '4711' });
    await project.apply(scheduled({ inputs: { pin: '${env.WORD}' } }));
    const before = [];
    for (const guess of ['4', '5'])
      before.push(fieldsOf(await project.plan(scheduled({ inputs: { pin: `${guess}\${env.WORD}` } }))));
    expect(before[0]).toMatchObject({ inputs: { before: { pin: '(sensitive)' } } });
    expect(before[1]).toMatchObject({ inputs: { before: { pin: '(sensitive)' } } });
  });
});

describe('an inventory that a pull request has written', () => {
  const every = ['target', 'every', 'cron', 'startTime', 'timeZone', 'inputs', 'enabled', 'name', 'scopes'];

  test('sensitive fields in it hide nothing of the desired side, and nothing in the digest', async () => {
    const project = await arrange();
    await project.apply(scheduled({ inputs: { country: 'DE' } }));
    project.forge((entry) => {
      entry['sensitive'] = every;
    });
    const first = await project.plan(scheduled({ every: '2 days', inputs: { country: 'FR' } }));
    expect(fieldsOf(first)).toMatchObject({
      every: { before: '1 day', after: '2 days', sensitive: false },
      inputs: { after: { country: 'FR' } },
    });
    const second = await project.plan(scheduled({ every: '3 days', inputs: { country: 'FR' } }));
    const third = await project.plan(scheduled({ every: '2 days', inputs: { country: 'XX' } }));
    expect(new Set([first.digest, second.digest, third.digest]).size).toBe(3);
  });

  test('a delete shows what is deleted, whatever it says', async () => {
    const project = await arrange();
    await project.apply({ groups: { a: { name: 'Retail prices', members: ['acme'] }, b: { members: [] } } });
    project.forge((entry) => {
      entry['sensitive'] = ['name', 'members', 'description', 'active'];
    });
    const plan = await project.plan({ groups: { b: { members: [] } } });
    const deleted = plan.changes.find(({ action }) => action === 'delete');
    expect(deleted).toMatchObject({ name: 'Retail prices', id: expect.any(String) });
    expect(deleted?.fields).toContainEqual({
      path: 'members',
      before: ['acme'],
      after: null,
      sensitive: false,
    });
  });

  test('one of roster 0.1, without the values of sensitive fields, causes no change', async () => {
    const project = await arrange({ TOKEN: 'first-token-value' });
    const manifest = scheduled({ inputs: { country: 'DE', token: '${env.TOKEN}' } });
    await project.apply(manifest);
    project.forge((entry) => {
      entry['applied'] = { ...(entry['applied'] as object), inputs: undefined };
    });
    expect((await project.plan(manifest)).changes).toEqual([]);
  });
});
