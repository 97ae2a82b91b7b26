import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { parse, print } from '../../src/inventory/format.js';
import type { Ended } from '../support/program.js';
import { git } from '../support/repository.js';
import { sampleOf } from '../support/size.js';
import { experiments } from './support/experiments.js';
import { type Fixture, withFixture } from './support/fixture.js';
import { callsOf, type FsFault } from './support/fs-faults.js';
import { activeKeys, creationsIn, fromDashboard, keyScenario, sink } from './support/keys.js';
import { type Scenario, scenario } from './support/scenarios.js';

/**
 * I20: if the process is killed at a call that changes files, or the disk refuses it, each file is complete or unchanged,
 * and exit code and messages are right.
 */

const flat = (text: string) => text.replace(/\s+/g, ' ');

/** Every fault at every call; writes also fail halfway. */
function faultsAt(calls: readonly string[]): FsFault[] {
  return calls.flatMap((call, index) => {
    const nth = index + 1;
    const whole: FsFault[] = [
      { act: 'kill', nth },
      { act: 'ENOSPC', nth, lasting: true },
      { act: 'EIO', nth },
      { act: 'EROFS', nth, lasting: true },
    ];
    const half: FsFault[] = [
      { act: 'kill', nth, half: true },
      { act: 'ENOSPC', nth, half: true },
    ];
    return call.startsWith('write') ? [...whole, ...half] : whole;
  });
}

const read = ({ workspace }: Fixture, name: string): string | null => {
  const path = join(workspace.root, name);
  return existsSync(path) ? readFileSync(path, 'utf8') : null;
};

const filesOf = ({ workspace }: Fixture): string[] =>
  readdirSync(workspace.root, { recursive: true, withFileTypes: true })
    .filter((each) => !each.isDirectory())
    .map((each) => join(each.parentPath, each.name).slice(workspace.root.length + 1))
    .sort();

/** The process was killed, or ended with a message: no stack trace, no internal error. */
function expectMessage(
  { exit, signal, stdout, stderr }: Ended,
  fault: FsFault,
  exits: readonly number[],
): void {
  const output = stdout + stderr;
  if (fault.act === 'kill') {
    expect([exit, signal]).toBeOneOf([
      [null, 'SIGKILL'],
      [0, null],
    ]);
    return;
  }
  expect(exits, output).toContain(exit);
  expect(output).not.toMatch(/error\[internal\]|\n +at /);
  if (exit !== 0) expect(flat(output)).toContain(fault.act);
}

/** No temporary file is left, unless the disk refused to delete it. */
function expectNoLeftovers(
  fixture: Fixture,
  fault: FsFault,
  before: readonly string[],
  mine: readonly string[],
): void {
  const mayLeaveFiles = fault.act === 'kill' || fault.act === 'EROFS' || fault.act === 'EIO';
  if (!mayLeaveFiles)
    expect(filesOf(fixture).filter((name) => ![...before, ...mine].includes(name))).toEqual([]);
}

interface Command {
  readonly scenario: Scenario;
  readonly words: readonly string[];
  arrange?(fixture: Fixture): void;
}

/** The calls of a command that change files of the project. */
function callsIn({ scenario: given, words, arrange }: Command): Promise<string[]> {
  return withFixture(given, async (fixture) => {
    arrange?.(fixture);
    return callsOf(fixture.workspace.root, (env) => fixture.processWith(env, ...words));
  });
}

describe('plan --out', async () => {
  const words = ['plan', '--out', 'plan.json', '--write', 'json=more.json'];
  for (const old of sampleOf([false, true], 1)) {
    const command: Command = {
      scenario: scenario('S3'),
      words,
      arrange: ({ workspace }) => {
        if (old) workspace.write('plan.json', 'an old plan\n');
      },
    };
    const calls = await callsIn(command);
    experiments(
      'I20',
      `plan --out${old ? ' over an old plan' : ''}: a file system fault leaves the plan complete or unchanged`,
      faultsAt(calls),
      (fault) =>
        withFixture(command.scenario, async (fixture) => {
          command.arrange?.(fixture);
          const before = filesOf(fixture);
          fixture.fsFault = fault;
          const ended = await fixture.command(...words);
          const [out, more] = [read(fixture, 'plan.json'), read(fixture, 'more.json')];
          expectMessage(ended, fault, [0, 1]);
          expectNoLeftovers(fixture, fault, before, ['plan.json', 'more.json']);
          fixture.fsFault = null;
          expect(await fixture.command(...words)).toMatchObject({ exit: 0 });
          const whole = read(fixture, 'plan.json');
          expect(out).toBeOneOf([whole, old ? 'an old plan\n' : null]);
          if (more !== null) expect(() => JSON.parse(more)).not.toThrow();
          if (ended.exit === 0) expect([out, more === null]).toEqual([whole, false]);
          expect(statSync(join(fixture.workspace.root, 'plan.json')).mode & 0o777).toBe(0o600);
        }),
    );
  }
});

