import { describe, expect, test } from 'vitest';
import type { Address } from '../../../src/model/resource.js';
import { type Health, healths, type ResourceStatus, type Status } from '../../../src/model/run.js';
import { statusJunit } from '../../../src/view/ci/junit.js';
import { widthOf } from '../../../src/view/columns.js';
import { statusMarkdown } from '../../../src/view/markdown/status-markdown.js';
import { statusText } from '../../../src/view/text/status-text.js';
import { readXml } from '../../support/xml.js';
import { expectGolden } from './golden.js';

const good: ResourceStatus = {
  address: 'schedule/prices' as Address,
  health: 'healthy',
  sync: 'in-sync',
  lastRun: {
    state: 'succeeded',
    startedAt: '2026-12-08T06:00:00Z',
    finishedAt: '2026-12-08T06:01:00Z',
    records: 1200,
    message: null,
  },
  counts: { succeeded: 7, failed: 0, missed: 0 },
  nextRun: '2026-12-09T06:00:00Z',
  held: null,
  isRunning: false,
  reason: '',
  failedRun: null,
  expectations: [],
};
const row = (address: string, rest: Partial<ResourceStatus>): ResourceStatus => ({
  ...good,
  ...rest,
  address: address as Address,
});

const message = 'The source did not respond.';
const failing = row('schedule/stock', {
  health: 'failing',
  lastRun: { state: 'failed', startedAt: null, finishedAt: '2026-12-08T06:01:35Z', records: 0, message },
  counts: { succeeded: 5, failed: 2, missed: 0 },
  reason: message,
});
const none = { lastRun: null, nextRun: null, counts: { succeeded: 0, failed: 0, missed: 0 } } as const;

/** One of each health. */
const rows: readonly ResourceStatus[] = [
  failing,
  row('schedule/gap', {
    health: 'missed',
    counts: { succeeded: 5, failed: 0, missed: 2 },
    reason: '2 starts missed, the last was due 2026-12-07 06:00 UTC',
  }),
  row('pipeline/refresh', { health: 'quiet', sync: 'drifted', reason: 'succeeded without any records' }),
  row('group/slow', { health: 'running', isRunning: true, nextRun: null }),
  row('schedule/stopped', {
    health: 'held',
    reason: 'held by ada until 2026-12-10 06:00 UTC: "maintenance"',
  }),
  row('schedule/off', { health: 'paused', sync: 'pending', nextRun: null }),
  row('group/new', { health: 'never-run', sync: 'unmanaged', ...none }),
  good,
  row('schedule/gone', {
    ...none,
    ...{ health: 'unknown', sync: 'missing', reason: 'does not exist' },
    counts: { succeeded: null, failed: null, missed: null },
  }),
];
const status = (resources: readonly ResourceStatus[]): Status => ({
  ...{ project: 'prices', environment: 'production', service: 'https://collect.example.com' },
  ...{ since: '2026-12-01T12:00:00Z', resources, diagnostics: [] },
});

describe('the text of the status', () => {
  test.each([
    ['wide', { color: false, width: 140 }],
    ['piped', { color: false, width: 60 }],
    ['at-100', { color: false, width: 100, breaksRows: true }],
    ['at-80', { color: false, width: 80, breaksRows: true }],
    ['at-60', { color: false, width: 60, breaksRows: true }],
    ['narrow', { color: false, width: 60, breaksRows: true, verbose: true }],
    ['color', { color: true, width: 140 }],
  ] as const)('is readable when it is %s', (name, options) => {
    const text = statusText(status(rows), options);
    expectGolden(`status-${name}.txt`, text);
    expect(text).not.toContain('…');
    const isTerminal = 'breaksRows' in options;
    const tooWide = text.split('\n').filter((line) => isTerminal && widthOf(line) > options.width);
    expect(tooWide).toEqual([]);
  });

  test('is a sentence without rows if nothing that can run is declared', () => {
    expect(statusText(status([]), { color: false })).toContain('UTC: nothing is declared that can run.');
  });

  test.each([60, 140])('shows names and messages as text at a width of %s, not as commands', (width) => {
    const hostile = row('group/a\u001b[2J\nb', { ...failing, reason: 'c\u001b]0;x\u0007\rd\ne' });
    const text = statusText(status([hostile]), { color: false, width });
    expect(text.replaceAll('\n', '')).not.toMatch(/\p{Cc}/u);
    expect(text.split('\n').filter((line) => /^[be]/.test(line))).toEqual([]);
  });
});

