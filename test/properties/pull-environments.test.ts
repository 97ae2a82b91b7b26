import fc from 'fast-check';
import { expect, test } from 'vitest';
import { stringify } from 'yaml';
import { defaultSeed, parseSeed, type Sandbox } from '../../src/sandbox/index.js';
import { jsonOf } from '../support/json.js';
import { type ProjectData, projectData } from '../support/projects.js';
import { type Ran, Workspace } from '../support/roster.js';
import { startSandbox } from '../support/sandbox.js';
import { isLong, runs } from '../support/size.js';

type Entries = Readonly<Record<string, object>>;
interface Sections {
  readonly groups: Entries;
  readonly pipelines: Entries;
  readonly schedules: Entries;
}

const sectionsOf = ({ groups, pipelines, schedules }: ProjectData): Sections =>
  ({ groups, pipelines, schedules }) as Sections;

/** How the entries of production are kept out of staging, or that they are not. */
type Placement = 'listed' | 'defaults' | 'shared';

const listed = (entries: Entries): Entries =>
  Object.fromEntries(
    Object.entries(entries).map(([key, entry]) => [key, { ...entry, environments: ['production'] }]),
  );

function projectWith({ groups, pipelines, schedules }: Sections, placement: Placement): object {
  const own = { environments: ['production'] };
  const place = placement === 'listed' ? listed : (entries: Entries) => entries;
  const repeated = {
    'each-${each.key}': { each: { a: 'Each a', b: 'Each b' }, name: '${each.value}', members: [], ...own },
  };
  return {
    project: 'random',
    environments: { staging: {}, production: {} },
    ...(placement === 'defaults' ? { defaults: { groups: own, pipelines: own, schedules: own } } : {}),
    groups: { ...place(groups), ...repeated },
    pipelines: place(pipelines),
    schedules: place(schedules),
  };
}

/** What exists in staging: some objects of production, as they are or changed, and others. */
function stagingWith(production: Sections, others: Sections, changes: boolean): object {
  const changed = (entries: Entries): Entries =>
    changes
      ? Object.fromEntries(Object.entries(entries).map(([key, entry]) => [key, { ...entry, enabled: false }]))
      : entries;
  const renamed = Object.fromEntries(
    Object.entries(others.groups).map(([key, entry]) => [`o-${key}`, { ...entry, name: `Other ${key}` }]),
  );
  const groups = { ...production.groups, ...renamed, each: { name: 'Each b', members: [] } };
  return { project: 'elsewhere', ...production, groups, schedules: changed(production.schedules) };
}

async function arrange() {
  const seed = () => parseSeed(JSON.stringify(defaultSeed()));
  const [staging, production] = await Promise.all([
    startSandbox({ seed: seed() }),
    startSandbox({ seed: seed() }),
  ]);
  return { staging, production };
}

function clear({ world }: Sandbox): void {
  for (const map of [world.groups, world.pipelines, world.schedules]) map.clear();
}

const flags = { allowEmpty: true, allowDeletes: '100' };

class Team {
  constructor(
    readonly sandboxes: Readonly<Record<'staging' | 'production', Sandbox>>,
    readonly workspace: Workspace,
  ) {}

  at(environment: 'staging' | 'production'): Workspace {
    this.workspace.env['ROSTER_URL'] = this.sandboxes[environment].url;
    this.workspace.env['ROSTER_API_KEY'] = this.sandboxes[environment].apiKey;
    return this.workspace;
  }

  async plan(environment: 'staging' | 'production') {
    const plan = await this.at(environment).planJson({ ...flags, env: environment });
    expect(plan.diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
    // Lines move.
    return JSON.parse(JSON.stringify(plan.changes, withoutSource)) as typeof plan.changes;
  }

  pull(...words: string[]): Promise<Ran> {
    return this.at('staging').command(['pull', '-e', 'staging', '--yes', '--format', 'json', ...words]);
  }

  async isValid(): Promise<void> {
    const { exit, stderr } = await this.workspace.command(['validate', '--all-environments']);
    expect([exit, exit === 0 ? '' : stderr]).toEqual([0, '']);
  }
}

function withoutSource(name: string, value: unknown): unknown {
  return name === 'source' ? null : value;
}

test('a pull for one environment leaves the plan of every other as it was, and adds adopts to its own', async () => {
  const sandboxes = await arrange();
  const placement = fc.constantFrom<Placement>('listed', 'defaults', 'shared');
  await fc.assert(
    fc.asyncProperty(
      projectData,
      projectData,
      placement,
      fc.boolean(),
      async (first, second, place, changes) => {
        for (const sandbox of Object.values(sandboxes)) clear(sandbox);
        const [own, others] = [sectionsOf(first), sectionsOf(second)];
        const elsewhere = new Workspace(
          { 'roster.yaml': stringify(stagingWith(own, others, changes)) },
          sandboxes.staging,
        );
        expect((await elsewhere.apply(flags)).exit).toBe(0);
        const workspace = new Workspace(
          { 'roster.yaml': stringify(projectWith(own, place)) },
          sandboxes.staging,
        );
        const team = new Team(sandboxes, workspace);
        expect((await team.at('production').apply({ ...flags, env: 'production' })).exit).toBe(0);
        await team.isValid();

        const before = { staging: await team.plan('staging'), production: await team.plan('production') };
        const pulled = jsonOf<{ updated: { address: string }[]; diagnostics: { code: string }[] }>(
          await team.pull(),
        );
        // An entry that is repeated in production cannot be extended.
        expect(pulled.diagnostics.map(({ code }) => code).filter((code) => code !== 'shared-entry')).toEqual([
          'not-importable',
        ]);
        await team.isValid();
        expect(await team.plan('production')).toEqual(before.production);
        const known = new Set(before.staging.map(({ address }) => address));
        const after = await team.plan('staging');
        expect(after.filter(({ address }) => known.has(address))).toEqual(before.staging);
        const shared = new Set(pulled.updated.map(({ address }) => address));
        for (const { address, action, adopted, calls } of after.filter((each) => !known.has(each.address)))
          if (!shared.has(address)) expect([address, action, calls]).toEqual([address, 'adopt', []]);
          else expect([address, adopted]).toEqual([address, true]);

        const again = jsonOf<{ files: object[] }>(await team.pull());
        expect(again.files).toEqual([]);

        expect((await team.at('staging').apply({ ...flags, env: 'staging' })).exit).toBe(0);
        for (const each of sandboxes.staging.world.schedules.values()) each.isEnabled = !each.isEnabled;
        const drifted = await team.plan('staging');
        await team.pull('*/*');
        await team.isValid();
        expect(await team.plan('production')).toEqual(before.production);
        const left = new Set((await team.plan('staging')).map(({ address }) => address));
        for (const { address } of drifted)
          expect([address, left.has(address)]).toEqual([address, isShared(address, place, shared)]);
      },
    ),
    { numRuns: runs(2, 20), endOnFailure: !isLong },
  );
});

/** Production has it, too. */
function isShared(address: string, placement: Placement, extended: ReadonlySet<string>): boolean {
  return placement === 'shared' ? /^schedule\/s\d+$/.test(address) : extended.has(address);
}
