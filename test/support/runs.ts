import type { Run } from '../../src/model/run.js';
import type { Seed } from '../../src/sandbox/index.js';
import { expectFits } from '../unit/schemas/schemas.js';
import { jsonOf } from './json.js';
import { type Ran, Workspace } from './roster.js';
import { startSandbox, type VariantOptions } from './sandbox.js';
import { Saves } from './saves.js';

export const AGENT_IDS = ['acme-shop', 'globex', 'initech', 'umbrella'] as const;

type Outcomes = NonNullable<NonNullable<Seed['agents']>[number]['outcomes']>;

/** Agents whose starts end as scripted; those of the others succeed after 8 seconds with 5 records. */
export function agentsWith(outcomes: Partial<Record<(typeof AGENT_IDS)[number], Outcomes>>): Seed {
  const agents = AGENT_IDS.map((externalAgentId) => ({
    externalAgentId,
    name: `The ${externalAgentId}`,
    inputParameters: [{ key: 'country', defaultValue: 'DE' }],
    outcomes: outcomes[externalAgentId] ?? [{ seconds: 8, records: 5 }],
  }));
  return { agents };
}

export const PROJECT = `project: runs
groups:
  shops: { members: [acme-shop, globex, initech] }
  spare: { members: [umbrella] }
pipelines:
  nightly: { stages: [acme-shop, globex, initech] }
schedules:
  agent: { target: agent/acme-shop, every: 6 hours, startTime: 2099-01-01T06:00:00, inputs: { country: FR } }
  group: { target: group/shops, every: 6 hours, startTime: 2099-01-01T06:00:00 }
  pipeline: { target: pipeline/nightly, every: 6 hours, startTime: 2099-01-01T06:00:00 }
keys: {}
`;

export interface RunsJson extends Ran {
  readonly runs: readonly Run[];
  readonly codes: readonly string[];
}

/** By the seed: most tests begin with the same. */
const saves = new Saves();

/** A service whose clock stands still but for what the commands sleep, and a project that is applied to it. */
export async function runWorld(seed: Seed = agentsWith({}), options: VariantOptions = {}) {
  const sandbox = await startSandbox({ seed, speed: 0, now: new Date('2026-12-01T06:00:00Z'), ...options });
  const workspace = new Workspace({ 'roster.yaml': PROJECT }, sandbox);
  let slept = 0;
  workspace.sleep = async (milliseconds) => {
    slept += milliseconds;
    sandbox.advance(milliseconds);
  };
  const apply = async () => {
    const applied = await workspace.apply({});
    if (applied.exit !== 0) throw new Error(applied.stderr);
  };
  if (Object.keys(options).length > 0) await apply();
  else await saves.begin(JSON.stringify(seed), sandbox, workspace, apply);
  sandbox.requests.length = 0;
  slept = 0;
  return {
    sandbox,
    workspace,
    get slept() {
      return slept;
    },
    run: (line: string) => workspace.command(line.split(' ')),
    async json(line: string): Promise<RunsJson> {
      const ran = await workspace.command([...line.split(' '), '--format', 'json']);
      const printed = jsonOf(ran);
      if (/^(?:run|wait) /.test(line) && 'runs' in printed) expectFits('runs.schema.json', printed);
      const { runs = [], diagnostics } = printed;
      return { ...ran, runs, codes: diagnostics.map(({ code }: { code: string }) => code) };
    },
    /** Requests that may start something. */
    get starts() {
      return sandbox.requests.filter(({ method, path }) => method === 'POST' && isStart(path)).length;
    },
    async close() {
      await sandbox.close();
    },
  };
}

export type RunWorld = Awaited<ReturnType<typeof runWorld>>;

function isStart(path: string): boolean {
  return /\/(start-job|run|retry)$/.test(path);
}
