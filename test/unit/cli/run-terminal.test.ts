import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { runPrinter } from '../../../src/cli/command/run-output.js';
import type { Run } from '../../../src/model/run.js';
import { Captured } from '../../support/roster.js';
import { agentsWith, type RunWorld, runWorld } from '../../support/runs.js';
import { Screen } from '../../support/screen.js';

/** What a person sees on a terminal while runs are followed, and after it. */

let world: RunWorld;
const FAILS = [{ seconds: 3, result: 'fail', message: 'No.' }] as const;
beforeEach(async () => {
  world = await runWorld(agentsWith({ globex: [...FAILS], initech: [{ seconds: 40, records: 2 }] }));
});
afterEach(() => world.close());

test.each([
  ['run group/shops', ['stdout', 'stderr']],
  ['run group/shops --save out', ['stdout', 'stderr']],
  ['run group/shops --save out -v', ['stdout', 'stderr']],
  ['run group/shops --save -', ['stderr']],
  ['run group/shops --save -', ['stdout', 'stderr']],
] as const)(
  '`%s` with %j on the terminal leaves its verdict, and nothing of the live table',
  async (line, shows) => {
    const screen = new Screen(120, 40);
    world.workspace.terminal = { screen, shows };
    const { exit } = await world.run(line);
    expect(exit).toBe(5);
    expect(screen.text).toMatch(/^group\/shops +failed .*\n {2}agent\/acme-shop +succeeded/m);
    expect(screen.text).toContain('\n\nRun failed: 2 succeeded, 1 failed.\n');
    expect(screen.text).not.toMatch(/^(running|failed|succeeded|[\d ]+running)/m);
  },
);

const UUID = /[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/;

describe.each([80, 120])('on a terminal of %i columns', (columns) => {
  test.each(['run group/shops pipeline/nightly', 'wait group/shops', 'runs', 'runs show', 'data'])(
    'no row of `%s` is broken in the middle of an id',
    async (line) => {
      await world.run('run group/shops');
      await world.run('run group/shops --detach');
      const id = line === 'runs show' ? ` ${[...world.sandbox.world.groupRuns.keys()][0]}` : '';
      world.workspace.env['NO_COLOR'] = '1';
      world.workspace.terminal = { screen: new Screen(columns, 40), shows: ['stdout', 'stderr'] };
      const { stdout } = await world.run(line + id);
      const rows = stdout.split('\n').filter((each) => !each.includes('roster '));
      expect(rows.filter((each) => UUID.test(each)).length).toBeGreaterThan(1);
      expect(rows.filter((each) => each.length > columns)).toEqual([]);
    },
  );
});

test('where stdout is not a terminal, each run is a line with its id, however long it is', async () => {
  world.workspace.terminal = { screen: new Screen(60, 40), shows: ['stderr'] };
  const { stdout } = await world.run('run group/shops');
  expect(stdout).toMatch(
    /^group\/shops +failed .* group run [\w-]{36}\n {2}agent\/acme-shop .* job [\w-]{36}\n/,
  );
});

const run = (values: Partial<Run>): Run => ({
  address: 'agent/acme-shop',
  id: 'j',
  idKind: 'job',
  state: 'running',
  startedAt: null,
  finishedAt: null,
  records: null,
  errors: null,
  anomaly: 'none',
  message: null,
  members: [],
  ...values,
});

/** A printer on a terminal of its own. */
function arrange(columns = 80, rows = 24) {
  const screen = new Screen(columns, rows);
  screen.write('$ roster run\n');
  const output = new Captured({ screen, shows: ['stdout', 'stderr'] });
  const host = {
    cwd: '/',
    env: {},
    stdinIsTerminal: true,
    stdoutIsTerminal: true,
    stderrIsTerminal: true,
    get columns() {
      return screen.columns;
    },
    get rows() {
      return screen.rows;
    },
  };
  const never = new Promise<void>(() => undefined);
  const context = { host, output, signal: new AbortController().signal, stopped: never };
  return { screen, output, printer: runPrinter({ color: false }, context) };
}

const agents = (count: number): readonly Run[] =>
  Array.from({ length: count }, (_, index) => run({ address: `agent/a-${index}`, id: `j-${index}` }));

test('a message amid the live table stays, such as that of Ctrl-C, and the table goes on below it', () => {
  const { screen, output, printer } = arrange();
  printer.onRuns(agents(3));
  screen.write('^C');
  output.err('\nInterrupted: waiting for requests in flight.\n');
  expect(screen.text).toBe('$ roster run\n\nInterrupted: waiting for requests in flight.\n');
  printer.onRuns(agents(3));
  printer.onRuns(agents(3));
  expect(screen.text.match(/Interrupted|agent\/a-\d|3 running/g)).toEqual([
    'Interrupted',
    ...['agent/a-0', 'agent/a-1', 'agent/a-2'],
    '3 running',
  ]);
  printer.end();
  expect(screen.text).toBe('$ roster run\n\nInterrupted: waiting for requests in flight.\n');
});

test('a note stays above the live table, which is drawn again at once', () => {
  const { screen, output, printer } = arrange();
  printer.note('Before.');
  printer.onRuns(agents(2));
  output.status('Reading…');
  printer.note('saved out/a.csv');
  expect(screen.text).toBe(
    '$ roster run\nBefore.\nsaved out/a.csv\nrunning  agent/a-0\nrunning  agent/a-1\n2 running\n',
  );
});

test('a table of more agents than the window has lines leaves no copies above it, also in a window that gets lower', () => {
  const { screen, printer } = arrange(80, 20);
  for (let poll = 0; poll < 5; poll += 1) printer.onRuns(agents(24));
  expect(screen.text.match(/agent\/a-0$/gm)).toHaveLength(1);
  expect(screen.text).toMatch(/ agent\/a-16\n… and 7 more\n24 running\n$/);
  screen.rows = 8;
  printer.onRuns(agents(24));
  // What has left the window with it cannot be erased.
  screen.scrolled.length = 0;
  for (let poll = 0; poll < 5; poll += 1) printer.onRuns(agents(24));
  expect(screen.text).toMatch(/^running {2}agent\/a-0\n(?:running.*\n){4}… and 19 more\n24 running\n$/);
  expect(screen.scrolled).toEqual([]);
});

test('a window that gets narrower breaks the lines of the table, and they are erased all the same', () => {
  const { screen, printer } = arrange(40, 20);
  printer.onRuns([run({ address: `agent/${'a'.repeat(60)}` })]);
  screen.narrow(20);
  printer.onRuns([run({ address: `agent/${'a'.repeat(60)}` })]);
  expect(screen.text).toBe('$ roster run\nrunning  agent/aaa…\n1 running\n');
});
