import { expect, test } from 'vitest';
import type { Scenario } from '../faults/support/scenarios.js';
import { withTakeOver } from '../faults/support/takeover.js';

const group = (members: string): string => `project: lock
groups:
  one: { members: [${members}] }
`;

test('lost lock: a run that wakes up after another one took its lock sends no request, not even a retry', async () => {
  const scenario: Scenario = { name: 'members', before: group('acme-shop'), manifest: group('globex') };
  await withTakeOver(scenario, { nth: 'write', act: 'lost' }, async ({ first, after, stopped }) => {
    expect(stopped).toBe(true);
    expect(after).toEqual([]);
    expect(first.exit).toBe(3);
    expect(first.stdout + first.stderr).toContain('may have lost the lock');
    expect(first.stdout).toContain('Next: run `roster plan`, and review it');
    expect(first.stdout).not.toContain('to finish');
  });
});

test('lost lock: an object that another run created meanwhile is not left twice, and only the own one is deleted', async () => {
  const scenario: Scenario = { name: 'create', before: null, manifest: group('acme-shop') };
  await withTakeOver(scenario, { nth: 'write', act: 'late' }, async ({ sandbox, first, after, apply }) => {
    const groups = () => [...sandbox.world.groups.values()].filter(({ name }) => name === 'one');
    expect(after.filter((each) => !each.startsWith('GET'))).toEqual([
      expect.stringMatching(/^DELETE \/api\/search-groups\//),
    ]);
    expect(first.exit).toBe(3);
    expect(groups()).toHaveLength(1);
    const [kept] = groups();
    expect(after.join()).not.toContain(`DELETE /api/search-groups/${kept?.id}`);
    expect((await apply()).stdout).toContain('No changes.');
  });
});