describe('the status as JUnit XML', () => {
  function suiteOf(resources: readonly ResourceStatus[], failOn: readonly Health[] = ['failing', 'missed']) {
    const { name, children } = readXml(statusJunit(status(resources), failOn));
    const [suite] = children;
    if (suite === undefined || children.length > 1) throw new Error('there is not one suite');
    expect([name, suite.name]).toEqual(['testsuites', 'testsuite']);
    return suite;
  }
  /** The name of each case, and what is in it. */
  const casesOf = (suite: ReturnType<typeof suiteOf>) =>
    suite.children.map(({ attributes, children }) => [
      attributes['name'],
      ...children.map(({ name, attributes: { type, message: said } }) => [name, type, said]),
    ]);

  test('is a case for each resource: failed, skipped where nothing is known, or passed', () => {
    const suite = suiteOf(rows);
    expect(suite.attributes).toEqual({
      name: 'prices',
      tests: '9',
      failures: '2',
      errors: '0',
      skipped: '5',
    });
    expect(casesOf(suite)).toEqual([
      ['schedule/stock', ['failure', 'failing', 'failing: The source did not respond.']],
      [
        'schedule/gap',
        ['failure', 'missed', 'missed: 2 starts missed, the last was due 2026-12-07 06:00 UTC'],
      ],
      ['pipeline/refresh', ['skipped', undefined, 'quiet: succeeded without any records']],
      ['group/slow'],
      ['schedule/stopped', ['skipped', undefined, `held: ${rows[4]?.reason}`]],
      ['schedule/off', ['skipped', undefined, 'paused']],
      ['group/new', ['skipped', undefined, 'never run']],
      ['schedule/prices'],
      ['schedule/gone', ['skipped', undefined, 'unknown: does not exist']],
    ]);
    expect(suite.children.map(({ attributes }) => attributes['classname'])).toEqual(
      rows.map(({ address }) => address.split('/')[0]),
    );
  });

  test.each(healths)(
    'has failed for %s if that is to fail a check, and its counts are those of its cases',
    (health) => {
      const unmet = row('schedule/thin', { health: 'unmet', reason: '12 records, at least 800 expected' });
      const suite = suiteOf([...rows, unmet], [health]);
      const failed = casesOf(suite).filter(([, inside]) => inside?.[0] === 'failure');
      expect(failed.map(([, inside]) => inside?.[1])).toEqual([health]);
      const count = (name: string) =>
        suite.children.filter(({ children }) => children[0]?.name === name).length;
      expect([suite.attributes['failures'], suite.attributes['skipped']]).toEqual([
        String(count('failure')),
        String(count('skipped')),
      ]);
    },
  );

  test('has what could not be read as an error, so that nobody takes it for a success', () => {
    const unread = { severity: 'error', code: 'service-error', message: 'GET /api/x returned 500' } as const;
    const warning = { severity: 'warning', code: 'old-snapshot', message: 'Odd.' } as const;
    const { children } = readXml(statusJunit({ ...status([]), diagnostics: [unread, warning] }, []));
    const [suite] = children;
    expect(suite?.attributes).toMatchObject({ tests: '1', errors: '1', failures: '0' });
    expect(suite?.children[0]?.children[0]).toMatchObject({
      name: 'error',
      attributes: { type: 'service-error', message: 'GET /api/x returned 500' },
    });
  });

  test('has names and messages of the service as text', () => {
    const of = (odd: readonly string[]) => `a"/><testcase name='x'>&amp;]]> ${odd.join('')} é😀`;
    const hostile = of(['\u0000', '\u001b', '\ud800', '\u202e', '##[error]']);
    const shown = of(['\ufffd', '\ufffd', '\ufffd', '\\u{202e}', '#\\u{23}[error]']);
    const suite = suiteOf([
      row(`group/${hostile}`, { ...failing, reason: hostile }),
      row('group/b', { health: 'unknown', reason: hostile }),
    ]);
    expect(casesOf(suite)).toEqual([
      [`group/${shown}`, ['failure', 'failing', `failing: ${shown}`]],
      ['group/b', ['skipped', undefined, `unknown: ${shown}`]],
    ]);
  });
});

describe('a resource that is on hold, and worse', () => {
  const reason = 'agent/slow: expected to end within 30 minutes, but it took 67 min: 37 min too late';
  const held = { by: 'ada', reason: 'incident 42', since: '2026-12-08T07:00:00.000Z', until: null };
  const resource = row('schedule/slow', { health: 'unmet', reason, held });

  test('shows both, the reasons whole, and the command that shows what is unmet', () => {
    const lines = statusText(status([resource]), { color: false, width: 60 }).split('\n');
    expect(lines.find((line) => line.includes('schedule/slow'))).toMatch(/^unmet · on hold /);
    const text = lines.map((line) => line.trim()).join(' ');
    expect(text).toContain(reason);
    expect(text).toContain('held by ada: "incident 42" roster data check schedule/slow -e production');
    const reasons = lines.filter((line) => line.startsWith('    '));
    expect(Math.max(...reasons.map(widthOf))).toBeLessThanOrEqual(60);
  });

  test('shows both in Markdown and in JUnit', () => {
    const said = 'held by ada: "incident 42"';
    const markdown = statusMarkdown(status([resource]));
    expect(markdown).toContain('**unmet · on hold**');
    expect(markdown).toContain('held by ada: "incident `42`"');
    const junit = statusJunit(status([resource]), ['unmet']);
    expect(junit).toContain(`unmet · on hold: ${reason}; ${said.replaceAll('"', '&quot;')}`);
  });
});
