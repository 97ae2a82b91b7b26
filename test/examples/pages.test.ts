import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { parseSeed, type Sandbox } from '../../src/sandbox/index.js';
import { program } from '../support/program.js';
import { startSandbox } from '../support/sandbox.js';
import { isLong } from '../support/size.js';

const root = join(import.meta.dirname, '../..');
const project = `project: pricing
groups:
  shops: { name: Shops, members: [acme-shop, globex] }
  retail-prices: { members: [initech] }
schedules:
  nightly: { target: group/shops, cron: "0 30 2 * * *", startTime: 2030-01-07T00:00:00 }
  shops-every-6-hours: { target: group/shops, every: 6 hours, startTime: 2030-01-07T06:00:00 }
`;

interface Block {
  readonly language: string;
  readonly text: string;
}

/** The fenced blocks of a page, or of a section of it such as `recovery.md#Drift`, in order. */
function blocksOf(source: string): Block[] {
  const [page = source, section] = source.split('#');
  const whole = readFileSync(join(root, 'docs', page), 'utf8');
  const text =
    section === undefined
      ? whole
      : whole.split(/^(?=## )/m).find((each) => each.startsWith(`## ${section}\n`));
  if (text === undefined) throw new Error(`${page} has no section "${section}"`);
  return Array.from(
    text.matchAll(/^( *)```(\w+)\n(.*?)^ *```$/gms),
    ([, indent = '', language = '', block = '']) => ({
      language,
      text: block.replace(new RegExp(`^${indent}`, 'gm'), ''),
    }),
  );
}

/** Answers the questions of apply, pull and destroy, which need a terminal. */
const shim = `#!/bin/sh
roster="${process.execPath} ${program}"
case "$*" in *"-e staging"* | *"-e test"*) export ROSTER_URL="$STAGING_URL";; esac
case $1 in
  apply | pull) command=$1; shift; set -- "$command" --yes "$@";;
  destroy) shift; set -- destroy --yes --expect "$($roster plan --destroy "$@" | sed -n 's/^Digest: //p')" "$@";;
esac
exec $roster "$@"
`;

/** A folder in which a reader follows a page, with a sandbox. */
class Reader {
  private readonly home = mkdtempSync(join(tmpdir(), 'roster-page-'));
  private readonly folder = join(this.home, 'project');
  private readonly manifest = join(this.folder, 'roster.yaml');

  constructor(
    readonly sandbox: Sandbox,
    /** The service of every environment but production. */
    readonly staging = sandbox,
  ) {
    mkdirSync(this.folder);
    mkdirSync(join(this.home, 'bin'));
    writeFileSync(join(this.home, 'rosterctl-0.2.0.tgz'), 'a tarball\n');
    writeFileSync(join(this.home, 'bin/roster'), shim, { mode: 0o755 });
    spawnSync('git', ['init', '-q', '--bare', '--initial-branch', 'main', join(this.home, 'origin.git')]);
  }

  write(text: string): void {
    writeFileSync(this.manifest, text);
  }

  /** A file that a block names in its first line. */
  private writeIn(file: string, text: string): void {
    mkdirSync(dirname(join(this.folder, file)), { recursive: true });
    writeFileSync(join(this.folder, file), text);
  }

  /** Does what a block says. */
  async follow({ language, text }: Block): Promise<{ exit: number | null; output: string }> {
    if (language === 'yaml' && text.startsWith('project:')) this.write(text);
    const [, file] = /^# (\S+\.yaml)\n/.exec(text) ?? [];
    if (language === 'yaml' && file !== undefined) this.writeIn(file, text);
    if (language === 'yaml' && text.startsWith('inventory:')) this.write(this.read() + text);
    if (language === 'diff') this.edit(text);
    return language === 'sh' ? await this.run(text) : { exit: 0, output: '' };
  }

  run(script: string): Promise<{ exit: number | null; output: string }> {
    const env = {
      PATH: `${join(this.home, 'bin')}:${process.env['PATH']}`,
      HOME: this.home,
      ROSTER_URL: this.sandbox.url,
      STAGING_URL: this.staging.url,
      ROSTER_API_KEY: this.sandbox.apiKey,
      ROSTER: this.home,
      REPOSITORY: join(this.home, 'origin.git'),
      ...Object.fromEntries(
        ['AUTHOR', 'COMMITTER'].flatMap((who) => [
          [`GIT_${who}_NAME`, 'Reader'],
          [`GIT_${who}_EMAIL`, 'reader@example.com'],
        ]),
      ),
    };
    const child = spawn('sh', ['-ec', script], { cwd: this.folder, env });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text;
      });
    return new Promise((resolve, reject) => {
      child.on('error', reject);
      child.on('close', (exit) => resolve({ exit, output }));
    });
  }

  read(file = 'roster.yaml'): string {
    return readFileSync(join(this.folder, file), 'utf8');
  }

  async end(): Promise<void> {
    await Promise.all([this.sandbox.close(), this.staging.close()]);
    rmSync(this.home, { recursive: true });
  }

  private edit(diff: string): void {
    const [removed = '', added = ''] = ['-', '+'].map((mark) =>
      diff
        .split('\n')
        .filter((line) => line.startsWith(mark))
        .map((line) => line.slice(1))
        .join('\n'),
    );
    expect(this.read().split(removed)).toHaveLength(2);
    this.write(this.read().replace(removed, added));
  }
}

