import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { defaultSeed, type Sandbox } from '../../../src/sandbox/index.js';
import { Workspace } from '../../support/roster.js';
import { startSandbox } from '../../support/sandbox.js';

/** What a person reads in a terminal. */

let sandbox: Sandbox;
let workspace: Workspace;
beforeEach(async () => {
  sandbox = await startSandbox({ seed: defaultSeed() });
  workspace = new Workspace({}, sandbox);
});

const declare = (text: string) => workspace.write('roster.yaml', `project: p\n${text}`);
const start = 'startTime: 2099-12-01T06:00:00, timeZone: Europe/Berlin';

describe('unknown inputs', () => {
  const scheduleWith = (inputs: string) =>
    declare(
      `groups: { g: { members: [acme-shop] } }\nschedules: { s: { target: group/g, every: 1 day, ${start}, inputs: ${inputs} } }`,
    );
  const diagnostics = async () => (await workspace.planJson()).diagnostics;

  it('of one schedule are one warning, with the nearest known input for each', async () => {
    scheduleWith('{ contry: DE, qery: x }');
    expect(await diagnostics()).toMatchObject([
      {
        code: 'unknown-input',
        message: 'no agent of group/g has inputs "contry" and "qery"',
        help: 'Instead of "contry", did you mean `country`? Instead of "qery", did you mean `query`?',
      },
    ]);
  });

  it('are named beside values from the environment, which are not shown', async () => {
    workspace.env['SHOP_PIN'] = 'value-of-the-environment';
    scheduleWith('{ contry: "${env.SHOP_PIN}" }');
    const [warning] = await diagnostics();
    expect(warning?.message).toBe('no agent of group/g has an input "contry"');
    expect(JSON.stringify(warning)).not.toContain('value-of-the-environment');
  });

  it('that resemble no known one are followed by the known ones', async () => {
    scheduleWith('{ contry: DE, zzzzzz: 1 }');
    const [warning] = await diagnostics();
    expect(warning?.help).toMatch(/^Instead of "contry", did you mean `country`\? Known inputs: `country`, /);
  });

  it('are counted when there are many', async () => {
    scheduleWith('{ a1: 1, a2: 1, a3: 1, a4: 1, a5: 1, a6: 1, a7: 1 }');
    const [warning, ...others] = await diagnostics();
    expect(warning?.message).toBe('no agent of group/g has inputs "a1", "a2", "a3", "a4", "a5" and 2 more');
    expect(others).toEqual([]);
  });

  it('do not hide an error: it comes last, and they are counted', async () => {
    const schedules = Array.from(
      { length: 20 },
      (_, index) =>
        `  s${index}: { target: agent/acme-shop, every: ${index + 1} days, ${start}, inputs: { contry: DE } }`,
    );
    declare(`groups: { g: { members: [acme-shopp] } }\nschedules:\n${schedules.join('\n')}`);
    const { exit, stderr } = await workspace.plan();
    expect(exit).toBe(1);
    expect(stderr).not.toContain('unknown-input');
    expect(stderr).toMatch(
      /error\[unknown-agent\][\s\S]*\n1 error\. 20 warnings are not shown; `-v` shows them\.\nLearn more: roster explain unknown-agent\n$/,
    );
    const verbose = await workspace.plan({ verbose: true });
    expect(verbose.stderr.indexOf('error[')).toBeGreaterThan(verbose.stderr.lastIndexOf('warning['));
    const json = await workspace.planJson();
    expect(json.diagnostics.filter(({ severity }) => severity === 'warning')).toHaveLength(20);
  });
});

describe('objects that a lost inventory makes roster adopt', () => {
  it('are shown with the members of groups, the target and timing of schedules, and their places', async () => {
    declare(`groups: { g: { members: [acme-shop, globex] } }
pipelines: { p: { stages: [acme-shop] } }
schedules:
  a: { target: group/g, every: 6 hours, ${start} }
  b: { target: pipeline/p, cron: "0 30 2 * * *", startTime: 2099-12-01T06:00:00, enabled: false }
  c: { target: agent/globex, once: 2099-12-24T08:00:00 }
`);
    expect((await workspace.apply()).exit).toBe(0);
    rmSync(join(workspace.root, 'roster.inventory.json'));
    const { stdout } = await workspace.plan();
    expect(stdout.match(/^ {2}= .*(\n {4}.*)*/gm)?.map((each) => each.replace(/\s+/g, ' ').trim())).toEqual([
      '= adopt group/g 2 members roster.yaml:2',
      '= adopt pipeline/p 1 stage roster.yaml:3',
      '= adopt schedule/a group/g, every 6 hours from 2099-12-01T06:00:00, Europe/Berlin roster.yaml:5',
      '= adopt schedule/b roster.yaml:6 pipeline/p, cron `0 30 2 * * *` from 2099-12-01T06:00:00, UTC, paused',
      '= adopt schedule/c agent/globex, once at 2099-12-24T08:00:00, UTC roster.yaml:7',
    ]);
  });
});

