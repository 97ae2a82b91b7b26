import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Sandbox, startSandbox } from '../../../src/sandbox/index.js';
import { Workspace } from '../../support/roster.js';

const manifest = (description: string, country: string) => `project: pricing
groups: { shops: { description: ${description}, members: [acme-shop] } }
schedules:
  often: { target: group/shops, every: 6 hours, startTime: 2099-12-01T06:00:00, inputs: { country: ${country} } }
`;

let sandbox: Sandbox;
let workspace: Workspace;

beforeEach(async () => {
  sandbox = await startSandbox();
  workspace = new Workspace({ 'roster.yaml': manifest('old', 'DE') }, sandbox);
  expect((await workspace.apply()).exit).toBe(0);
});
afterEach(async () => {
  workspace.remove();
  await sandbox.close();
});

/** Of the plan from these remote values to these declared ones. */
async function digest(before: [string, string], after: [string, string]): Promise<string> {
  for (const group of sandbox.world.groups.values()) group.description = before[0];
  for (const schedule of sandbox.world.schedules.values())
    schedule.inputParameters = JSON.stringify({ country: before[1] });
  workspace.write('roster.yaml', manifest(...after));
  return (await workspace.planJson()).digest;
}

test('a plan to or from another value, of any field, has another digest; the same plan has the same', async () => {
  const plans: [[string, string], [string, string]][] = [
    [
      ['old', 'DE'],
      ['new', 'FR'],
    ],
    [
      ['old', 'DE'],
      ['newer', 'FR'],
    ],
    [
      ['older', 'DE'],
      ['new', 'FR'],
    ],
    [
      ['old', 'DE'],
      ['new', 'IT'],
    ],
    [
      ['old', 'AT'],
      ['new', 'FR'],
    ],
  ];
  const digests: string[] = [];
  for (const [before, after] of plans) digests.push(await digest(before, after));
  expect(new Set(digests).size).toBe(plans.length);
  expect(await digest(['old', 'DE'], ['new', 'FR'])).toBe(digests[0]);
});
