import { expect, test } from 'vitest';
import type { Seed } from '../../../src/sandbox/index.js';
import { jsonOf } from '../../support/json.js';
import { Workspace } from '../../support/roster.js';
import { startSandbox } from '../../support/sandbox.js';

/** `data check` never lets an earlier run stand in for one that did not start (contract §20). */

const now = new Date('2026-12-08T12:00:00Z');
const hour = 3_600_000;

const good = { seconds: 30, records: 1_000 };
type Outcome = NonNullable<NonNullable<Seed['agents']>[number]['outcomes']>[number];

interface World {
  /** What the start of an agent makes that is not good, by agent: the second one is the last. */
  readonly last: Readonly<Record<string, Outcome>>;
  readonly section: string;
  readonly target: string;
}

/** Two starts: one in which all is well, and the last. */
async function check({ last, section, target }: World, ...words: string[]) {
  const agents = ['a', 'b'].map((id) => ({
    externalAgentId: id,
    name: id.toUpperCase(),
    fields: ['sku'],
    outcomes: [...(last[id] === undefined ? [] : [{ nth: 2, ...last[id] }]), good],
  }));
  const seed: Seed = { agents, settings: { staggerSeconds: 0, startsPerMinute: 1_000 } };
  const sandbox = await startSandbox({ seed, speed: 0, now });
  const text = `project: prices
${section}schedules:
  s:
    target: ${target}
    every: 6 hours
    startTime: 2026-12-08T13:00:00
    expect: { records: { min: 800 }, finish: 5 minutes }
`;
  const workspace = new Workspace({ 'roster.yaml': text }, sandbox);
  workspace.now = () => sandbox.now();
  expect((await workspace.apply()).exit).toBe(0);
  for (let passed = 0; passed < 8; passed += 1) sandbox.advance(hour);
  const ran = await workspace.command(['data', 'check', ...words, '--format', 'json']);
  const { datasets, summary } = jsonOf<CheckJson>(ran);
  const said = datasets.map(({ agent, jobId, verdict, expectations }) => {
    const [first] = expectations;
    return `${verdict} ${agent}${jobId === null ? ', without a job' : ''}: ${first?.message}`;
  });
  return { exit: ran.exit, said, summary, datasets };
}

interface CheckJson {
  readonly datasets: readonly {
    readonly agent: string;
    readonly jobId: string | null;
    readonly verdict: string;
    readonly expectations: readonly {
      readonly property: string;
      readonly verdict: string;
      readonly message: string;
    }[];
  }[];
  readonly summary: object;
}

const unknown = 'expected at least 800 records: unknown, because';
const refuse: Outcome = { result: 'refuse', message: 'The agent is being changed.' };

const worlds: readonly [string, World, string[]][] = [
  [
    'a member of a group whose start was refused',
    { last: { b: refuse }, section: 'groups:\n  g: { members: [a, b] }\n', target: 'group/g' },
    [
      `unknown agent/b, without a job: ${unknown} it did not start in the run of 2026-12-08T19:00:00Z`,
      'met agent/a: got 1,000',
    ],
  ],
  [
    'a stage after the one that failed',
    {
      last: { a: { result: 'fail', seconds: 5 } },
      section: 'pipelines:\n  p: { stages: [a, b] }\n',
      target: 'pipeline/p',
    },
    [
      `unknown agent/a: ${unknown} the run failed: The source did not respond`,
      `unknown agent/b, without a job: ${unknown} it was not reached in the run of 2026-12-08T19:00:00Z`,
    ],
  ],
  [
    'the agent of a schedule whose start was refused',
    { last: { a: refuse }, section: '', target: 'agent/a' },
    [`unknown agent/a, without a job: ${unknown} the last start was refused: The agent is being changed.`],
  ],
];

test.each(worlds)('an earlier run does not stand in for %s', async (_what, world, said) => {
  const found = await check(world);
  expect(found.said).toEqual(said);
  expect(found.exit).toBe(0);
  expect((await check(world, '--fail-on', 'unmet,unknown')).exit).toBe(5);
});
