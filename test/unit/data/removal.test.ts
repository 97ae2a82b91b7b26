import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { DatasetInfo } from '../../../src/model/data.js';
import { removable } from '../../../src/operate/data/remove.js';
import { runs } from '../../support/size.js';

const dataset = fc.record({
  agent: fc.constantFrom('agent/a', 'agent/b', null),
  agentId: fc.constantFrom('1', '2', null),
  agentName: fc.constantFrom('A', 'B', ''),
  collectedAt: fc.option(
    fc.integer({ min: 1, max: 28 }).map((day) => new Date(Date.UTC(2026, 1, day)).toISOString()),
  ),
  status: fc.constantFrom('Available', 'Available', 'Expired', 'Failed'),
  canManage: fc.boolean(),
  jobId: fc.option(fc.constantFrom('j1', 'j2', 'j3', 'j4')),
});
const rest = {
  sizeBytes: 1,
  fileName: null,
  expiresAt: null,
  accessLevel: null,
  runId: null,
  groupRunId: null,
};
const worlds = fc
  .array(dataset, { maxLength: 30 })
  .map((list) => list.map((each, index): DatasetInfo => ({ id: `d${index}`, ...rest, ...each })));
const rules = fc.record({
  before: fc.integer({ min: 1, max: 29 }).map((day) => new Date(Date.UTC(2026, 1, day)).toISOString()),
  keepLast: fc.integer({ min: 0, max: 4 }),
});
const nameOf = ({ agent, agentId, agentName }: DatasetInfo) => agent ?? agentId ?? agentName;
const options = { numRuns: runs(150, 20_000) };

test('only owned datasets that are known to be old enough are deleted', () => {
  fc.assert(
    fc.property(worlds, rules, (all, rule) => {
      for (const { canManage, collectedAt } of removable(all, rule))
        expect(canManage && collectedAt !== null && collectedAt < rule.before).toBe(true);
    }),
    options,
  );
});

test('of each agent, the datasets of its newest jobs stay, as many jobs as asked for or as there are', () => {
  fc.assert(
    fc.property(worlds, rules, (all, rule) => {
      const gone = new Set(removable(all, rule));
      for (const agent of new Set(all.map(nameOf))) {
        const own = all.filter((each) => nameOf(each) === agent && isCounted(each));
        const left = own.filter((each) => !gone.has(each));
        expect(jobsIn(left).size).toBeGreaterThanOrEqual(Math.min(rule.keepLast, jobsIn(own).size));
        for (const each of own.filter((one) => gone.has(one))) {
          const newer = left.filter(({ collectedAt }) => (collectedAt ?? '') >= (each.collectedAt ?? ''));
          expect(jobsIn(newer).size).toBeGreaterThanOrEqual(rule.keepLast);
        }
      }
    }),
    options,
  );
});

function isCounted({ canManage, status, collectedAt }: DatasetInfo): boolean {
  return canManage && status === 'Available' && collectedAt !== null;
}

/** A job of several runs has several datasets. */
function jobsIn(list: readonly DatasetInfo[]): ReadonlySet<string> {
  return new Set(list.map(({ jobId, id }) => jobId ?? id));
}

test('what may be one of the newest of its agent stays, because the service does not say whose it is', () => {
  fc.assert(
    fc.property(worlds, rules, (all, rule) => {
      const gone = removable(all, { ...rule, keepLast: rule.keepLast + 1 });
      expect(gone.filter((each) => nameOf(each) === '')).toEqual([]);
    }),
    options,
  );
});

test('with nothing to keep, all that is old is deleted', () => {
  fc.assert(
    fc.property(worlds, rules, (all, rule) => {
      const old = all.filter(
        ({ canManage, collectedAt }) => canManage && collectedAt !== null && collectedAt < rule.before,
      );
      expect(removable(all, { ...rule, keepLast: 0 })).toHaveLength(old.length);
    }),
    options,
  );
});