/** A complete inventory can be read, and is written the same way. */
function expectInventory(text: string | null): void {
  if (text !== null) expect(print(parse(text, 'the inventory'))).toBe(text);
}

describe('apply', async () => {
  const words = ['apply', '--yes', '--report', 'report.json'];
  for (const name of sampleOf(['S2', 'S3'], 1)) {
    const command = { scenario: scenario(name), words };
    const calls = await callsIn(command);
    experiments(
      'I20',
      `apply of ${name}: a file system fault leaves inventory, lock and report complete or unchanged`,
      faultsAt(calls),
      (fault) =>
        withFixture(command.scenario, async (fixture) => {
          const before = filesOf(fixture);
          fixture.fsFault = fault;
          const ended = await fixture.command(...words);
          expectInventory(read(fixture, 'roster.inventory.json'));
          const report = read(fixture, 'report.json');
          if (report !== null) expect(() => JSON.parse(report)).not.toThrow();
          expectMessage(ended, fault, fixture.writes().length === 0 ? [0, 1, 4] : [0, 3]);
          expectNoLeftovers(fixture, fault, before, [
            'roster.inventory.json',
            'report.json',
            'roster.inventory.json.lock',
          ]);
          if (ended.exit === 0) {
            await fixture.expectDesired();
            expect(report).not.toBe(null);
          }
          fixture.fsFault = null;
          const again = await fixture.apply({ report: 'report.json' });
          expect(again.exit, again.stdout + again.stderr).toBe(0);
          await fixture.expectDesired();
          await fixture.expectNothingLeft();
          expectInventory(read(fixture, 'roster.inventory.json'));
        }),
      61,
    );
  }
});

/** As `roster init` writes it. */
const ignored = '.secrets/\nroster.inventory*.lock\n*.roster-tmp\n';

/** The files that contain the newest key. */
const holders = (fixture: Fixture): string[] =>
  filesOf(fixture).filter((name) => read(fixture, name)?.includes(fixture.sandbox.world.apiKey));

