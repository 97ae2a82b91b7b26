import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { parseSeed, type Sandbox } from '../../src/sandbox/index.js';
import { inventoryAt } from '../support/json.js';
import { type Fault, startProxy } from '../support/proxy.js';
import { withEach } from '../support/repeated.js';
import { Workspace } from '../support/roster.js';
import { startSandbox } from '../support/sandbox.js';
import { outOfOrder, type Sequence } from '../support/sequence.js';
import { oneOfEach, sampleOf } from '../support/size.js';
import { planBothWays } from '../support/snapshots.js';

/** One case: existing objects, the manifest, what was applied before, and what roster must do. */
interface Case {
  /** The sandbox's seed. */
  seed?: object;
  /** roster.yaml without the project's name. */
  manifest: string;
  /** A manifest that is applied first, so that the inventory knows its objects. */
  before?: string;
  /** What was put on hold, and paused, after `before` was applied: until when by address; null for no end. */
  holds?: Record<string, string | null>;
  /** Addresses that are on hold after the plan. */
  held?: string[];
  /** Changes made outside roster after `before` was applied and `holds` was paused: seed objects by section and name. */
  meanwhile?: Meanwhile;
  prune?: string;
  /** The selected environment. */
  environment?: string;
  /** `--var`: NAME=VALUE. */
  vars?: string[];
  allow?: { deletes?: string; selfRevoke?: boolean };
  /** Expected changes, without those whose action is `none`. */
  plan: Expected[];
  /** Expected codes of the risks of the plan as a whole. */
  risks?: string[];
  /** Expected warnings. */
  warnings?: string[];
  /** Expected number of ignored differences. */
  ignored?: number;
  /** Expected counts of what is not managed, without the API key that roster uses. */
  unmanaged?: Record<string, number>;
  /** The writing requests in order, and in a list within it those that may run at the same time. Ids are written as *. */
  requests: Sequence;
}

interface Meanwhile {
  delete?: { section: 'groups' | 'pipelines' | 'schedules'; name?: string }[];
  set?: { section: 'groups' | 'pipelines' | 'schedules'; name?: string; values: object }[];
}

interface Expected {
  address: string;
  action: string;
  origin?: string;
  adopted?: boolean;
  /** Paths of the fields that differ. */
  fields?: string[];
  /** Codes of its risks. */
  risks?: string[];
  notes?: string[];
}

const folder = new URL('.', import.meta.url).pathname;
const cases = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.yaml') && !name.startsWith('diagnostics'))
  .sort()
  .map(
    (name) => [name.replace(/\.yaml$/, ''), parse(readFileSync(join(folder, name), 'utf8')) as Case] as const,
  );

/** Others are planned only. */
const isApplied = new Set(
  [...sampleOf(cases, 10), ...oneOfEach(cases, ([name]) => dirname(name))].map(([name]) => name),
);

/** The laws need several plans and applies of a case each. */
const inSample = new Set(oneOfEach(cases, ([name]) => dirname(name)).map(([name]) => name));
const law = (name: string) => test.runIf(inSample.has(name));

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup();
});

