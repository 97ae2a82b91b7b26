import { copyFileSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { defaultSeed, type Sandbox } from '../../../src/sandbox/index.js';
import { type Ran, Workspace } from '../../support/roster.js';
import { startSandbox } from '../../support/sandbox.js';
import { shapeOf } from './fixture.js';
import { environment, foreign, type Scenario } from './scenarios.js';

export type Side = 'A' | 'B';
const sides = ['A', 'B'] as const;
const keyOf = (side: Side) => `svc_live_runner_${side}_0000000000000000`;

/** Two checkouts of a project on two machines, each with its own inventory file and API key. */
export class TwoRuns {
  private constructor(
    readonly sandbox: Sandbox,
    readonly workspaces: Readonly<Record<Side, Workspace>>,
  ) {}

  /** `manifests` may differ, as on two branches. */
  static async of(scenario: Scenario, manifests: Readonly<Record<Side, string>>): Promise<TwoRuns> {
    const keys = sides.map((side) => ({ name: side, key: keyOf(side), scopes: [] }));
    const sandbox = await startSandbox({ seed: { ...defaultSeed(), ...foreign, keys } });
    const made = (side: Side) => {
      const workspace = new Workspace(
        { 'roster.yaml': scenario.before ?? manifests[side] },
        { url: sandbox.url, apiKey: keyOf(side) },
      );
      Object.assign(workspace.env, environment);
      workspace.sleep = () => new Promise((done) => setImmediate(done));
      return workspace;
    };
    const workspaces = { A: made('A'), B: made('B') };
    if (scenario.before !== null) {
      expect((await workspaces.A.apply()).exit).toBe(0);
      copyInventory(workspaces.A, workspaces.B);
    }
    for (const side of sides) workspaces[side].write('roster.yaml', manifests[side]);
    return new TwoRuns(sandbox, workspaces);
  }

  /** Applies on both sides. `next` chooses the side whose waiting request continues; the other side if it has none. */
  async interleaved(
    gated: (path: string) => boolean,
    next: () => Side,
  ): Promise<Readonly<Record<Side, Ran>>> {
    const waiting: Record<Side, (() => Promise<void>)[]> = { A: [], B: [] };
    this.sandbox.faults.intercept = ({ path, apiKey }, handle) => {
      if (!gated(path)) return handle();
      const side = apiKey === keyOf('A') ? 'A' : 'B';
      return new Promise((done, failed) => {
        waiting[side].push(() => handle().then(done, failed));
      });
    };
    const ended: Partial<Record<Side, Ran>> = {};
    const running = sides.map(async (side) => {
      ended[side] = await this.workspaces[side].apply();
    });
    for (let side = next(); ended.A === undefined || ended.B === undefined; side = next()) {
      const chosen = ended[side] === undefined ? side : other(side);
      while (waiting[chosen].length === 0 && ended[chosen] === undefined) await turn();
      await waiting[chosen].shift()?.();
    }
    await Promise.all(running);
    this.sandbox.faults.intercept = null;
    return { A: ended.A, B: ended.B };
  }

  /** If both runs succeed, they have converged; one more run converges, too, or reports the duplicates. */
  async expectConverged(
    exits: Readonly<Record<Side, number | null>>,
    expected: readonly (readonly string[])[],
  ): Promise<void> {
    const oneOf = expected.map((shape) => [...shape].sort());
    if (exits.A === 0 && exits.B === 0) expect(oneOf).toContainEqual(shapeOf(this.sandbox.world));
    const { exit, stdout, stderr } = await this.workspaces.A.apply();
    const output = stdout + stderr;
    if (exit === 0 && !output.includes('duplicate-object'))
      expect(oneOf).toContainEqual(shapeOf(this.sandbox.world));
    else expect(output).toMatch(/[0-9a-f]{8}-[0-9a-f]{4}-/);
  }

  async close(): Promise<void> {
    await this.sandbox.close();
  }
}

export async function withTwo<T>(
  scenario: Scenario,
  manifests: Readonly<Record<Side, string>>,
  work: (two: TwoRuns) => Promise<T>,
): Promise<T> {
  const two = await TwoRuns.of(scenario, manifests);
  try {
    return await work(two);
  } finally {
    await two.close();
  }
}

/** The objects after a single run. */
export function shapeOfOne(scenario: Scenario, manifest: string): Promise<string[]> {
  return withTwo(scenario, { A: manifest, B: manifest }, async ({ workspaces, sandbox }) => {
    const { exit, stdout, stderr } = await workspaces.A.apply();
    if (exit !== 0) throw new Error(stdout + stderr);
    return shapeOf(sandbox.world);
  });
}

function copyInventory(from: Workspace, to: Workspace): void {
  const name = 'roster.inventory.json';
  if (existsSync(join(from.root, name))) copyFileSync(join(from.root, name), join(to.root, name));
}

const other = (side: Side): Side => (side === 'A' ? 'B' : 'A');
const turn = () => new Promise((done) => setImmediate(done));