describe('a schedule in a plan', () => {
  it('that is paused says so in place of its runs', async () => {
    declare(`schedules: { s: { target: agent/acme-shop, every: 1 day, ${start}, enabled: false } }`);
    const { stdout } = await workspace.plan();
    expect(stdout).toMatch(/\+ create {2}schedule\/s {2}[^+~]* · paused\n/);
    expect(stdout).not.toMatch(/never|next runs/);
    const { changes } = await workspace.planJson();
    expect(changes[0]?.nextRuns).toMatchObject({
      after: [],
      pace: { before: null, after: { paused: true } },
    });
  });

  it('has no next runs when only its inputs change', async () => {
    const withCountry = (country: string) =>
      declare(
        `schedules: { s: { target: agent/acme-shop, every: 1 day, ${start}, inputs: { country: ${country} } } }`,
      );
    withCountry('DE');
    expect((await workspace.apply()).exit).toBe(0);
    withCountry('AT');
    const { stdout } = await workspace.plan();
    expect(stdout).toContain('inputs {"country":"DE"} → {"country":"AT"}');
    expect(stdout).not.toMatch(/next runs|2099-/);
  });
});

describe('why', () => {
  it('shows both spellings of what is equal', async () => {
    const withTime = (time: string) =>
      declare(`schedules: { s: { target: agent/acme-shop, every: 1 day, startTime: ${time} } }`);
    withTime('2099-12-01T06:00');
    expect((await workspace.apply()).exit).toBe(0);
    const { stdout } = await workspace.command(['why', 'schedule/s']);
    expect(stdout.replace(/\s+/g, ' ')).toContain(
      'startTime: "2099-12-01T06:00:00" on the service ("2099-12-01T06:00" in the manifest) is equal: both are the same time',
    );
  });

  it('shows a name once when a reader cannot see the difference', async () => {
    declare(`groups: { g: { name: "Cafe\u0301", members: [acme-shop] } }`);
    expect((await workspace.apply()).exit).toBe(0);
    for (const group of sandbox.world.groups.values())
      Object.assign(group, { name: group.name.normalize('NFC') });
    const { stdout } = await workspace.command(['why', 'group/g']);
    expect(stdout.match(/Caf/g)).not.toBeNull();
    expect(stdout).not.toContain('in the manifest)');
    expect(stdout.replace(/\s+/g, ' ')).toContain('on the service is equal: ');
  });
});

describe('a summary of a plan', () => {
  it('has one line for each change, and the last line as always', async () => {
    declare('groups: { a: { members: [acme-shop] }, b: { members: [] } }');
    const { stdout, exit } = await workspace.command(['plan', '--summary']);
    expect(exit).toBe(0);
    expect(stdout).toContain('CHANGES\n  + group/a  1 member\n  + group/b  0 members\n\n');
    expect(stdout).not.toContain('members:');
    expect(stdout.trimEnd().split('\n').at(-1)).toMatch(/^Plan: 2 to create, /);
  });

  it.each(['json', 'markdown', 'github', 'gitlab'])('is an error with the format %s', async (format) => {
    declare('groups: { a: { members: [acme-shop] } }');
    const ran = await workspace.command(['plan', '--summary', '--format', format]);
    expect([ran.exit, ran.stdout + ran.stderr]).toEqual([1, expect.stringContaining('--summary')]);
  });
});

describe('the output with FORCE_COLOR', () => {
  it('is colored in a pipe', async () => {
    declare('groups: { a: { members: [acme-shop] } }');
    workspace.env['FORCE_COLOR'] = '1';
    expect((await workspace.plan()).stdout).toContain('\u001b[32m');
    expect((await workspace.plan({ color: false })).stdout).not.toContain('\u001b');
  });
});

describe('what to do next', () => {
  it('after a key was replaced names the file with the new one', async () => {
    declare('keys: { ci: { scopes: [agents.run], deliver: { file: .secrets/ci.key } } }');
    expect((await workspace.apply({ allowSelfRevoke: true })).exit).toBe(0);
    const { exit, diagnostics } = await workspace.planJson();
    expect([exit, diagnostics]).toMatchObject([
      1,
      [
        {
          code: 'unauthorized',
          help: expect.stringContaining('`ROSTER_API_KEY` to the key in .secrets/ci.key'),
        },
      ],
    ]);
    delete workspace.env['ROSTER_API_KEY'];
    workspace.env['ROSTER_API_KEY_FILE'] = '.secrets/ci.key';
    expect((await workspace.plan()).exit).toBe(0);
  });

  it('with a stale digest names the flag for the current one', async () => {
    declare('groups: { a: { members: [acme-shop] } }');
    const { stderr } = await workspace.apply({ expect: `sha256:${'0'.repeat(64)}` });
    expect(stderr.replace(/\s+/g, ' ')).toContain('`roster apply --expect DIGEST`');
  });

  it('when a protected object would be deleted names each command', async () => {
    declare('groups: { a: { members: [acme-shop], protect: true }, b: { members: [] } }');
    expect((await workspace.apply()).exit).toBe(0);
    declare('groups: { b: { members: [] } }');
    const { stdout } = await workspace.plan();
    expect(stdout.replace(/\s+/g, ' ')).toContain(
      '`protect: false`, run `roster apply`, and then remove the entry',
    );
  });

  it('with addresses names the command without them', async () => {
    declare('groups: { a: { members: [acme-shop] }, b: { members: [] } }');
    expect((await workspace.plan({}, ['group/a'])).stderr).toContain('run `roster plan` without a selection');
  });
});