describe.each(cases)('%s', (name, given) => {
  test('a plan has the expected changes', async () => {
    const { sandbox, workspace } = await arrange(given);
    const plan = await workspace.planJson(flagsOf(given));
    expect(plan.diagnostics.filter((each) => each.severity === 'error')).toEqual([]);
    expect(plan.changes.map((change) => pick(change, given))).toEqual(given.plan);
    expect(plan.diagnostics.map((each) => each.code)).toEqual(given.warnings ?? []);
    expect(Object.keys(plan.held ?? {})).toEqual(given.held ?? []);
    if (given.risks !== undefined) expect(plan.risks.map(({ code }) => code)).toEqual(given.risks);
    if (given.ignored !== undefined) expect(plan.ignored?.differences).toBe(given.ignored);
    if (given.unmanaged !== undefined) expect(plan.unmanaged).toEqual({ ...given.unmanaged, key: 1 });
    expect(writesOf(sandbox)).toEqual([]); // law 3: plan sends only reads
  });

  test.runIf(isApplied.has(name))('an apply sends the expected requests', async () => {
    const { sandbox, workspace } = await arrange(given);
    const report = await workspace.applyJson(flagsOf(given));
    expect(report.diagnostics.filter((each) => each.severity === 'error')).toEqual([]);
    expect([report.exit, report.converged]).toEqual([0, true]);
    expect(outOfOrder(writesOf(sandbox), given.requests)).toBeNull();
    expect(holdsOf(workspace, given)).toEqual(given.held ?? []);
  });

  law(name)(
    'law 1: after an apply the plan is empty and a second apply writes nothing, even without the inventory',
    async () => {
      const { sandbox, workspace } = await arrange(given);
      await workspace.apply(flagsOf(given));
      keepWorking(sandbox, workspace);
      const before = writesOf(sandbox).length;
      expect((await workspace.planJson(flagsOf(given))).changes).toEqual([]);
      expect((await workspace.apply(flagsOf(given))).exit).toBe(0);
      expect(writesOf(sandbox).length).toBe(before);
      // Only the inventory knows what is on hold.
      if (given.held !== undefined) return;
      rmSync(join(workspace.root, inventoryOf(given)), { force: true });
      const { changes } = await workspace.planJson(flagsOf(given));
      expect(changes.filter((each) => each.action !== 'adopt')).toEqual([]);
      expect((await workspace.apply(flagsOf(given))).exit).toBe(0);
      expect(writesOf(sandbox).length).toBe(before);
    },
  );

  law(name)(
    'laws 2 and 4: shuffled input gives the same digest, and the plan survives a JSON round trip',
    async () => {
      const { sandbox, workspace } = await arrange(given);
      const plan = await workspace.planJson(flagsOf(given));
      reverse(sandbox);
      workspace.write('roster.yaml', manifestText(reversed(given.manifest)));
      const other = await workspace.planJson(flagsOf(given));
      expect(other.digest).toBe(plan.digest);
      expect(JSON.parse(JSON.stringify(plan))).toEqual(plan);
    },
  );

  law(name)(
    'law 8: entries that are moved into `each`, and what is rendered, have the same plan, and change nothing',
    async () => {
      const { sandbox, workspace } = await arrange(given);
      const written = manifestText(given.manifest);
      const plan = await workspace.planJson(flagsOf(given));
      workspace.write('roster.yaml', withEach(written));
      expect(meaning(await workspace.planJson(flagsOf(given)))).toEqual(meaning(plan));
      // What is rendered has no variables.
      const { var: vars = [], ...flags } = flagsOf(given);
      const environment = given.environment === undefined ? [] : ['-e', given.environment];
      const words = ['render', ...environment, ...vars.flatMap((each) => ['--var', each])];
      const rendered = await workspace.command(words);
      workspace.write('roster.yaml', rendered.stdout);
      expect(meaning(await workspace.planJson(flags))).toEqual(meaning(plan));
      expect((await workspace.command(words.slice(0, 1 + environment.length))).stdout).toBe(rendered.stdout);

      workspace.write('roster.yaml', withEach(written));
      const report = await workspace.applyJson(flagsOf(given));
      expect([report.exit, report.converged]).toEqual([0, true]);
      expect(outOfOrder(writesOf(sandbox), given.requests)).toBeNull();
      keepWorking(sandbox, workspace);
      workspace.write('roster.yaml', written);
      expect((await workspace.planJson(flagsOf(given))).changes).toEqual([]);
    },
  );

  law(name)('a plan from a snapshot equals the live plan', async () => {
    const { sandbox, workspace } = await arrange(given);
    const { live, saved, requests } = await planBothWays(sandbox, workspace, flagsOf(given));
    expect(saved).toEqual(live);
    expect(requests).toBe(0);
  });

  law(name).each<Fault>(['fail', 'lose'])(
    'law 5: after a write meets the fault "%s", one more apply converges',
    async (fault) => {
      const writes = given.requests.flat(9).map((_, index) => index + 1);
      const expected = await countsWithoutFault(given);
      for (const nth of sampleOf(writes, 1)) {
        const { sandbox, workspace, proxy } = await arrange(given);
        proxy.arm(nth, fault);
        await workspace.apply(flagsOf(given));
        proxy.arm(0, fault);
        keepWorking(sandbox, workspace);
        const second = await workspace.applyJson(flagsOf(given));
        expect([second.exit, second.diagnostics.filter((each) => each.severity === 'error')]).toEqual([
          0,
          [],
        ]);
        keepWorking(sandbox, workspace);
        expect((await workspace.planJson(flagsOf(given))).changes).toEqual([]);
        expect(countsOf(sandbox)).toEqual(expected);
      }
    },
  );
});

