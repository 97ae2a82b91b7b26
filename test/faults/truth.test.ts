import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { Fault } from '../../src/sandbox/index.js';
import type { AnyFault } from '../support/client-faults.js';
import { isLong } from '../support/size.js';
import { experiments } from './support/experiments.js';
import { type Fixture, requestsOf, shapeOf, withFixture } from './support/fixture.js';
import { scenario } from './support/scenarios.js';

/** I19: exit code and report are true, whenever a run is interrupted. */

const fresh = scenario('S1');
const requests = await requestsOf(fresh);
const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

interface Report {
  readonly converged: boolean;
  readonly changes: readonly { readonly address: string; readonly kind: string; readonly outcome: string }[];
}

function reportOf({ workspace }: Fixture): Report | null {
  const path = join(workspace.root, 'report.json');
  return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as Report) : null;
}

/** An object that the report calls done exists, and one that it calls skipped does not. */
function expectTruth(fixture: Fixture, report: Report): void {
  const { groups, pipelines, schedules } = fixture.sandbox.world;
  const own = { group: groups.size - 2, pipeline: pipelines.size - 1, schedule: schedules.size - 1 };
  for (const [kind, there] of Object.entries(own)) {
    const outcomes = report.changes.filter((each) => each.kind === kind).map((each) => each.outcome);
    const count = (outcome: string) => outcomes.filter((each) => each === outcome).length;
    // A change of two requests may have sent only the first.
    const least = count('done');
    const most = outcomes.length - count('skipped');
    expect([kind, there >= least && there <= most + partial(report, kind), outcomes]).toEqual([
      kind,
      true,
      outcomes,
    ]);
  }
}

/** Inactive groups and pipelines are created and then paused: a run that ends in between leaves them existing but not done. */
function partial(report: Report, kind: string): number {
  return kind === 'schedule'
    ? 0
    : report.changes.filter((each) => each.kind === kind && each.outcome === 'skipped').length;
}

/** Sends SIGTERM at a request that gets no response. */
function hangAt({ sandbox, faults }: Fixture, nth: number): void {
  let count = 0;
  sandbox.faults.intercept = async (_request, next) => {
    count += 1;
    if (count !== nth) return next();
    faults.sendSignal('SIGTERM');
    await new Promise(() => {});
  };
}

/** It would not end in time if it waited for the timeout of a request. */
const applying = ['apply', '--yes', '--report', 'report.json', '--timeout', '3600s'];

async function interrupt(
  signals: readonly AnyFault[],
  arrange: (fixture: Fixture) => void = () => {},
): Promise<void> {
  await withFixture(fresh, async (fixture) => {
    fixture.inject(...signals);
    arrange(fixture);
    const { exit, stdout, stderr } = await fixture.process(...applying);
    const report = reportOf(fixture);
    expect([exit, stderr]).toEqual([exit === 0 ? 0 : 130, stderr]);
    if (exit === 0) await fixture.expectDesired();
    else expect(stdout).not.toContain('Apply complete');
    if (report !== null) expectTruth(fixture, report);
    fixture.sandbox.faults.intercept = null;
    if (report === null && signals.length === 1) expect(shapeOf(fixture.sandbox.world)).toHaveLength(5);
    fixture.inject();
    expect((await fixture.command('apply', '--yes')).exit).toBe(0);
    await fixture.expectDesired();
  });
}

experiments(
  'I19',
  `report: it is true after SIGINT, SIGTERM and SIGHUP at each of ${requests} requests`,
  upTo(requests).flatMap((nth) =>
    (['SIGINT', 'SIGTERM', 'SIGHUP'] as const).map((signal) => ({ act: 'signal' as const, nth, signal })),
  ),
  (signal) => interrupt([signal]),
);

experiments(
  'I19',
  `report: it is true after two SIGINTs at each of ${requests} requests`,
  upTo(requests - 1).map((nth) => [nth, nth + 1]),
  (pair) => interrupt(pair.map((nth) => ({ act: 'signal', nth, signal: 'SIGINT' }))),
);

// Each waits several seconds for the interrupted request.
if (isLong)
  experiments(
    'I19',
    `report: it is true after SIGTERM at each of ${requests} requests that gets no response`,
    upTo(requests),
    (nth) => interrupt([], (fixture) => hangAt(fixture, nth)),
  );

const answers: readonly Omit<Fault, 'nth'>[] = [
  { act: 'drop' },
  { act: 'lose' },
  { act: 'cut' },
  { act: 'status', status: 401 },
  { act: 'status', status: 403 },
  { act: 'status', status: 404 },
  { act: 'status', status: 500 },
  { act: 'status', status: 429 },
  { act: 'status', status: 200, body: '{"success":true}' },
  { act: 'status', status: 200, body: '<html>' },
  { act: 'status-after', status: 500 },
  { act: 'redirect', location: 'http://127.0.0.1:1/' },
];

experiments(
  'I19',
  `report: exit 0 means converged and done means it exists, with ${answers.length} faults at each of ${requests} requests`,
  upTo(requests).flatMap((nth) => answers.map((answer) => ({ nth, ...answer }))),
  (fault) =>
    withFixture(fresh, async (fixture) => {
      fixture.inject(fault);
      const { exit } = await fixture.apply({ report: 'report.json' });
      if (exit === 0) await fixture.expectDesired();
      else expect([1, 3]).toContain(exit);
      const report = reportOf(fixture);
      if (report === null) expect(shapeOf(fixture.sandbox.world)).toHaveLength(5);
      else {
        expect(report.converged).toBe(exit === 0);
        expectTruth(fixture, report);
      }
      fixture.inject();
      for (let run = 1; run <= 2 && (await fixture.apply()).exit !== 0; run += 1);
      await fixture.expectDesired();
    }),
);
