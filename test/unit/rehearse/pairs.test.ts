import { expect, test } from 'vitest';
import type { PlanJson } from '../../../src/view/json/plan-json.js';
import { jsonOf } from '../../support/json.js';
import { Workspace } from '../../support/roster.js';
import { startSandbox, VARIANTS, type Variant } from '../../support/sandbox.js';
import { sampleOf } from '../../support/size.js';

/** A rehearsal says what the apply then does, for what is declared in every way and for services of every kind. */

interface Pair {
  readonly name: string;
  /** What is applied first, and what is rehearsed and applied then. */
  readonly before: string;
  readonly after: string;
  /** Other files of the repository. */
  readonly others?: Readonly<Record<string, string>>;
  /** Commands between the two. */
  readonly between?: readonly string[];
  /** Of every command. */
  readonly flags?: readonly string[];
}

const start = "startTime: '2030-01-01T00:00:00'";
const base = `
groups:
  shops: { name: Shops, members: [acme-shop, globex] }
  old: { name: Old, members: [initech] }
schedules:
  nightly: { target: group/shops, cron: 0 30 2 * * *, ${start} }
  hourly: { target: group/old, every: 1 hour, ${start} }
`;
const environments = (zone: string, enabled: boolean) => `
vars: { zone: UTC }
environments:
  staging: { vars: { zone: ${zone} }, defaults: { schedules: { enabled: ${enabled} } } }
  production: {}
groups: { shops: { name: Shops, members: [acme-shop] } }
schedules:
  nightly: { target: group/shops, cron: 0 30 2 * * *, ${start}, timeZone: '\${var.zone}' }
  only: { target: group/shops, every: 1 day, ${start}, environments: [production] }
`;
const repeated = (items: string) => `
vars: { countries: ${items} }
groups:
  'prices-\${each.key}': { each: '\${var.countries}', name: 'Prices \${each.key}', members: '\${each.value.shops}' }
schedules:
  'prices-\${each.key}':
    { each: '\${var.countries}', target: 'group/prices-\${each.key}', every: 1 day, ${start}, timeZone: '\${each.value.zone}' }
`;
const first = 'groups: { first: { members: [acme-shop] } }';
const expecting = (expectation: string) =>
  base.replace('members: [initech]', `members: [initech], expect: ${expectation}`);
const changed = base
  .replace('30 2', '45 3')
  .replace('1 hour', '2 hours')
  .replace('[acme-shop, globex]', '[globex, initech]');
const hold = 'hold group/shops --reason incident --yes';

const pairs: readonly Pair[] = [
  {
    name: 'the variables and defaults of an environment',
    before: environments('Europe/Berlin', true),
    after: environments('America/New_York', false),
    flags: ['--env', 'staging'],
  },
  {
    name: 'an entry of another environment',
    before: environments('UTC', true),
    after: environments('UTC', true).replace(', environments: [production]', ''),
    flags: ['--env', 'staging'],
  },
  {
    name: 'repeated entries: one is added, one changed and one removed',
    before: repeated('{ de: { zone: Europe/Berlin, shops: [globex] }, fr: { zone: UTC, shops: [initech] } }'),
    after: repeated('{ de: { zone: UTC, shops: [globex, initech] }, it: { zone: UTC, shops: [acme-shop] } }'),
  },
  {
    name: 'repeated entries that get other keys',
    before: repeated('{ de: { zone: UTC, shops: [globex] } }'),
    after: repeated('{ at: { zone: UTC, shops: [globex] } }'),
  },
  { name: 'changes of what is on hold', before: base, between: [hold], after: changed },
  {
    name: 'the removal of what is on hold',
    before: base,
    between: [hold],
    after: base.replace(/ {2}nightly.*\n/, ''),
  },
  {
    name: 'the end of a hold',
    before: base,
    between: [hold, 'resume --all --yes'],
    after: changed,
  },
  {
    name: 'expectations with other changes',
    before: expecting('{ records: { min: 1 } }'),
    after: expecting('{ records: { min: 5 } }').replace('30 2', '45 3'),
  },
  { name: 'new expectations with a new group', before: first, after: expecting('{ records: { min: 7 } }') },
  {
    name: 'what another project of the repository manages',
    before: first,
    others: { 'other/roster.yaml': `project: other\ngroups: { theirs: { members: [globex] } }\n` },
    between: ['apply --yes -C other'],
    after: `groups: { theirs: { name: theirs, external: true } }\nschedules: { s: { target: group/theirs, every: 1 day, ${start} } }`,
  },
  {
    name: 'a schedule that gets another target, and a group that only it needed',
    before: base,
    after: base.replace('target: group/old', 'target: agent/initech').replace(/ {2}old.*\n/, ''),
  },
  {
    name: 'schedules that are paused and enabled together',
    before: base,
    after: base.replace(
      "every: 1 hour, startTime: '2030-01-01T00:00:00'",
      `every: 1 hour, ${start}, enabled: false`,
    ),
  },
];

const allowed = ['--allow-deletes', '9'];

async function rehearseAndApply(pair: Pair, chosen: readonly Variant[] = []) {
  const { before, after, others = {}, between = [], flags = [] } = pair;
  const sandbox = await startSandbox({ variants: chosen });
  const workspace = new Workspace({ 'roster.yaml': `project: p\n${before}`, ...others }, sandbox);
  const run = (...words: string[]) => workspace.command([...words, ...flags]);
  const first = await run('apply', '--yes');
  for (const each of between) {
    const { exit, stderr } = await workspace.command([
      ...each.split(' '),
      ...(each.includes(' -C ') ? [] : flags),
    ]);
    expect([exit, stderr]).toEqual([0, expect.any(String)]);
  }
  workspace.write('roster.yaml', `project: p\n${after}`);
  sandbox.requests.length = 0;
  const writes = () =>
    sandbox.requests.filter(({ method, path }) => method !== 'GET' && !path.endsWith('/preview')).length;
  const rehearsal = await run('plan', '--rehearse', '--format', 'json', ...allowed);
  const { rehearsal: found, diagnostics } = jsonOf<PlanJson>(rehearsal);
  expect(writes()).toBe(0);
  const applied = await run('apply', '--yes', ...allowed);
  const sent = writes();
  const left = await run('plan', '--detailed-exitcode');
  return { first, rehearsal, found, diagnostics, applied, sent, left };
}

test.each(sampleOf(pairs, 4))('$name', async (pair) => {
  const { first, rehearsal, found, applied, sent, left } = await rehearseAndApply(pair);
  expect([first.exit, rehearsal.exit, applied.exit, left.exit]).toEqual([0, 0, 0, 0]);
  expect(found?.variants.filter(({ converged }) => !converged)).toEqual([]);
  expect(found?.calls).toBe(sent);
  expect(found?.kills).toBeGreaterThanOrEqual(sent);
});

const variants = Object.keys(VARIANTS) as Variant[];
const ordinary: Pair = { name: '', before: base, after: changed };

test.each(sampleOf(variants, 2))(
  'on a service where %s, a rehearsal says what the apply then does',
  async (variant) => {
    const { first, rehearsal, found, diagnostics, applied, left } = await rehearseAndApply(ordinary, [
      variant,
    ]);
    const made = { first: first.exit, applied: applied.exit, left: left.exit };
    expect(made).toEqual({ first: 0, applied: 0, left: 0 });
    expect([rehearsal.exit, diagnostics.filter(({ severity }) => severity === 'error')]).toEqual([0, []]);
    expect(found?.variants.filter(({ converged }) => !converged)).toEqual([]);
  },
);