/** How to keep an object is said for the entry as it is written: in a repeated one, `formerly` is a map. */
const advice = /: to keep (?:that|this) object, .*/;

/** A plan without the places in files, and without what to write there. */
function meaning({ digest, exit, changes, diagnostics }: Awaited<ReturnType<Workspace['planJson']>>) {
  // One line stands for several items with the same problem.
  const found = diagnostics.flatMap(({ severity, code, message, similar = [] }) =>
    [message, ...similar.map((each) => each.message)].map((text) => `${severity} ${code}: ${text}`),
  );
  return {
    ...{ digest, exit },
    changes: changes.map(({ source: _, notes, ...change }) => ({
      ...change,
      notes: notes.map((each) => each.replace(advice, '')),
    })),
    diagnostics: [...new Set(found)].sort(),
  };
}

interface Arranged {
  readonly sandbox: Sandbox;
  readonly workspace: Workspace;
  readonly proxy: Awaited<ReturnType<typeof startProxy>>;
}

/** Behind a proxy from the start: an inventory belongs to one URL. */
async function arrange(given: Case): Promise<Arranged> {
  const seed = parseSeed(JSON.stringify(given.seed ?? {}));
  const sandbox = await startSandbox({ seed });
  const proxy = await startProxy(sandbox.url);
  const files = { 'roster.yaml': manifestText(given.before ?? given.manifest) };
  const workspace = new Workspace(files, { url: proxy.url, apiKey: sandbox.apiKey });
  workspace.sleep = () => new Promise((done) => setImmediate(done));
  cleanups.push(() => proxy.close());
  if (given.before !== undefined) {
    const { prune: _, ...flags } = flagsOf(given);
    const first = await workspace.apply({ ...flags, allowSelfRevoke: true });
    if (first.exit !== 0) throw new Error(`the manifest before does not apply: ${first.stderr}`);
    hold(sandbox, workspace, given);
    interfere(sandbox, given.meanwhile ?? {});
    keepWorking(sandbox, workspace);
    workspace.write('roster.yaml', manifestText(given.manifest));
  }
  sandbox.requests.length = 0;
  return { sandbox, workspace, proxy };
}

/** As `roster hold` leaves the inventory and the service. */
function hold({ world }: Sandbox, workspace: Workspace, given: Case): void {
  if (given.holds === undefined) return;
  const inventory = inventoryIn(workspace, given);
  for (const [address, until] of Object.entries(given.holds)) {
    const entry = inventory.entries[address];
    const schedule = world.schedules.get(entry?.id ?? '');
    if (entry === undefined || schedule === undefined) throw new Error(`${address} cannot be held`);
    entry.applied['enabled'] = false;
    entry['hold'] = { by: 'Anna', reason: 'incident 42', since: '2020-01-01T03:00:00.000Z', until };
    schedule.isEnabled = false;
  }
  workspace.write(inventoryOf(given), JSON.stringify({ ...inventory, version: 2 }));
}

function holdsOf(workspace: Workspace, given: Case): string[] {
  const { entries } = inventoryIn(workspace, given);
  return Object.keys(entries).filter((address) => entries[address]?.['hold'] !== undefined);
}

function inventoryIn(workspace: Workspace, given: Case) {
  return inventoryAt<{
    entries: Record<string, { id: string; applied: Record<string, unknown>; hold?: unknown }>;
  }>(workspace.root, inventoryOf(given));
}