/** What `git add --all` would add. */
function seenByGit({ workspace: { root } }: Fixture): string[] {
  const folder = mkdtempSync(join(tmpdir(), 'roster-git-'));
  try {
    git(folder, 'init', '--quiet', '--bare');
    const words = ['ls-files', '--others', '--exclude-standard'];
    return git(root, `--git-dir=${folder}`, `--work-tree=${root}`, ...words).split('\n');
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The path in the message about a key that was not delivered. */
const keptIn = (stderr: string): string | null =>
  /keptin(\S+?\.key)/.exec(stderr.replace(/\s+/g, ''))?.[1] ?? null;

/** The folder of the system has it when the project's has no room. Where nothing has, the dashboard makes the next one. */
function expectKept(path: string | null, key: string, stderr: string): void {
  if (path === null) {
    expect(stderr).toContain('dashboard');
    return;
  }
  expect([readFileSync(path, 'utf8'), statSync(path).mode & 0o777]).toEqual([key, 0o600]);
  if (!path.includes('/.roster/rescued/')) rmSync(path);
}

describe('a new key', async () => {
  const ways: Record<string, object> = {
    file: { file: sink },
    'file of the previous key': { file: sink },
    command: { command: [process.execPath, '-e', 'process.stdin.on("data",()=>undefined)'] },
  };
  const words = ['apply', '--yes', '--allow-self-revoke'];
  for (const [way, deliver] of sampleOf(Object.entries(ways), 1)) {
    const previous = way === 'file of the previous key' ? `svc_live_${'0'.repeat(40)}\n` : null;
    const arrange = ({ workspace }: Fixture) => {
      workspace.write('.gitignore', ignored);
      if (previous !== null) workspace.write(sink, previous);
    };
    const command = { scenario: keyScenario({ deliver }), words, arrange };
    const calls = await callsIn(command);
    experiments(
      'I20',
      `apply of a key to a ${way}: a file system fault never loses the new key`,
      faultsAt(calls),
      (fault) =>
        withFixture(command.scenario, async (fixture) => {
          arrange(fixture);
          fixture.fsFault = fault;
          const ended = await fixture.command(...words);
          const delivered = read(fixture, sink);
          const key = `${fixture.sandbox.world.apiKey}\n`;
          expectInventory(read(fixture, 'roster.inventory.json'));
          const kept = keptIn(ended.stderr);
          // Where the move over a previous key was taken back, the new key is at the path in the message.
          expect(delivered).toBeOneOf(kept === null ? [previous, key] : [previous, key, null]);
          expectMessage(ended, fault, fixture.writes().length === 0 ? [0, 1, 4] : [0, 3]);
          const made = creationsIn(fixture);
          const holding = holders(fixture);
          for (const name of holding)
            expect(statSync(join(fixture.workspace.root, name)).mode & 0o777).toBe(0o600);
          expect(made).toBeLessThanOrEqual(1);
          expect(seenByGit(fixture).filter((name) => holding.includes(name))).toEqual([]);
          if (made === 1 && way !== 'command') {
            if (ended.exit === 0) expect(holding).toEqual([sink]);
            // A created key is at its destination, or at the path in the message.
            else if (ended.exit === 3 && (kept !== null || !holding.includes(sink)))
              expectKept(kept, key, ended.stderr);
          }
          if (ended.exit === 0 && way === 'command') expect(holding).toEqual([]);
          await expectRecovery(fixture, made === 1 ? holding : null);
          if (way !== 'command') expect(holders(fixture)).toEqual([sink]);
          else expect(holders(fixture)).toEqual([]);
        }),
      61,
    );
  }

  /** Applies again with the key that was saved, or with one from the dashboard. */
  async function expectRecovery(fixture: Fixture, holding: readonly string[] | null): Promise<void> {
    fixture.fsFault = null;
    const { workspace, sandbox } = fixture;
    if (holding !== null && holding.length > 0) workspace.env['ROSTER_API_KEY'] = sandbox.world.apiKey;
    else if (holding !== null) fromDashboard(fixture);
    const again = await fixture.apply({ allowSelfRevoke: true });
    expect(again.exit, again.stdout + again.stderr).toBe(0);
    expect(activeKeys(fixture)).toMatchObject({ ci: ['agents.run'] });
    workspace.env['ROSTER_API_KEY'] = sandbox.world.apiKey;
    await fixture.expectNothingLeft();
  }
});

describe('fmt', async () => {
  const untidy = {
    'a.yaml': 'groups:\n    a:   {members: [acme-shop]}\n',
    'b.yaml': 'groups: {b: {members:   []}}\n',
  };
  const command: Command = {
    scenario: scenario('S2'),
    words: ['fmt'],
    arrange: ({ workspace }) => {
      workspace.write('roster.yaml', 'project: faults\ninclude: [teams/*]\n');
      for (const [name, text] of Object.entries(untidy)) workspace.write(`teams/${name}`, text);
    },
  };
  const calls = await callsIn(command);
  experiments(
    'I20',
    'fmt: a file system fault leaves each manifest complete or unchanged',
    faultsAt(calls),
    (fault) =>
      withFixture(command.scenario, async (fixture) => {
        command.arrange?.(fixture);
        const names = Object.keys(untidy);
        const before = filesOf(fixture);
        fixture.fsFault = fault;
        const ended = await fixture.command('fmt');
        const half = names.map((name) => read(fixture, `teams/${name}`));
        expectMessage(ended, fault, [0, 1]);
        expectNoLeftovers(fixture, fault, before, []);
        fixture.fsFault = null;
        const again = await fixture.command('fmt');
        expect(again.exit, again.stderr).toBe(0);
        const whole = names.map((name) => read(fixture, `teams/${name}`));
        names.forEach((name, index) => {
          expect(half[index]).toBeOneOf([whole[index], untidy[name as keyof typeof untidy]]);
        });
        if (ended.exit === 0) expect(half).toEqual(whole);
        expect(await fixture.command('validate')).toMatchObject({ exit: 0 });
      }),
  );
});

experiments(
  'I20',
  'files: a symbolic link in place of a file is refused and its target is not written',
  [
    { words: ['plan', '--out', 'link'], file: 'link' },
    { words: ['plan', '--write', 'json=link'], file: 'link' },
    { words: ['apply', '--yes', '--report', 'link'], file: 'link' },
    { words: ['apply', '--yes'], file: 'roster.inventory.json' },
  ].flatMap((each) => ['roster.yaml', 'nothing'].map((to) => ({ ...each, to }))),
  ({ words, file, to }) =>
    withFixture(scenario('S2'), async (fixture) => {
      const { root } = fixture.workspace;
      const manifest = read(fixture, 'roster.yaml');
      symlinkSync(join(root, to), join(root, file));
      const { exit, stderr } = await fixture.command(...words);
      // The target of the link may not be an inventory, either.
      expect([exit, flat(stderr)]).toEqual([
        expect.toBeOneOf([1, 4]),
        expect.stringMatching(/error\[(unreadable-file|unwritable-file|invalid-inventory)\]/),
      ]);
      expect([read(fixture, 'roster.yaml'), existsSync(join(root, 'nothing')), fixture.writes()]).toEqual([
        manifest,
        false,
        [],
      ]);
    }),
  5,
);

experiments(
  'I20',
  'files: a path below a file is refused with ENOTDIR',
  [
    ['plan', '--out', 'roster.yaml/x'],
    ['plan', '--write', 'json=roster.yaml/x'],
    ['apply', '--yes', '--report', 'roster.yaml/x'],
  ],
  (words) =>
    withFixture(scenario('S2'), async (fixture) => {
      const { exit, stderr } = await fixture.command(...words);
      expect([exit, flat(stderr)]).toEqual([1, expect.stringContaining('ENOTDIR')]);
      expect([stderr.includes('error[unwritable-file]'), fixture.writes()]).toEqual([true, []]);
    }),
  5,
);
