import { describe, expect } from 'vitest';
import type { Sandbox, SeedSchedule } from '../../src/sandbox/index.js';
import { changes, hour, intlOffset, minute, zones } from '../properties/timings.js';
import type { Variant } from '../support/sandbox.js';
import { type Line, manifest, numbers, onService, planOf } from './support/clocks.js';
import { experiments } from './support/experiments.js';
import { writesTo } from './support/fixture.js';

/** I23: a Once schedule whose time has passed is not created, changed or run again. */

/** The states in which a service may show a Once schedule after its time. */
const laterStates: Readonly<Record<string, (sandbox: Sandbox) => void>> = {
  deleted: ({ world }) => world.schedules.clear(),
  'still waiting': () => undefined,
  disabled: ({ world }) => {
    for (const record of world.schedules.values()) record.isEnabled = false;
  },
  'has run': ({ world }) => {
    for (const record of world.schedules.values())
      Object.assign(record, {
        lastRunTime: '2026-01-01T00:00:00Z',
        lastJobStatusName: 'Succeeded',
        isEnabled: false,
      });
  },
};
const berlin = ', timeZone: Europe/Berlin';
const edits = [
  berlin,
  `${berlin}, enabled: false`,
  `${berlin}, inputs: { country: FR }`,
  ', timeZone: Asia/Tokyo',
];
const pastTimes = ['2020-02-29T23:59:59', '2025-03-30T02:30:00', '2025-10-26T02:30:00', '1970-01-01T00:00'];

describe('past once', () => {
  const each = Object.keys(laterStates).flatMap((state) =>
    pastTimes.flatMap((time) =>
      edits.flatMap((more) =>
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
    'once: a schedule whose time has passed is not created, changed or run again',
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
        laterStates[state]?.(sandbox);
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
    17,
  );

  const moments = zones.flatMap((zone) => (changes.get(zone) ?? []).map((change) => ({ zone, change })));
  experiments(
    'I23',
    'once: whether its time has passed is exact to the second near a clock change',
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
          // A skipped time moves forward by the length of the gap.
          const first = instants.length === 0 ? local - (before ?? 0) : Math.min(...instants);
          return first > now ? [`schedule/s${nth}`] : [];
        });
        expect(created).toEqual(expected.sort());
      }
    },
    100,
  );
});