let reader: Reader | null = null;
afterEach(async () => reader?.end());

async function begin(manifest: string | null = null, seed?: string): Promise<Reader> {
  const sandbox = await startSandbox(
    seed === undefined ? {} : { seed: parseSeed(readFileSync(join(root, seed), 'utf8')) },
  );
  reader = new Reader(sandbox);
  if (manifest !== null) {
    reader.write(manifest);
    expect(await reader.run('roster apply')).toMatchObject({ exit: 0 });
  }
  return reader;
}

/** The exit codes and outputs of the commands of a page, without those that `skip` matches. */
async function followed(at: Reader, page: string, skip = /^$/) {
  const results: { text: string; exit: number | null; output: string }[] = [];
  for (const block of blocksOf(page)) {
    const result = skip.test(block.text) ? { exit: 0, output: '' } : await at.follow(block);
    if (block.language === 'sh' && !skip.test(block.text)) results.push({ text: block.text, ...result });
  }
  expect(results.length).toBeGreaterThan(0);
  return results;
}

const failures = (results: readonly { exit: number | null; text: string; output: string }[]) =>
  results.filter(({ exit }) => exit !== 0);

test('a new user who follows docs/start.md gets from an empty folder to a change that was reviewed and applied', async () => {
  const at = await begin();
  const results = await followed(at, 'start.md', /npm pack|roster sandbox|^export/);
  expect(failures(results)).toEqual([]);
  const printedBy = (command: string) => results.find(({ text }) => text.includes(command))?.output;
  expect(printedBy('roster run')).toMatch(/agent\/acme-shop +succeeded .* records/);
  expect(printedBy('roster data query')).toContain('agent/globex: 3 rows of ');
  expect(at.read('plan.md')).toMatch(/^\*\*Plan: 1 to update\b/m);
  expect(printedBy('--expect')).toContain('Apply complete: 0 created, 1 updated');
  expect((await at.run('git ls-tree -r --name-only main')).output).not.toContain('inventory.json');
});

