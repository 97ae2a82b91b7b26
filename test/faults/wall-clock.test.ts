import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { kinds } from '../../src/kinds/index.js';
import { loadProject } from '../../src/manifest/load.js';
import { nearest } from '../../src/manifest/nearest.js';
import type { Diagnostic } from '../../src/model/diagnostic.js';
import { emptyInventory } from '../../src/model/inventory.js';
import { reconcile } from '../../src/reconcile/plan.js';
import {
  defaultSeed,
  type Sandbox,
  type SeedSchedule,
  startSandbox,
  type Variant,
} from '../../src/sandbox/index.js';
import { changes, from2005, hour, intlOffset, minute, to2037, zones } from '../properties/timings.js';
import { roster } from '../support/program.js';
import { Workspace } from '../support/roster.js';
import { worldAgents } from '../support/worlds.js';
import { all, experiments } from './support/experiments.js';
import { writesTo } from './support/scene.js';

/** I23: a wall-clock time is sent as it was written, whatever the zone, the day and the clock of the machine. */

const numbers = (count: number) => Array.from({ length: count }, (_, index) => index);
const perBatch = 500;

/** A wall clock near a change of the zone's clocks, in what they leave out and show twice, or anywhere else. */
const near = (zone: string) => {
  const anywhere = fc.integer({ min: from2005 / 1000, max: to2037 / 1000 }).map((second) => second * 1000);
  const known = changes.get(zone) ?? [];
  if (known.length === 0) return anywhere;
  const around = fc
    .tuple(fc.constantFrom(...known), fc.integer({ min: -2 * 3600, max: 2 * 3600 }))
    .map(([change, seconds]) => change + intlOffset(zone, change - 1000) + seconds * 1000);
  return fc.oneof(anywhere, around);
};

/** As a person may write it: with seconds or a fraction of them, or without. */
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

interface Line {
  readonly zone: string;
  readonly time: string;
  readonly field: 'startTime' | 'once';
}

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
      ({ time, field }) => field === 'startTime' || (!seen.has(meaning(time)) && seen.add(meaning(time))),
    )
    .slice(0, count);
}

const meaning = (time: string) => new Date(`${time}Z`).toISOString();

/** Without quotes: YAML must not make anything of a time. Entry `s7` runs every 8 minutes, or once. */
function manifest(list: readonly Line[], more = ''): string {
  const entries = list.map(({ zone, time, field }, nth) => {
    const timing = field === 'once' ? `once: ${time}` : `every: ${nth + 1} minutes, startTime: ${time}`;
    return `  s${nth}: { target: agent/acme-shop, ${timing}, timeZone: ${zone}${more} }\n`;
  });
  return `project: clocks\nlimits: { startsPerMinute: 100000 }\nschedules:\n${entries.join('')}`;
}

/** Plans for an empty service, and without one. */
function planOf(text: string, now: Date) {
  const workspace = new Workspace({ 'roster.yaml': text }, { url: '', apiKey: '' });
  try {
    const { project, diagnostics } = loadProject({ cwd: workspace.root, environment: null, env: {}, kinds });
    if (project === null) throw new Error(JSON.stringify(diagnostics));
    const { plan } = reconcile({
      project,
      service: 'https://collect.example.com',
      account: null,
      kinds,
      agents: worldAgents,
      objects: new Map(),
      inventory: emptyInventory('clocks', null),
      prune: 'owned',
      now,
      allow: { deletes: null, selfRevoke: false, empty: false, accountChange: false },
      selected: null,
      undeliverable: () => null,
      nearest,
    });
    return { plan, diagnostics };
  } finally {
    workspace.remove();
  }
}

/** How often the zone's clocks show a time, by Intl alone. */
function passes(zone: string, time: string): number {
  const local = Date.parse(`${time}Z`);
  const offsets = new Set(
    [-26, -13, 0, 13, 26].map((hours) => intlOffset(zone, Math.floor(local / 1000) * 1000 + hours * hour)),
  );
  return [...offsets].filter((offset) => intlOffset(zone, wholeSecond(local - offset)) === offset).length;
}

