import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Diagnostic } from '../../src/model/diagnostic.js';
import type { Sandbox } from '../../src/sandbox/index.js';
import { changes, from2005, hour, intlOffset, to2037, zones } from '../properties/timings.js';
import { jsonOf } from '../support/json.js';
import { roster } from '../support/program.js';
import { Workspace } from '../support/roster.js';
import { startSandbox } from '../support/sandbox.js';
import { type Line, manifest, numbers, onService, planOf } from './support/clocks.js';
import { experiments } from './support/experiments.js';
import { writesTo } from './support/fixture.js';

/** I23: a wall-clock time is sent as written, independent of zone, date and the machine's clock. */

const perBatch = 500;

/** A wall-clock time near a clock change of the zone, such as a skipped or repeated one, or any other. */
const near = (zone: string) => {
  const anywhere = fc.integer({ min: from2005 / 1000, max: to2037 / 1000 }).map((second) => second * 1000);
  const known = changes.get(zone) ?? [];
  if (known.length === 0) return anywhere;
  const nearChange = fc
    .tuple(fc.constantFrom(...known), fc.integer({ min: -2 * 3600, max: 2 * 3600 }))
    .map(([change, seconds]) => change + intlOffset(zone, change - 1000) + seconds * 1000);
  return fc.oneof(anywhere, nearChange);
};

/** As a person may write it: with or without seconds and a fraction. */
const written = fc
  .constantFrom(16, 19, 21, 23)
  .chain((length) =>
    fc
      .constantFrom('.000', '.500', '.001')
      .map(
        (fraction) => (local: number) =>
          `${new Date(local).toISOString().slice(0, 19)}${fraction}`.slice(0, length),
      ),
  );

function lines(zone: string, seed: number, count: number): readonly Line[] {
  const line = fc.record({
    zone: fc.constant(zone),
    time: fc.tuple(near(zone), written).map(([local, write]) => write(local)),
    field: fc.constantFrom('startTime' as const, 'startTime' as const, 'once' as const),
  });
  const seen = new Set<string>();
  return fc
    .sample(line, { numRuns: count * 2, seed })
    .filter(
      ({ time, field }) => field === 'startTime' || (!seen.has(canonical(time)) && seen.add(canonical(time))),
    )
    .slice(0, count);
}

const canonical = (time: string) => new Date(`${time}Z`).toISOString();

/** How often a time occurs in a zone, computed only with Intl. */
function occurrences(zone: string, time: string): number {
  const local = Date.parse(`${time}Z`);
  const offsets = new Set(
    [-26, -13, 0, 13, 26].map((hours) => intlOffset(zone, Math.floor(local / 1000) * 1000 + hours * hour)),
  );
  return [...offsets].filter((offset) => intlOffset(zone, wholeSecond(local - offset)) === offset).length;
}

const wholeSecond = (instant: number) => Math.floor(instant / 1000) * 1000;

function expectedWarnings(list: readonly Line[]): string[] {
  return list
    .flatMap(({ zone, time }) => {
      const count = occurrences(zone, time);
      return count === 1 ? [] : [`${count === 0 ? 'skipped' : 'repeated'}-time ${time} in ${zone}`];
    })
    .sort();
}

function warningsIn(diagnostics: readonly Pick<Diagnostic, 'code' | 'message'>[]): string[] {
  return diagnostics
    .filter(({ code }) => /^(skipped|repeated)-time$/.test(code))
    .map(({ code, message }) => `${code} ${message.split(' ').slice(0, 3).join(' ')}`)
    .sort();
}

const longAgo = new Date('2000-01-01T00:00:00Z');
const batches = zones.flatMap((zone) => numbers(10_000 / perBatch).map((nth) => ({ zone, nth })));
const flags = { skipped: 0, repeated: 0 };