describe.skipIf(!isLong)('a user who follows a page of docs/', () => {
  test('import.md: the plan adopts what exists, and nothing else', async () => {
    const at = await begin(null, 'examples/migration/seed.json');
    // With no project yet, `roster pull` has a page and tests of its own.
    const results = await followed(at, 'import.md', /DIGEST|roster pull/);
    expect(failures(results)).toEqual([]);
    expect(results[0]?.output).toMatch(/0 to create, 0 to update, .* 2 to adopt/);
    expect(results[0]?.output).toContain(
      'Not managed here: 2 groups, 1 pipeline, 3 schedules, 1 key (roster list --unmanaged).',
    );
  });

  test('import.md: a second environment is imported, and the first stays as it is', async () => {
    const at = new Reader(await startSandbox(), await startSandbox());
    reader = at;
    at.write(project);
    const elsewhere = 'ROSTER_URL="$STAGING_URL" roster apply && rm roster.inventory.json';
    expect(await at.run(elsewhere)).toMatchObject({ exit: 0 });
    const blocks = blocksOf('import.md');
    const environments = blocks.find(({ text }) => text.startsWith('environments:'))?.text;
    at.write(`${project.replace(/ {2}retail-prices: .*\n/, '')}${environments}`);
    expect(await at.run('roster apply -e production')).toMatchObject({ exit: 0 });
    const commands = blocks.find(({ text }) => text.includes('roster pull -e staging'))?.text ?? '';
    expect(await at.run(commands)).toMatchObject({ exit: 0 });
    expect(at.read('imported/groups.yaml')).toMatch(/^ {2}retail-prices:\n.*environments: \[staging\]/ms);
    const plan = await at.run('roster plan -e staging');
    expect(plan.output).toMatch(/0 to create, 0 to update, .* 0 to delete, 5 to adopt/);
  });

  test('promote.md: production is applied after staging', async () => {
    const at = await begin();
    await at.run('git init -q --initial-branch main && git remote add origin "$REPOSITORY" && mkdir vendor');
    await at.run('cp "$ROSTER/rosterctl-0.2.0.tgz" vendor');
    await at.run('roster validate');
    const results = await followed(at, 'promote.md');
    expect(failures(results)).toEqual([]);
    expect(results.at(-1)?.output).toContain('Apply complete');
  });

  test('recovery.md: drift is shown, undone and explained', async () => {
    const at = await begin(project);
    await at.run('git init -q --initial-branch main');
    for (const group of at.sandbox.world.groups.values()) group.description = 'changed in the dashboard';
    const [drift, ...results] = await followed(at, 'recovery.md#Drift');
    expect(drift).toMatchObject({ exit: 2 });
    expect(failures(results)).toEqual([]);
    expect(await at.run('roster drift')).toMatchObject({ exit: 0 });
  });

  describe('incident.md', () => {
    const [show, hold, resume, check, others, pause] = blocksOf('incident.md').filter(
      ({ language }) => language === 'sh',
    );
    const confirmed = (block?: Block) => `${block?.text.trim()} --yes`;
    const enabledIn = ({ sandbox: { world } }: Reader) =>
      new Map([...world.schedules].map(([id, { isEnabled }]) => [id, isEnabled]));
    const pausedIn = (at: Reader) => [...enabledIn(at).values()].filter((isEnabled) => !isEnabled).length;

    test('from "a data source is down" to "all is as before": the agent starts nothing, whatever is applied, and then what it started', async () => {
      const incident = project
        .replace('schedules:', 'pipelines:\n  all: { stages: [login-check, globex] }\nschedules:')
        .concat('  globex-daily: { target: agent/globex, every: 1 day, startTime: 2030-01-07T06:00:00 }\n')
        .concat('  all-weekly: { target: pipeline/all, every: 1 week, startTime: 2030-01-07T06:00:00 }\n')
        .concat('  other: { target: group/retail-prices, every: 1 day, startTime: 2030-01-07T06:00:00 }\n')
        .concat('  globex-old: { target: agent/globex, every: 2 days, startTime: 2030-01-07T06:00:00 }\n');
      const at = await begin(incident);
      const { schedules } = at.sandbox.world;
      // Long before the incident, somebody has paused one in the dashboard.
      const inventory = JSON.parse(at.read('roster.inventory.json'));
      const paused = schedules.get(inventory.entries['schedule/globex-old'].id);
      if (paused !== undefined) paused.isEnabled = false;
      const before = { enabled: enabledIn(at), inventory: at.read('roster.inventory.json') };
      const drift = (await at.run('roster drift || true')).output;

      expect(await at.run(show?.text ?? '')).toMatchObject({ exit: 0 });
      const held = await at.run(confirmed(hold));
      expect(held.exit).toBe(0);
      for (const line of [
        'schedule/all-weekly (through pipeline/all)',
        'schedule/globex-daily',
        'schedule/nightly (through group/shops)',
        'schedule/shops-every-6-hours (through group/shops)',
      ])
        expect(held.output).toContain(`  ${line}\n`);
      expect(held.output).toContain('4 to pause');
      expect([...enabledIn(at).values()].filter(Boolean)).toHaveLength(1);

      // Colleagues merge meanwhile: nothing of it starts the agent.
      at.write(incident.replace('every: 6 hours', 'every: 12 hours'));
      const plan = await at.run('roster plan');
      expect(plan.output).toContain('held');
      expect(plan.output).not.toContain('enabled');
      expect(await at.run('roster apply')).toMatchObject({ exit: 0 });
      expect([...enabledIn(at).values()].filter(Boolean)).toHaveLength(1);
      at.write(incident);
      expect(await at.run('roster apply')).toMatchObject({ exit: 0 });

      expect(await at.run(confirmed(resume))).toMatchObject({ exit: 0 });
      expect(enabledIn(at)).toEqual(before.enabled);
      const since = /"since": ?"[^"]*"/g;
      expect(at.read('roster.inventory.json').replace(since, '')).toBe(before.inventory.replace(since, ''));
      const checked = await at.run((check?.text ?? '').replace('roster drift', 'roster drift || true'));
      expect(checked.output).toContain(drift);
      expect(checked.output).toMatch(/schedule\/globex-old[\s\S]*enabled false → true/);
      expect(checked.output).toContain('Plan: 0 to create, 1 to update,');
    });

    test('what is paused in the dashboard is a difference, and what a pull request pauses is none', async () => {
      const at = await begin(project);
      for (const schedule of at.sandbox.world.schedules.values()) schedule.isEnabled = false;
      expect((await at.run('roster plan')).output).toMatch(/changed outside roster.*enabled false → true/s);
      expect(await at.run(others?.text ?? '')).toMatchObject({ exit: 0 });
      expect(pausedIn(at)).toBe(2);
      at.write(project.replace('06:00:00 }', '06:00:00, enabled: false }'));
      expect(await at.run(pause?.text ?? '')).toMatchObject({ exit: 0 });
      expect(await at.run('roster apply')).toMatchObject({ exit: 0 });
      expect(pausedIn(at)).toBe(1);
      expect(await at.run(check?.text ?? '')).toMatchObject({ exit: 0 });
    });
  });

  test('api-keys.md: the old key is replaced in its file', async () => {
    const at = await begin(null);
    const [first] = blocksOf('api-keys.md#Rotate a key');
    at.write((first?.text ?? '').replace('    name: roster ci\n', '    name: roster ci 0\n'));
    expect(await at.run('roster apply --allow-self-revoke && chmod 600 .secrets/ci.key')).toMatchObject({
      exit: 0,
    });
    const before = at.read('.secrets/ci.key');
    const key = 'export ROSTER_API_KEY="$(cat .secrets/ci.key)"\n';
    at.write(first?.text ?? '');
    const [plan, apply] = blocksOf('api-keys.md#Rotate a key').filter(({ language }) => language === 'sh');
    expect((await at.run(key + plan?.text)).output).toMatch(/stops working/);
    expect(await at.run(key + apply?.text)).toMatchObject({ exit: 0 });
    expect(at.read('.secrets/ci.key')).not.toBe(before);
  });

  test('recovery.md: without its inventory, a plan only adopts', async () => {
    const at = await begin(project);
    await at.run('rm roster.inventory.json');
    const results = await followed(at, 'recovery.md#Lost inventory');
    expect(failures(results)).toEqual([]);
    expect(results[0]?.output).toMatch(/0 to create, 0 to update, 0 to replace, 0 to delete, 4 to adopt/);
    expect(await at.run('roster plan --detailed-exitcode')).toMatchObject({ exit: 0 });
  });

  test('split.md: entries move between two projects without a delete', async () => {
    const at = await begin();
    expect(await at.run('git init -q')).toMatchObject({ exit: 0 });
    const results = await followed(at, 'split.md');
    expect(failures(results)).toEqual([]);
    expect(results[1]?.output).toMatch(/0 to delete, 2 to adopt.*is not deleted|are not deleted/s);
    expect(at.sandbox.requests.filter(({ method }) => method === 'DELETE')).toEqual([]);
    expect(at.sandbox.world.pipelines.size).toBe(1);
  });

  test('rename.md: new names send no request, and what is retired is deleted in its own service only', async () => {
    const at = new Reader(await startSandbox(), await startSandbox());
    reader = at;
    const set = 'git init -q --initial-branch main && git remote add origin "$REPOSITORY"';
    expect(await at.run(set)).toMatchObject({ exit: 0 });
    const results = await followed(at, 'rename.md');
    expect(failures(results)).toEqual([]);
    const writes = ({ requests }: Sandbox) =>
      requests.flatMap(({ method, path }) =>
        method === 'GET' || path.endsWith('/preview')
          ? []
          : [`${method} ${path.replace(/\/[0-9a-f-]{36}$/, '/:id')}`],
      );
    const [group, schedule] = ['/api/search-groups', '/api/schedules'];
    expect(writes(at.staging)).toEqual([
      ...[`POST ${group}`, `POST ${schedule}`, `POST ${schedule}`],
      ...[`POST ${schedule}/bulk/delete`, `DELETE ${group}/:id`],
    ]);
    expect(writes(at.sandbox)).toEqual([
      ...[`POST ${group}`, `POST ${schedule}`],
      ...[`DELETE ${schedule}/:id`, `DELETE ${group}/:id`],
    ]);
    expect((await at.run('git ls-remote origin')).output).toBe('');
  });

  test('service-user.md: everything is created again for another user, and a new key of that user changes nothing', async () => {
    const serviceUserKey = 'svc_live_service_user_00000000000000';
    const agents = ['acme-shop', 'globex', 'initech'].map((externalAgentId) => {
      return { externalAgentId, name: externalAgentId, assignedTo: ['acme-inc'] };
    });
    const users = ['caller', 'roster'].map((name) => ({ name, company: 'acme-inc' }));
    const keys = [{ name: 'roster', user: 'roster', key: serviceUserKey }];
    const at = new Reader(
      await startSandbox({ seed: parseSeed(JSON.stringify({ agents, users, keys, groups: [] })) }),
    );
    reader = at;
    at.write(project);
    const [check, apply, destroy, create, rotated] = blocksOf('service-user.md').flatMap(
      ({ language, text }) => (language === 'sh' ? [text] : []),
    );
    const follow = async (script: string | undefined, env = '') => {
      const { exit, output } = await at.run(`${env}\n${script}`);
      expect([exit, output]).toEqual([0, expect.anything()]);
      return output;
    };
    await follow(check);
    await follow(apply);
    const secret = `SERVICE_USER_KEY=${serviceUserKey}`;
    expect((await at.run(`${secret}\n${create}`)).output).toContain('error[inventory-mismatch]');
    await follow(destroy);
    expect(await follow(create, secret)).toContain('4 to create');
    const response = await fetch(`${at.sandbox.url}/api/api-keys`, {
      method: 'POST',
      headers: { 'X-Api-Key': serviceUserKey, 'Content-Type': 'application/json' },
      body: JSON.stringify({ name: 'next' }),
    });
    const { key } = ((await response.json()) as { data: { key: string } }).data;
    expect((await at.run(`${secret}\n${create}`)).output).toContain('error[unauthorized]');
    expect(await follow(rotated, `NEW_KEY=${key}`)).toContain('No changes.');
  });

  test('repeat.md: one entry in place of copies changes nothing', async () => {
    const [copies, repeated] = blocksOf('repeat.md').filter(({ language }) => language === 'yaml');
    const at = await begin(copies?.text);
    at.write(repeated?.text ?? '');
    // The page shows two of the ten copies.
    expect((await at.run('roster plan')).output).toMatch(
      /8 to create, 0 to update, .* 0 to delete, .* 2 unchanged/,
    );
    await at.run('roster apply');
    expect((await at.run('roster plan')).output).toContain('(10 unchanged)');
  });

  test('repeat.md: a renamed item keeps its object', async () => {
    const [, , renamed = ''] = blocksOf('repeat.md').flatMap(({ language, text }) =>
      language === 'yaml' ? [text] : [],
    );
    const project = `project: countries\n${renamed}`;
    const old = project.replace('gb: [globex]', 'uk: [globex]').replace(/ +formerly: .*\n/, '');
    const at = await begin(old);
    at.write(project.replace(/ +formerly: .*\n/, ''));
    const words = (text: string) => text.replace(/\s+/g, ' ');
    const hint =
      blocksOf('repeat.md')
        .find(({ text }) => text.startsWith('looks like'))
        ?.text.trim() ?? '?';
    expect(words((await at.run('roster plan')).output)).toContain(words(hint));
    at.write(project);
    expect((await at.run('roster plan')).output).toMatch(/0 to create, 1 to update, .* 0 to delete/);
  });
});
