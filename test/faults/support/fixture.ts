import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { defaultSeed, type Sandbox, type Seed, type World } from '../../../src/sandbox/index.js';
import { type AnyFault, FaultInjector } from '../../support/client-faults.js';
import { type Ended, start } from '../../support/program.js';
import { type Ran, Workspace } from '../../support/roster.js';
import { startSandbox, type Variant } from '../../support/sandbox.js';
import { type FsFault, fsFaults, preload } from './fs-faults.js';
import { environment, foreign, type Scenario } from './scenarios.js';

export interface FixtureOptions {
  readonly variants?: readonly Variant[];
  /** Polls and retries without waiting. Default true. */
  readonly quick?: boolean;
  /** Further objects and settings of the service. */
  readonly seed?: Seed;
}

/** A service and a project that uses it, ready for a run with faults. */
export class Fixture {
  readonly faults: FaultInjector;
  private readonly foreignBefore: string;

  private constructor(
    readonly scenario: Scenario,
    readonly sandbox: Sandbox,
    readonly workspace: Workspace,
  ) {
    this.faults = new FaultInjector(sandbox);
    this.foreignBefore = foreignOf(sandbox.world);
  }

  static async of(
    scenario: Scenario,
    { variants = [], quick = true, seed = {} }: FixtureOptions = {},
  ): Promise<Fixture> {
    const sandbox = await startSandbox({ seed: { ...defaultSeed(), ...foreign, ...seed }, variants });
    const workspace = new Workspace({ 'roster.yaml': scenario.before ?? scenario.manifest }, sandbox);
    Object.assign(workspace.env, environment);
    if (quick) workspace.sleep = () => new Promise((done) => setImmediate(done));
    const fixture = new Fixture(scenario, sandbox, workspace);
    if (scenario.before !== null) {
      const ran = await workspace.apply();
      if (ran.exit !== 0)
        throw new Error(`the manifest of before does not apply:\n${ran.stdout}${ran.stderr}`);
      workspace.write('roster.yaml', scenario.manifest);
    }
    sandbox.requests.length = 0;
    return fixture;
  }

  /** Replaces the faults. Counting of requests starts again. */
  inject(...faults: AnyFault[]): void {
    this.faults.inject(...faults);
  }

  apply(flags: Parameters<Workspace['apply']>[0] = {}): Promise<Ran> {
    return this.workspace.apply(flags);
  }

  /** The file system fault of the next commands; null for none. */
  fsFault: FsFault | null = null;

  /** Runs a command: as a process where a fault kills it or is preloaded, otherwise in this process, which is much faster. */
  async command(...args: string[]): Promise<Ended> {
    if (this.fsFault !== null || this.faults.needProcess) return this.process(...args);
    return { ...(await this.workspace.command(args)), signal: null };
  }

  process(...args: string[]): Promise<Ended> {
    const faults = this.fsFault === null ? {} : fsFaults(this.workspace.root, this.fsFault);
    return this.processWith(faults, ...args);
  }

  /** Runs the built command, with further environment variables. Those of a file system fault also preload it. */
  processWith(more: Readonly<Record<string, string>>, ...args: string[]): Promise<Ended> {
    const { root: cwd, env } = this.workspace;
    const loaded = 'FS_FAULTS' in more ? { preload } : {};
    const started = start(args, { cwd, env: { ...env, ...more }, ...loaded });
    this.faults.targetPid = started.pid;
    return started.ended;
  }

  posts(): string[] {
    return this.writes().filter((each) => each.startsWith('POST'));
  }

  /** The requests that can change something, as `METHOD path`. */
  writes(): string[] {
    return writesTo(this.sandbox);
  }

  /** Every declared object exists exactly once, and no other object was changed. */
  async expectDesired(): Promise<void> {
    expect(shapeOf(this.sandbox.world)).toEqual(await desiredOf(this.scenario));
    expect(foreignOf(this.sandbox.world)).toEqual(this.foreignBefore);
  }

  async expectNothingLeft(): Promise<void> {
    const plan = await this.workspace.plan({ detailedExitcode: true });
    expect([plan.exit, plan.stdout]).toEqual([0, expect.stringContaining('No changes.')]);
  }

