import { existsSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { parse, print } from '../../src/inventory/format.js';
import type { Ended } from '../support/program.js';
import { experiments } from './support/experiments.js';
import { type Fixture, withFixture } from './support/fixture.js';
import { callsOf, type FsFault } from './support/fs-faults.js';
import { activeKeys, creationsIn, fromDashboard, keyScenario, sink } from './support/keys.js';
import { type Scenario, scenario } from './support/scenarios.js';

/** I20: killed at any call that changes files, or refused by the disk, each file is whole or as it was, and exit code and words are true. */

const flat = (text: string) => text.replace(/\s+/g, ' ');

/** Every fault at every call: writes go half way, too. */
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

/** Killed, or ended with words of its own: no trace of a stack, nothing of a bug. */
function expectWords(
  { exit, signal, stdout, stderr }: Ended,
  fault: FsFault,
  exits: readonly number[],
): void {
  const said = stdout + stderr;
  if (fault.act === 'kill') {
    expect([exit, signal]).toBeOneOf([
      [null, 'SIGKILL'],
      [0, null],
    ]);
    return;
  }
  expect(exits, said).toContain(exit);
  expect(said).not.toMatch(/error\[internal\]|\n +at /);
  if (exit !== 0) expect(flat(said)).toContain(fault.act);
}

/** Nothing is left lying about, unless the disk would not have it taken away. */
function expectTidy(
  fixture: Fixture,
  fault: FsFault,
  before: readonly string[],
  mine: readonly string[],
): void {
  const stuck = fault.act === 'kill' || fault.act === 'EROFS' || fault.act === 'EIO';
  if (!stuck) expect(filesOf(fixture).filter((name) => ![...before, ...mine].includes(name))).toEqual([]);
}

interface Command {
  readonly scenario: Scenario;
  readonly words: readonly string[];
  arrange?(fixture: Fixture): void;
}

/** The calls that a command makes that change files of the project. */
function callsIn({ scenario: given, words, arrange }: Command): Promise<string[]> {
  return withFixture(given, async (fixture) => {
    arrange?.(fixture);
    return callsOf(fixture.workspace.root, (env) => fixture.processWith(env, ...words));
  });
}

describe('plan --out', async () => {
  const words = ['plan', '--out', 'plan.json', '--write', 'json=more.json'];
  for (const old of [false, true]) {
    const command: Command = {
      scenario: scenario('S3'),
      words,
      arrange: ({ workspace }) => {
        if (old) workspace.write('plan.json', 'an old plan\n');
      },
    };
    const calls = await callsIn(command);
    experiments('I20', `plan --out ${old ? 'over an old plan' : ''}`.trim(), faultsAt(calls), (fault) =>
      withFixture(command.scenario, async (fixture) => {
        command.arrange?.(fixture);
        const before = filesOf(fixture);
        fixture.fsFault = fault;
        const ended = await fixture.process(...words);
        const [out, more] = [read(fixture, 'plan.json'), read(fixture, 'more.json')];
        expectWords(ended, fault, [0, 1]);
        expectTidy(fixture, fault, before, ['plan.json', 'more.json']);
        fixture.fsFault = null;
        expect(await fixture.process(...words)).toMatchObject({ exit: 0 });
        const whole = read(fixture, 'plan.json');
        expect(out).toBeOneOf([whole, old ? 'an old plan\n' : null]);
        if (more !== null) expect(() => JSON.parse(more)).not.toThrow();
        if (ended.exit === 0) expect([out, more === null]).toEqual([whole, false]);
        expect(statSync(join(fixture.workspace.root, 'plan.json')).mode & 0o777).toBe(0o600);
      }),
    );
  }
});

/** Whole is what its own reader takes and would write again. */
function expectInventory(text: string | null): void {
  if (text !== null) expect(print(parse(text, 'the inventory'))).toBe(text);
}

describe('apply', async () => {
  const words = ['apply', '--yes', '--report', 'report.json'];
  for (const name of ['S2', 'S3']) {
    const command = { scenario: scenario(name), words };
    const calls = await callsIn(command);
    experiments('I20', `apply of ${name}: inventory, lock and report`, faultsAt(calls), (fault) =>
      withFixture(command.scenario, async (fixture) => {
        const before = filesOf(fixture);
        fixture.fsFault = fault;
        const ended = await fixture.process(...words);
        expectInventory(read(fixture, 'roster.inventory.json'));
        const report = read(fixture, 'report.json');
        if (report !== null) expect(() => JSON.parse(report)).not.toThrow();
        expectWords(ended, fault, fixture.writes().length === 0 ? [0, 1, 4] : [0, 3]);
        expectTidy(fixture, fault, before, [
          'roster.inventory.json',
          'report.json',
          'roster.inventory.json.lock',
        ]);
        // The oracle, and what was written down of it.
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
    );
  }
});

describe('a new key', async () => {
  const ways: Record<string, object> = {
    file: { file: sink },
    command: { command: [process.execPath, '-e', 'process.stdin.on("data",()=>undefined)'] },
  };
  const words = ['apply', '--yes', '--allow-self-revoke'];
  for (const [way, deliver] of Object.entries(ways)) {
    const command = { scenario: keyScenario({ deliver }), words };
    const calls = await callsIn(command);
    experiments('I20', `apply of a key to a ${way}`, faultsAt(calls), (fault) =>
      withFixture(command.scenario, async (fixture) => {
        fixture.fsFault = fault;
        const ended = await fixture.process(...words);
        const delivered = read(fixture, sink);
        const key = `${fixture.sandbox.world.apiKey}\n`;
        expectInventory(read(fixture, 'roster.inventory.json'));
        expect(delivered).toBeOneOf([null, key]);
        expectWords(ended, fault, fixture.writes().length === 0 ? [0, 1, 4] : [0, 3]);
        const made = creationsIn(fixture);
        const holding = filesOf(fixture).filter((name) => read(fixture, name)?.trim() === key.trim());
        for (const name of holding)
          expect(statSync(join(fixture.workspace.root, name)).mode & 0o777).toBe(0o600);
        expect(made).toBeLessThanOrEqual(1);
        if (made === 1 && way === 'file') {
          if (ended.exit === 0) expect(holding).toEqual([sink]);
          // A key that is made is at its place, or at the one that is named.
          else if (ended.exit === 3 && holding[0] !== sink)
            expect(ended.stderr.replace(/\s+/g, '')).toMatch(/keptin\S*roster-rescued-key|dashboard/);
        }
        if (ended.exit === 0 && way === 'command') expect(holding).toEqual([]);
        await carriesOn(fixture, made === 1 ? holding : null);
      }),
    );
  }

  /** With the key from where it was kept, or else one from the dashboard. */
  async function carriesOn(fixture: Fixture, holding: readonly string[] | null): Promise<void> {
    fixture.fsFault = null;
    const { workspace, sandbox } = fixture;
    if (holding !== null && holding.length > 0) workspace.env['ROSTER_API_KEY'] = sandbox.world.apiKey;
    else if (holding !== null) {
      fromDashboard(fixture);
      rmSync(join(workspace.root, sink), { force: true });
    }
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
  experiments('I20', 'fmt', faultsAt(calls), (fault) =>
    withFixture(command.scenario, async (fixture) => {
      command.arrange?.(fixture);
      const names = Object.keys(untidy);
      const before = filesOf(fixture);
      fixture.fsFault = fault;
      const ended = await fixture.process('fmt');
      const half = names.map((name) => read(fixture, `teams/${name}`));
      expectWords(ended, fault, [0, 1]);
      expectTidy(fixture, fault, before, []);
      fixture.fsFault = null;
      const again = await fixture.process('fmt');
      expect(again.exit, again.stderr).toBe(0);
      const whole = names.map((name) => read(fixture, `teams/${name}`));
      names.forEach((name, index) => {
        expect(half[index]).toBeOneOf([whole[index], untidy[name as keyof typeof untidy]]);
      });
      if (ended.exit === 0) expect(half).toEqual(whole);
      expect(await fixture.process('validate')).toMatchObject({ exit: 0 });
    }),
  );
});

experiments(
  'I20',
  'a link in the place of a file is not written through',
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
      const { exit, stderr } = await fixture.process(...words);
      // What the link leads to may be no inventory, either.
      expect([exit, flat(stderr)]).toEqual([
        expect.toBeOneOf([1, 4]),
        expect.stringMatching(/error\[(unreadable-file|inventory-mismatch)\]/),
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
  'a file below a file is refused by name',
  [
    ['plan', '--out', 'roster.yaml/x'],
    ['plan', '--write', 'json=roster.yaml/x'],
    ['apply', '--yes', '--report', 'roster.yaml/x'],
  ],
  (words) =>
    withFixture(scenario('S2'), async (fixture) => {
      const { exit, stderr } = await fixture.process(...words);
      expect([exit, flat(stderr)]).toEqual([1, expect.stringContaining('ENOTDIR')]);
      expect([stderr.includes('error[unreadable-file]'), fixture.writes()]).toEqual([true, []]);
    }),
  5,
);