describe('times', () => {
  const tried = experiments(
    'I23',
    `wall clock: 10,000 times in each of ${zones.length} zones are sent as written, ${perBatch} at a time`,
    batches,
    async ({ zone, nth }) => {
      const list = lines(zone, nth, perBatch);
      expect(list).toHaveLength(perBatch);
      const { plan, diagnostics } = planOf(manifest(list), longAgo);
      const sent = new Map(plan?.steps.map(({ addresses, request }) => [addresses[0], request.body]));
      for (const [index, { zone: timeZoneId, time: startTime }] of list.entries())
        expect(sent.get(`schedule/s${index}`)).toMatchObject({ startTime, timeZoneId });
      expect(warningsIn(diagnostics)).toEqual(expectedWarnings(list));
      for (const { code } of diagnostics) {
        if (code === 'skipped-time') flags.skipped += 1;
        if (code === 'repeated-time') flags.repeated += 1;
      }
    },
    20,
  );

  test('wall clock: many of the times are skipped or repeated by a clock change', () => {
    expect(Math.min(flags.skipped, flags.repeated)).toBeGreaterThan(tried * 5);
  });

  const clocks = ['UTC', 'America/New_York', 'Asia/Kathmandu', 'Pacific/Apia'];
  experiments(
    'I23',
    'wall clock: 10,000 times are applied as written by processes with clocks in four zones',
    clocks.flatMap((TZ) => numbers(20).map((nth) => ({ TZ, nth }))),
    async ({ TZ, nth }) => {
      const zone = zones[nth % zones.length] ?? 'UTC';
      const list = lines(zone, nth, 500)
        .filter(({ time, field }) => field === 'startTime' || time > '2030')
        .slice(0, 125);
      const sandbox = await startSandbox();
      const workspace = new Workspace({ 'roster.yaml': manifest(list, ', enabled: false') }, sandbox);
      try {
        const place = { cwd: workspace.root, env: { ...workspace.env, TZ, LANG: 'tr_TR.UTF-8' } };
        const { exit, stdout } = await roster(['apply', '--yes', '--format', 'json'], place);
        expect(exit).toBe(0);
        const { diagnostics } = jsonOf<{ diagnostics: readonly Diagnostic[] }>({ stdout });
        expect(warningsIn(diagnostics)).toEqual(expectedWarnings(list));
        expect(sentTimes(sandbox)).toEqual(list.map(({ time }) => time).sort());
        sandbox.requests.length = 0;
        expect(await roster(['apply', '--yes'], place)).toMatchObject({
          exit: 0,
          stdout: expect.stringContaining('No changes.'),
        });
        expect(writesTo(sandbox)).toEqual([]);
      } finally {
        await sandbox.close();
      }
    },
    33,
  );
});

function sentTimes({ requests }: Sandbox): string[] {
  return requests
    .filter(({ method, path }) => method === 'POST' && path === '/api/schedules')
    .map(({ body }) => (body as { startTime: string }).startTime)
    .sort();
}

const offsets = [
  'Z',
  'z',
  '+00:00',
  '-00:00',
  '+01:00',
  '-05:30',
  '+0100',
  '+01',
  ' Z',
  ' +01:00',
  '[Europe/Berlin]',
  'Z[UTC]',
  ' UTC',
  ' CET',
];
const wrong = [
  ...['2026-12-01T06:00', '2026-12-01T06:00:00', '2026-12-01T06:00:00.5'].flatMap((time) =>
    offsets.map((offset) => time + offset),
  ),
  '2026-02-30T06:00:00',
  '2025-02-29T06:00:00',
  '2026-13-01T06:00:00',
  '2026-00-10T06:00:00',
  '2026-04-31T06:00:00',
  '2026-12-01T24:00:00',
  '2026-12-01T23:60:00',
  '2026-12-01T23:59:60',
  '1969-12-31T23:59:59',
  '+002026-12-01T06:00:00',
  '-2026-12-01T06:00:00',
  '12026-12-01T06:00:00',
  '2026-12-01',
  '2026-12-01T06',
  '06:00:00',
  'T06:00:00',
  '2026-12-01t06:00:00',
  '2026-12-01 06:00:00',
  '20261201T060000',
  '2026-1-1T6:00:00',
  '2026-W49-2T06:00:00',
  '2026-335T06:00:00',
  '2026-12-01T06:00:00,5',
  '2026-12-01T06:00:00.',
  '2026-12-01T06:00:00.0000000001',
  '01.12.2026 06:00',
  '12/01/2026 06:00',
  'tomorrow',
  '1796108400',
  '２０２６-12-01T06:00:00',
  ' 2026-12-01T06:00:00',
  '2026-12-01T06:00:00\n',
  '2026-12-01T06:00:00\u200e',
  '',
];
const fields = ['every: 1 day, startTime', 'cron: 0 0 6 * * *, startTime', 'once'];

describe('invalid times', () => {
  experiments(
    'I23',
    'wall clock: an offset, Z and anything else that is not a wall-clock time is refused',
    wrong.flatMap((time) => fields.map((field) => ({ time, field }))),
    async ({ time, field }) => {
      const entry = `{ target: agent/acme-shop, ${field}: ${JSON.stringify(time)} }`;
      await onService(
        { schedules: [] },
        `project: clocks\nschedules:\n  s: ${entry}\n`,
        async (sandbox, workspace) => {
          const { exit, diagnostics } = await workspace.applyJson();
          expect(exit).toBe(1);
          expect(diagnostics.map(({ code }) => code).join()).toMatch(/^(invalid-time|schema|unsafe-text)$/);
          if (offsets.slice(0, 8).some((offset) => time.endsWith(offset)))
            expect(diagnostics[0]?.message).toContain('offset');
          expect(sandbox.requests).toEqual([]);
        },
      );
    },
    11,
  );
});