  /** Saves the state of the service and the project; returns a function that restores it. */
  checkpoint(): () => void {
    const { world } = this.sandbox;
    const { root } = this.workspace;
    const before = structuredClone(world);
    const copy = mkdtempSync(join(tmpdir(), 'roster-checkpoint-'));
    cpSync(root, copy, { recursive: true });
    this.checkpoints.push(copy);
    return () => {
      Object.assign(world, structuredClone(before));
      for (const name of readdirSync(root)) rmSync(join(root, name), { recursive: true });
      cpSync(copy, root, { recursive: true });
    };
  }

  private readonly checkpoints: string[] = [];

  async close(): Promise<void> {
    for (const folder of this.checkpoints) rmSync(folder, { recursive: true });
    await this.sandbox.close();
  }
}

export function writesTo({ requests }: Sandbox): string[] {
  return requests
    .filter(({ method, path }) => method !== 'GET' && !path.startsWith('/api/schedules/preview'))
    .map(({ method, path }) => `${method} ${path}`);
}

/** Everything that a request can change, except when a key was last used. */
export function stateOf({ world: { groups, pipelines, schedules, keys } }: Sandbox): string {
  const allKeys = [...keys.values()].map(({ lastUsedDate: _used, ...key }) => key);
  return JSON.stringify([[...groups], [...pipelines], [...schedules], allKeys]);
}

/** Runs `work` with a fixture and closes it. */
export async function withFixture<T>(
  scenario: Scenario,
  work: (fixture: Fixture) => Promise<T>,
  options?: FixtureOptions,
): Promise<T> {
  const fixture = await Fixture.of(scenario, options);
  try {
    return await work(fixture);
  } finally {
    await fixture.close();
  }
}

const desired = new Map<string, Promise<{ shape: readonly string[]; trace: readonly string[] }>>();

/** The objects after an apply without faults, and the requests that it sends. */
function faultless(scenario: Scenario) {
  const known =
    desired.get(scenario.name) ??
    withFixture(scenario, async (fixture) => {
      const ran = await fixture.apply();
      if (ran.exit !== 0) throw new Error(`${scenario.name} does not apply:\n${ran.stdout}${ran.stderr}`);
      const trace = fixture.sandbox.requests.map(({ method, path }) => `${method} ${path}`);
      return { shape: shapeOf(fixture.sandbox.world), trace };
    });
  desired.set(scenario.name, known);
  return known;
}

export const desiredOf = async (scenario: Scenario) => (await faultless(scenario)).shape;

export const traceOf = async (scenario: Scenario) => (await faultless(scenario)).trace;

export const requestsOf = async (scenario: Scenario) => (await traceOf(scenario)).length;

/** All objects of the service without ids, so that worlds with different histories can be compared. */
export function shapeOf(world: World): string[] {
  const agent = (id: string) => world.agents.get(id.toLowerCase())?.externalAgentId ?? `no agent ${id}`;
  const named = (records: World['groups'], id: string) => records.get(id.toLowerCase())?.name ?? 'nothing';
  const collections = (kind: string, records: World['groups'], sorted: boolean) =>
    [...records.values()].map(({ name, description, isActive, agentIds }) => {
      const agents = agentIds.map(agent);
      return `${kind} ${JSON.stringify({ name, description, isActive, agents: sorted ? agents.sort() : agents })}`;
    });
  const schedules = [...world.schedules.values()].map((each) => {
    const {
      id: _id,
      isRunning: _running,
      lastRunTime: _time,
      lastJobStatusName: _status,
      lastJobId: _job,
      ...rest
    } = each;
    const target = {
      Agent: agent(rest.targetId),
      Group: named(world.groups, rest.targetId),
      Pipeline: named(world.pipelines, rest.targetId),
    }[rest.targetType];
    return `schedule ${JSON.stringify({ ...rest, targetId: target })}`;
  });
  const keys = [...world.keys.values()]
    .filter((each) => !each.isRevoked)
    .map(({ name, scopes }) => `key ${JSON.stringify({ name, scopes })}`);
  return [
    ...collections('group', world.groups, true),
    ...collections('pipeline', world.pipelines, false),
    ...schedules,
    ...keys,
  ].sort();
}

/** The objects that are not the project's, with their ids. */
function foreignOf(world: World): string {
  const news = [...world.agents.values()].find((each) => each.externalAgentId === 'wayne-news')?.id;
  const groups = [...world.groups.values()].filter(({ name }) => /^(Foreign|Of the)/.test(name));
  const pipelines = [...world.pipelines.values()].filter(({ name }) => name.startsWith('Foreign'));
  const schedules = [...world.schedules.values()].filter(({ targetId }) => targetId === news);
  return JSON.stringify([groups, pipelines, schedules]);
}
