import { kinds } from '../../../src/kinds/index.js';
import { loadProject } from '../../../src/manifest/load.js';
import { suggest } from '../../../src/manifest/suggest.js';
import { compare, plan as planFor } from '../../../src/reconcile/plan.js';
import { agentLookup } from '../../../src/reconcile/references.js';
import { defaultSeed, type Sandbox, type SeedSchedule } from '../../../src/sandbox/index.js';
import { Workspace } from '../../support/roster.js';
import { startSandbox, type Variant } from '../../support/sandbox.js';
import { basisWith } from '../../support/small-world.js';
import { worldAgents } from '../../support/worlds.js';

/** Projects with schedules, for tests of their times. */

export const numbers = (count: number) => Array.from({ length: count }, (_, index) => index);

export interface Line {
  readonly zone: string;
  readonly time: string;
  readonly field: 'startTime' | 'once';
}

/** Without quotes, because YAML must keep a time as text. Entry `s7` runs every 8 minutes, or once. */
export function manifest(list: readonly Line[], more = ''): string {
  const entries = list.map(({ zone, time, field }, nth) => {
    const timing = field === 'once' ? `once: ${time}` : `every: ${nth + 1} minutes, startTime: ${time}`;
    return `  s${nth}: { target: agent/acme-shop, ${timing}, timeZone: ${zone}${more} }\n`;
  });
  return `project: clocks\nlimits: { startsPerMinute: 100000 }\nschedules:\n${entries.join('')}`;
}

/** Plans offline for an empty service. */
export function planOf(text: string, now: Date) {
  const workspace = new Workspace({ 'roster.yaml': text }, { url: '', apiKey: '' });
  const { project, diagnostics } = loadProject({ cwd: workspace.root, environment: null, env: {}, kinds });
  if (project === null) throw new Error(JSON.stringify(diagnostics));
  const agents = agentLookup(worldAgents, suggest);
  const { plan } = planFor(compare(basisWith({ project, agents, now })));
  return { plan, diagnostics };
}

/** Runs `work` with a project and a new service. */
export async function onService(
  { schedules, variants = [] }: { schedules: SeedSchedule[]; variants?: readonly Variant[] },
  text: string,
  work: (sandbox: Sandbox, workspace: Workspace) => Promise<void>,
): Promise<void> {
  const sandbox = await startSandbox({ seed: { ...defaultSeed(), schedules }, variants });
  const workspace = new Workspace({ 'roster.yaml': text }, sandbox);
  try {
    await work(sandbox, workspace);
  } finally {
    await sandbox.close();
  }
}