const wholeSecond = (instant: number) => Math.floor(instant / 1000) * 1000;

function flagged(list: readonly Line[]): string[] {
  return list
    .flatMap(({ zone, time }) => {
      const count = passes(zone, time);
      return count === 1 ? [] : [`${count === 0 ? 'skipped' : 'repeated'}-time ${time} in ${zone}`];
    })
    .sort();
}

function told(diagnostics: readonly Pick<Diagnostic, 'code' | 'message'>[]): string[] {
  return diagnostics
    .filter(({ code }) => /^(skipped|repeated)-time$/.test(code))
    .map(({ code, message }) => `${code} ${message.split(' ').slice(0, 3).join(' ')}`)
    .sort();
}

const longAgo = new Date('2000-01-01T00:00:00Z');
const batches = zones.flatMap((zone) => numbers(10_000 / perBatch).map((nth) => ({ zone, nth })));
const flags = { skipped: 0, repeated: 0 };

describe('times in a manifest', () => {
  experiments(
    'I23',
    `10,000 in each of ${zones.length} zones, ${perBatch} at a time`,
    batches,
    async ({ zone, nth }) => {
      const list = lines(zone, nth, perBatch);
      expect(list).toHaveLength(perBatch);
      const { plan, diagnostics } = planOf(manifest(list), longAgo);
      const sent = new Map(plan?.steps.map(({ addresses, request }) => [addresses[0], request.body]));
      for (const [index, { zone: timeZoneId, time: startTime }] of list.entries())
        expect(sent.get(`schedule/s${index}`)).toMatchObject({ startTime, timeZoneId });
      expect(told(diagnostics)).toEqual(flagged(list));
      for (const { code } of diagnostics) {
        if (code === 'skipped-time') flags.skipped += 1;
        if (code === 'repeated-time') flags.repeated += 1;
      }
    },
    20,
  );

  test('are often such that the clocks skip or repeat', () => {
    expect(Math.min(flags.skipped, flags.repeated)).toBeGreaterThan(all ? 2_000 : 100);
  });

  const clocks = ['UTC', 'America/New_York', 'Asia/Kathmandu', 'Pacific/Apia'];
  experiments(
    'I23',
    '10,000 applied by processes with clocks in four zones',
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
        const { diagnostics } = JSON.parse(stdout) as { diagnostics: readonly Diagnostic[] };
        expect(told(diagnostics)).toEqual(flagged(list));
        expect(sentTimes(sandbox)).toEqual(list.map(({ time }) => time).sort());
        sandbox.requests.length = 0;
        expect(await roster(['apply', '--yes'], place)).toMatchObject({
          exit: 0,
          stdout: expect.stringContaining('No changes.'),
        });
        expect(writesTo(sandbox)).toEqual([]);
      } finally {
        workspace.remove();
        await sandbox.close();
      }
    },
    40,
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

describe('times that are none', () => {
  experiments(
    'I23',
    'an offset, Z and all that is no wall clock is refused',
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
    12,
  );
});

/** A schedule that runs once, by the time that its moment has passed; and what a service may show of it then. */
const fired: Readonly<Record<string, (sandbox: Sandbox) => void>> = {
  gone: ({ world }) => world.schedules.clear(),
  'still waiting': () => undefined,
  'switched off': ({ world }) => {
    for (const record of world.schedules.values()) record.isEnabled = false;
  },
  'that has run': ({ world }) => {
    for (const record of world.schedules.values())
      Object.assign(record, {
        lastRunTime: '2026-01-01T00:00:00Z',
        lastJobStatusName: 'Succeeded',
        isEnabled: false,
      });
  },
};
const berlin = ', timeZone: Europe/Berlin';
const wanted = [
  berlin,
  `${berlin}, enabled: false`,
  `${berlin}, inputs: { country: FR }`,
  ', timeZone: Asia/Tokyo',
];
const pastTimes = ['2020-02-29T23:59:59', '2025-03-30T02:30:00', '2025-10-26T02:30:00', '1970-01-01T00:00'];

describe('a time that has passed', () => {
  const each = Object.keys(fired).flatMap((state) =>
    pastTimes.flatMap((time) =>
      wanted.flatMap((more) =>
        [[], ['past-once-refused'], ['nulls-absent']].map((variants) => ({
          state,
          time,
          more,
          variants: variants as Variant[],
        })),
      ),
    ),
  );
  experiments(
    'I23',
    'is not created, changed or fired again',
    each,
    async ({ state, time, more, variants }) => {
      const seed: SeedSchedule = {
        targetId: 'acme-shop',
        scheduleType: 'Once',
        startTime: time,
        timeZoneId: 'Europe/Berlin',
      };
      const text = (rest: string) =>
        `project: clocks\nschedules:\n  s: { target: agent/acme-shop, once: ${time}${rest} }\n`;
      await onService({ schedules: [seed], variants }, text(berlin), async (sandbox, workspace) => {
        expect(await workspace.apply()).toMatchObject({ exit: 0 });
        fired[state]?.(sandbox);
        const before = JSON.stringify([...sandbox.world.schedules]);
        workspace.write('roster.yaml', text(more));
        sandbox.requests.length = 0;
        for (const _again of [1, 2]) {
          const { exit, diagnostics } = await workspace.applyJson();
          const codes = diagnostics.map(({ code }) => code);
          expect([exit, codes.filter((code) => code === 'past-once')]).toEqual([0, ['past-once']]);
        }
        expect(writesTo(sandbox)).toEqual([]);
        expect(JSON.stringify([...sandbox.world.schedules])).toBe(before);
      });
    },
    16,
  );

  const moments = zones.flatMap((zone) => (changes.get(zone) ?? []).map((change) => ({ zone, change })));
  experiments(
    'I23',
    'near a change of the clocks is told by the second',
    moments,
    async ({ zone, change }) => {
      const [before, after] = [change - 1000, change].map((instant) => intlOffset(zone, instant));
      const list = numbers(60).map(
        (nth): Line => ({
          zone,
          field: 'once',
          time: new Date(change + (before ?? 0) + (nth - 30) * 6 * minute).toISOString().slice(0, 19),
        }),
      );
      for (const seconds of [-hour / 1000, -1, 0, 1, hour / 1000]) {
        const now = change + seconds * 1000;
        const { plan } = planOf(manifest(list), new Date(now));
        const created = plan?.changes
          .flatMap(({ address, action }) => (action === 'create' ? [address] : []))
          .sort();
        const expected = list.flatMap(({ time }, nth) => {
          const local = Date.parse(`${time}Z`);
          const instants = [before, after]
            .map((offset) => local - (offset ?? 0))
            .filter((instant) => intlOffset(zone, instant) === local - instant);
          // A time that the clocks skip moves on by as much as they do.
          const first = instants.length === 0 ? local - (before ?? 0) : Math.min(...instants);
          return first > now ? [`schedule/s${nth}`] : [];
        });
        expect(created).toEqual(expected.sort());
      }
    },
    100,
  );
});

async function onService(
  { schedules, variants = [] }: { schedules: SeedSchedule[]; variants?: readonly Variant[] },
  text: string,
  work: (sandbox: Sandbox, workspace: Workspace) => Promise<void>,
): Promise<void> {
  const sandbox = await startSandbox({ seed: { ...defaultSeed(), schedules }, variants });
  const workspace = new Workspace({ 'roster.yaml': text }, sandbox);
  try {
    await work(sandbox, workspace);
  } finally {
    workspace.remove();
    await sandbox.close();
  }
}
