import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import {
  defaultSeed,
  type Fault,
  type Sandbox,
  type Seed,
  startSandbox,
  type Variant,
  type World,
} from '../../../src/sandbox/index.js';
import { type Ended, start } from '../../support/program.js';
import { type Ran, Workspace } from '../../support/roster.js';
import { type FsFault, fsFaults, preload } from './fs-faults.js';
import { foreign, type Scenario } from './scenarios.js';

export interface SceneOptions {
  readonly variants?: readonly Variant[];
  /** Waits between looks and retries take no time. Default true. */
  readonly quick?: boolean;
  /** What the service holds and knows beside. */
  readonly seed?: Seed;
}

/** A service and a project on it, ready for the run that faults are to meet. */
export class Scene {
  private readonly untouched: string;

  private constructor(
    readonly scenario: Scenario,
    readonly sandbox: Sandbox,
    readonly workspace: Workspace,
  ) {
    this.untouched = foreignOf(sandbox.world);
  }

  static async of(
    scenario: Scenario,
    { variants = [], quick = true, seed = {} }: SceneOptions = {},
  ): Promise<Scene> {
    const sandbox = await startSandbox({ seed: { ...defaultSeed(), ...foreign, ...seed }, variants });
    const workspace = new Workspace({ 'roster.yaml': scenario.before ?? scenario.manifest }, sandbox);
    if (quick) workspace.sleep = () => new Promise((done) => setImmediate(done));
    const scene = new Scene(scenario, sandbox, workspace);
    if (scenario.before !== null) {
      const ran = await workspace.apply();
      if (ran.exit !== 0) throw new Error(`what comes before does not apply:\n${ran.stdout}${ran.stderr}`);
      workspace.write('roster.yaml', scenario.manifest);
    }
    sandbox.requests.length = 0;
    return scene;
  }

  /** For each request from now on; counting begins anew. */
  fault(...faults: Fault[]): void {
    this.sandbox.faults.faults = faults;
  }

  apply(flags: Parameters<Workspace['apply']>[0] = {}): Promise<Ran> {
    return this.workspace.apply(flags);
  }

  /** What goes wrong with the files of the processes from now on; null for nothing. */
  fsFault: FsFault | null = null;

  /** The built command as a process, which the faults may kill. */
  process(...args: string[]): Promise<Ended> {
    const faults = this.fsFault === null ? {} : fsFaults(this.workspace.root, this.fsFault);
    return this.processWith(faults, ...args);
  }

  /** With further variables. Those of a fault with files bring its preload along. */
  processWith(more: Readonly<Record<string, string>>, ...args: string[]): Promise<Ended> {
    const { root: cwd, env } = this.workspace;
    const loaded = 'FS_FAULTS' in more ? { preload } : {};
    const started = start(args, { cwd, env: { ...env, ...more }, ...loaded });
    this.sandbox.faults.targetPid = started.pid;
    return started.ended;
  }

  posts(): string[] {
    return this.writes().filter((each) => each.startsWith('POST'));
  }

  /** What could change something, as `METHOD path`. */
  writes(): string[] {
    return writesTo(this.sandbox);
  }

  /** The oracle: all that was wanted is there, once, and nothing else was touched. */
  async expectDesired(): Promise<void> {
    expect(shapeOf(this.sandbox.world)).toEqual(await desiredOf(this.scenario));
    expect(foreignOf(this.sandbox.world)).toEqual(this.untouched);
  }

  async expectNothingLeft(): Promise<void> {
    const plan = await this.workspace.plan({ detailedExitcode: true });
    expect([plan.exit, plan.stdout]).toEqual([0, expect.stringContaining('No changes.')]);
  }

  /** Keeps the service and the project as they are now; what it answers brings them back to that. */
  keep(): () => void {
    const { world } = this.sandbox;
    const { root } = this.workspace;
    const before = structuredClone(world);
    const aside = mkdtempSync(join(tmpdir(), 'roster-kept-'));
    cpSync(root, aside, { recursive: true });
    this.kept.push(aside);
    return () => {
      Object.assign(world, structuredClone(before));
      for (const name of readdirSync(root)) rmSync(join(root, name), { recursive: true });
      cpSync(aside, root, { recursive: true });
    };
  }

  private readonly kept: string[] = [];

  async close(): Promise<void> {
    for (const folder of this.kept) rmSync(folder, { recursive: true });
    this.workspace.remove();
    await this.sandbox.close();
  }
}

export function writesTo({ requests }: Sandbox): string[] {
  return requests
    .filter(({ method, path }) => method !== 'GET' && !path.startsWith('/api/schedules/preview'))
    .map(({ method, path }) => `${method} ${path}`);
}

/** All that a request could change but the time at which a key was used. */
export function stateOf({ world: { groups, pipelines, schedules, keys } }: Sandbox): string {
  const powers = [...keys.values()].map(({ lastUsedDate: _used, ...key }) => key);
  return JSON.stringify([[...groups], [...pipelines], [...schedules], powers]);
}

/** A scene for the time that `work` takes. */
export async function within<T>(
  scenario: Scenario,
  work: (scene: Scene) => Promise<T>,
  options?: SceneOptions,
): Promise<T> {
  const scene = await Scene.of(scenario, options);
  try {
    return await work(scene);
  } finally {
    await scene.close();
  }
}

const desired = new Map<string, Promise<{ shape: readonly string[]; trace: readonly string[] }>>();

/** What an apply without faults makes of a scenario, and the requests that it sends. */
function faultless(scenario: Scenario) {
  const known =
    desired.get(scenario.name) ??
    within(scenario, async (scene) => {
      const ran = await scene.apply();
      if (ran.exit !== 0) throw new Error(`${scenario.name} does not apply:\n${ran.stdout}${ran.stderr}`);
      const trace = scene.sandbox.requests.map(({ method, path }) => `${method} ${path}`);
      return { shape: shapeOf(scene.sandbox.world), trace };
    });
  desired.set(scenario.name, known);
  return known;
}

export const desiredOf = async (scenario: Scenario) => (await faultless(scenario)).shape;

export const traceOf = async (scenario: Scenario) => (await faultless(scenario)).trace;

export const requestsOf = async (scenario: Scenario) => (await traceOf(scenario)).length;

/** Everything on the service without ids, so that worlds that came about in different ways can be compared. */
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

/** Byte for byte, with ids. */
function foreignOf(world: World): string {
  const news = [...world.agents.values()].find((each) => each.externalAgentId === 'wayne-news')?.id;
  const groups = [...world.groups.values()].filter(({ name }) => /^(Foreign|Of the)/.test(name));
  const pipelines = [...world.pipelines.values()].filter(({ name }) => name.startsWith('Foreign'));
  const schedules = [...world.schedules.values()].filter(({ targetId }) => targetId === news);
  return JSON.stringify([groups, pipelines, schedules]);
}