/** A created key may have replaced the caller's key: continue with the newest, as CI would. */
function keepWorking(sandbox: Sandbox, workspace: Workspace): void {
  workspace.env['ROSTER_API_KEY'] = sandbox.world.apiKey;
}

function interfere({ world }: Sandbox, { delete: deleted = [], set = [] }: Meanwhile): void {
  for (const { section, name } of deleted) {
    for (const [id, each] of world[section])
      if (name === undefined || ('name' in each && each.name === name)) world[section].delete(id);
  }
  for (const { section, name, values } of set) {
    for (const each of world[section].values())
      if (name === undefined || ('name' in each && each.name === name)) Object.assign(each, values);
  }
}

function manifestText(manifest: string): string {
  return `project: case\n${manifest}`;
}

/** The same manifest with the entries of every section in reverse order. */
function reversed(manifest: string): string {
  const value = parse(manifest) as Record<string, unknown>;
  const sections = ['groups', 'pipelines', 'schedules', 'keys'];
  const turned = Object.entries(value).map(([key, inner]) => [
    key,
    sections.includes(key) ? Object.fromEntries(Object.entries(inner as object).reverse()) : inner,
  ]);
  return stringify(Object.fromEntries(turned));
}

function reverse({ world }: Sandbox): void {
  for (const map of [world.agents, world.groups, world.pipelines, world.schedules] as Map<
    string,
    unknown
  >[]) {
    const entries = [...map].reverse();
    map.clear();
    for (const [key, value] of entries) map.set(key, value);
  }
}

function inventoryOf({ environment }: Case): string {
  return environment === undefined ? 'roster.inventory.json' : `roster.inventory.${environment}.json`;
}

function flagsOf(given: Case) {
  return {
    ...(given.prune === undefined ? {} : { prune: given.prune }),
    ...(given.environment === undefined ? {} : { env: given.environment }),
    ...(given.vars === undefined ? {} : { var: given.vars }),
    ...(given.allow?.deletes === undefined ? {} : { allowDeletes: given.allow.deletes }),
    ...(given.allow?.selfRevoke === true ? { allowSelfRevoke: true } : {}),
  };
}

function pick(
  change: {
    address: string;
    action: string;
    origin: string | null;
    adopted: boolean;
    fields: readonly { path: string }[];
    risks: readonly { code: string }[];
    notes: readonly string[];
  },
  given: Case,
): Expected {
  // The sandbox creates objects with new ids each time.
  const address = change.address.replace(/\/[0-9a-f]{8}-(?!1111)[0-9a-f-]{27}$/, '/*');
  const expected = given.plan.find((each) => each.address === address);
  return {
    address,
    action: change.action,
    ...(expected?.origin === undefined ? {} : { origin: String(change.origin) }),
    ...(expected?.adopted === undefined ? {} : { adopted: change.adopted }),
    ...(expected?.fields === undefined ? {} : { fields: change.fields.map((field) => field.path) }),
    ...(expected?.risks === undefined ? {} : { risks: change.risks.map(({ code }) => code) }),
    ...(expected?.notes === undefined ? {} : { notes: [...change.notes] }),
  };
}

function writesOf(sandbox: Sandbox): string[] {
  return sandbox.requests
    .filter(({ method, path }) => method !== 'GET' && !path.startsWith('/api/schedules/preview'))
    .map(({ method, path }) => `${method} ${path.replace(/[0-9a-f-]{36}/gi, '*')}`);
}

function countsOf({ world }: Sandbox) {
  const keys = [...world.keys.values()]
    .filter((key) => !key.isRevoked)
    .map((key) => key.name)
    .sort();
  return {
    groups: world.groups.size,
    pipelines: world.pipelines.size,
    schedules: world.schedules.size,
    keys,
  };
}

async function countsWithoutFault(given: Case) {
  const { sandbox, workspace } = await arrange(given);
  await workspace.apply(flagsOf(given));
  return countsOf(sandbox);
}
