import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Fault } from '../../src/sandbox/faults.js';
import type { Seed } from '../../src/sandbox/index.js';
import { jsonOf } from './json.js';
import { type Ran, Workspace } from './roster.js';
import { startSandbox, type VariantOptions } from './sandbox.js';

const OLD = { seconds: 5, records: 4 };

/** Agents with datasets of several ages, a group of three of them, and somebody else's dataset that is shared. */
export const DATA_SEED: Seed = {
  agents: [
    { externalAgentId: 'acme-shop', name: 'The acme-shop', outcomes: [{ seconds: 5, records: 30 }] },
    { externalAgentId: 'globex', name: 'The globex', format: 'json', outcomes: [{ seconds: 5, records: 3 }] },
    { externalAgentId: 'initech', name: 'The initech', sessions: 2, outcomes: [{ seconds: 5, records: 2 }] },
    { externalAgentId: 'unpaid', name: 'The unpaid', unpaid: true },
    { externalAgentId: 'umbrella', name: 'The umbrella' },
  ],
  groups: [{ name: 'Shops', members: ['acme-shop', 'globex', 'initech'] }],
  history: [
    ...['100d', '95d', '92d', '40d', '3d', '1d'].map((ago) => ({ agent: 'acme-shop', ago, outcome: OLD })),
    { agent: 'globex', ago: '2d' },
    { agent: 'initech', ago: '2h' },
    { agent: 'unpaid', ago: '1h' },
  ],
  settings: { retentionDays: 120 },
};

const PROJECT = `project: data
groups:
  shops: { external: true, name: Shops }
`;

/** A service with datasets, and a project that refers to a group of their agents. */
export async function dataWorld(seed: Seed = DATA_SEED, options: VariantOptions = {}) {
  const now = new Date('2026-12-01T06:00:00Z');
  const sandbox = await startSandbox({ seed, speed: 0, now, keepRequests: 500, ...options });
  const workspace = new Workspace({ 'roster.yaml': PROJECT }, sandbox);
  workspace.now = () => now;
  workspace.sleep = async (milliseconds) => sandbox.advance(milliseconds);
  const run = (...words: string[]): Promise<Ran> => workspace.command(words);
  return {
    sandbox,
    workspace,
    run,
    async json(...words: string[]) {
      const ran = await run(...words, '--format', 'json');
      const content = jsonOf(ran);
      const codes: string[] = (content.diagnostics ?? []).map(({ code }: { code: string }) => code);
      return { ...ran, ...content, codes };
    },
    /** What happens to the requests from now on. */
    fail(...faults: Fault[]) {
      sandbox.faults.faults = faults;
    },
    files: (folder = 'out') => readdirSync(join(workspace.root, folder)).sort(),
    async ids(address: string): Promise<string[]> {
      const { datasets } = jsonOf(await run('data', address, '--format', 'json'));
      return datasets.map(({ id }: { id: string }) => id);
    },
    async close() {
      await sandbox.close();
    },
  };
}

export type DataWorld = Awaited<ReturnType<typeof dataWorld>>;
