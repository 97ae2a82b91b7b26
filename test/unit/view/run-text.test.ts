import { describe, expect, test } from 'vitest';
import type { Run } from '../../../src/model/run.js';
import { runsJunit } from '../../../src/view/ci/junit.js';
import { liveTable, runLine, runsText } from '../../../src/view/text/run-text.js';

const run = (values: Partial<Run>): Run => ({
  address: 'agent/acme-shop',
  id: 'j',
  idKind: 'job',
  state: 'succeeded',
  startedAt: null,
  finishedAt: null,
  records: null,
  errors: null,
  anomaly: 'none',
  message: null,
  members: [],
  ...values,
});

const options = { color: false, width: 40 };

test('every line of the live table fits the terminal, however long a reason is', () => {
  const members = Array.from({ length: 30 }, (_, index) =>
    run({
      address: `agent/a-${index}`,
      state: index % 3 === 0 ? 'running' : 'failed',
      message: 'x'.repeat(200),
    }),
  );
  const lines = liveTable(
    [run({ address: 'group/shops', idKind: 'groupRun', state: 'running', members })],
    options,
  );
  expect(lines.length).toBe(22);
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThan(40);
  expect(lines[0]).toMatch(/^running {2}agent\/a-0: x+…$/);
  expect(lines.slice(-2)).toEqual(['… and 10 more', '20 failed, 10 running']);
});

test('the live table fits the height of the window, and counts what it leaves out', () => {
  const members = ['succeeded', 'failed', 'running', 'succeeded'].map((state, index) =>
    run({ address: `agent/a-${index}`, state: state as Run['state'] }),
  );
  const group = run({ address: 'group/shops', idKind: 'groupRun', state: 'running', members });
  const tables = [0, 1, 2, 3, 4, 5, 6].map((height) => liveTable([group], { ...options, height }));
  const counts = '2 succeeded, 1 failed, 1 running';
  expect(tables).toEqual([
    [],
    [],
    [counts],
    ['running  agent/a-2', counts],
    ['running  agent/a-2', '… and 3 more', counts],
    ['running  agent/a-2', 'failed   agent/a-1', '… and 2 more', counts],
    [
      ...['running    agent/a-2', 'failed     agent/a-1', 'succeeded  agent/a-0', 'succeeded  agent/a-3'],
      counts,
    ],
  ]);
});

describe('the live table shows the beginning of an id only where rows would look alike', () => {
  const [one, two] = ['0197a2b4-1111-7000-8000-000000000000', '5bd0c3e1-2222-7000-8000-000000000000'];
  const rows = (runs: readonly Run[]) => liveTable(runs, options).slice(0, -1);

  test('for two runs of one agent, and not for another agent', () => {
    const runs = [run({ id: one }), run({ id: two }), run({ address: 'agent/globex' })];
    expect(rows(runs)).toEqual([
      'succeeded  agent/acme-shop (0197a2b4…)',
      'succeeded  agent/acme-shop (5bd0c3e1…)',
      'succeeded  agent/globex',
    ]);
  });

  test('as much of it as tells the runs apart', () => {
    const wide = { ...options, width: 80 };
    const runs = [run({ id: one }), run({ id: one.replace('-1111-', '-1112-') })];
    expect(liveTable(runs, wide)[1]).toBe('succeeded  agent/acme-shop (0197a2b4-1112…)');
  });

  test('for two runs of one group, that of the group run where an agent has not started', () => {
    const group = (id: string, member: string | null) =>
      run({
        ...{ address: 'group/a', id, idKind: 'groupRun', state: 'running' },
        members: [run({ address: 'agent/x', id: member, state: 'notStarted' })],
      });
    expect(liveTable([group(one, null), group(two, 'x')], { ...options, width: 80 })).toEqual([
      'not started  agent/x (0197a2b4…) of group/a',
      'not started  agent/x (x) of group/a',
      '2 not started',
    ]);
  });

  test('for two stages of one agent, of which one has no id yet', () => {
    const stage = (id: string | null) => run({ id, state: 'running' });
    const pipeline = run({
      address: 'pipeline/p',
      idKind: 'pipelineRun',
      members: [stage('x'), stage(null)],
    });
    expect(rows([pipeline])).toEqual(['running  agent/acme-shop (x)', 'running  agent/acme-shop']);
  });
});

test.each([14, 20, 30])('on a terminal of %i columns, the state of a run is not cut away', (width) => {
  const whole = run({ address: `group/${'long-'.repeat(20)}`, idKind: 'groupRun', state: 'running' });
  const members = [
    run({ address: `agent/${'x'.repeat(60)}`, state: 'running' }),
    run({ state: 'failed', message: 'No.' }),
  ];
  const lines = liveTable([{ ...whole, members }, run({})], { color: false, width });
  expect(lines.slice(0, 3).map((line) => line.split(' ')[0])).toEqual(['running', 'failed', 'succeeded']);
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThan(width);
});

test('names and reasons of the service cannot control the terminal', () => {
  const hostile = run({ address: 'agent/a\u001b[2J\n', state: 'failed', message: 'b\u001b]0;x\u0007\r' });
  const texts = [
    runLine(hostile, hostile),
    runsText([hostile], {}, options),
    ...liveTable([hostile], options),
  ];
  for (const text of texts) expect(text.replaceAll('\n', '')).not.toMatch(/\p{Cc}/u);
});

test('a quiet success shows its anomaly and its records', () => {
  const times = { startedAt: '2026-12-01T06:00:00Z', finishedAt: '2026-12-01T06:00:02Z' };
  const text = runsText([run({ ...times, records: 0, anomaly: 'fast' })], {}, options);
  expect(text).toBe(
    'agent/acme-shop  succeeded  2 s (fast)  0 records  job j\n\nRun complete: 1 succeeded.\n',
  );
});

test('rows that do not fit a terminal are laid out below each other, the state first', () => {
  const id = (end: number) => `0197a2b4-1111-7000-8000-00000000000${end}`;
  const times = { startedAt: '2026-12-01T06:00:00Z', finishedAt: '2026-12-01T06:00:02Z' };
  const members = [
    run({ ...times, id: id(1), records: 5 }),
    run({ address: 'agent/globex', id: null, state: 'notStarted' }),
  ];
  const group = run({
    ...{ address: 'group/shops', id: id(0), idKind: 'groupRun', state: 'failed' },
    members,
  });
  const text = runsText([group], {}, { color: false, width: 60, breaksRows: true });
  expect(text.split('\n')).toEqual([
    'failed       group/shops',
    `  group run ${id(0)}`,
    'succeeded      agent/acme-shop',
    `    2 s; 5 records; job ${id(1)}`,
    'not started    agent/globex',
    '',
    'Run failed: 1 succeeded, 1 not started.',
    '',
  ]);
});

test('runs that succeeded without their data do not end in a success', () => {
  const text = runsText([run({}), run({})], { unsaved: 1 }, options);
  expect(text).toMatch(/\n\nRun complete: 2 succeeded, but the data of 1 was not saved\.\n$/);
});

test('nothing that runs is said in a sentence', () => {
  expect(runsText([], {}, options)).toBe('No unfinished runs.\n');
});

test('the last line of an interrupted run says so, whether the runs go on or were stopped', () => {
  const last = (state: Run['state']) =>
    runsText([run({ state })], { isInterrupted: true }, options)
      .trim()
      .split('\n')
      .at(-1);
  expect([last('running'), last('stopped')]).toEqual(['Interrupted: 1 running.', 'Interrupted: 1 stopped.']);
});

test('a stage that never started is named by its place where its agent is not known', () => {
  const stage = (values: Partial<Run>) => run({ address: null, id: null, ...values });
  const members = [
    run({ address: 'agent/login-check' }),
    run({ address: 'agent/catalogue', state: 'failed', message: 'Page changed.' }),
    stage({ state: 'notStarted', message: 'an earlier stage did not succeed' }),
  ];
  const whole = run({ address: null, id: 'p', idKind: 'pipelineRun', state: 'failed', members });
  const texts = [
    runsText([whole], {}, options),
    liveTable([whole], options).join('\n'),
    runsJunit([whole], false),
  ];
  for (const text of texts) {
    expect(text).toContain('stage 3');
    expect(text).not.toContain('?</');
    expect(text).not.toContain('job ?');
  }
});

test.each([
  ['succeeded', 'Run complete: 1 succeeded, but 2 expectations are not met.'],
  ['failed', 'Run failed: 1 failed, and 2 expectations are not met.'],
] as const)('the last line says what is unmet, also where runs have %s', (state, last) => {
  expect(
    runsText([run({ state })], { unmet: 2 }, options)
      .trimEnd()
      .split('\n')
      .at(-1),
  ).toBe(last);
});

test('the command that follows detached runs names the environment', () => {
  const text = runsText(
    [run({ state: 'running', id: 'j1' })],
    { isDetached: true, environment: 'live' },
    options,
  );
  expect(text).toContain('Follow it with: roster wait j1 -e live\n');
});
