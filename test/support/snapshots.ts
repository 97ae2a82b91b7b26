import type { PlanFlags } from '../../src/cli/plan.js';
import type { Sandbox } from '../../src/sandbox/index.js';
import type { PlanJson } from '../../src/view/json/plan-json.js';
import { jsonOf } from './json.js';
import type { Ran, Workspace } from './roster.js';

/** The output of a plan without what may differ: previews of the service, when a key was last used, hidden values. */
function reviewed({ exit, stdout }: Pick<Ran, 'exit' | 'stdout'>) {
  const { changes, diagnostics, digest, summary, unmanaged } = jsonOf<Partial<PlanJson>>({ stdout });
  return {
    exit,
    digest,
    summary,
    unmanaged,
    changes: changes?.map(({ nextRuns, risks, notes, fields, ...change }) => ({
      ...change,
      fields: fields.map(({ before, ...field }) => field),
      risks: change.kind === 'key' ? risks.map(({ code }) => code) : risks,
      notes: change.kind === 'key' ? notes.length : notes,
      pace: nextRuns?.pace,
    })),
    diagnostics: diagnostics?.filter(({ code }) => !['not-in-snapshot', 'old-snapshot'].includes(code)),
  };
}

/** A live plan, and a plan against a snapshot without key and URL; `requests` counts those of the second. */
export async function planBothWays(sandbox: Sandbox, workspace: Workspace, flags: PlanFlags) {
  const environment = flags.env === undefined ? [] : ['--env', flags.env];
  const taken = await workspace.command(['snapshot', ...environment, '--out', 'snapshot.json']);
  if (taken.exit !== 0) throw new Error(`no snapshot was taken: ${taken.stderr}`);
  return planAgain(sandbox, workspace, flags);
}

/** The same with the existing snapshot. */
export async function planAgain(sandbox: Sandbox, workspace: Workspace, flags: PlanFlags) {
  const live = await workspace.plan({ ...flags, format: 'json' });
  const { ROSTER_URL: _url, ROSTER_API_KEY: _key, ...without } = workspace.env;
  const before = { env: workspace.env, requests: sandbox.requests.length };
  workspace.env = without;
  const saved = await workspace.plan({ ...flags, format: 'json', snapshot: 'snapshot.json' });
  workspace.env = before.env;
  return {
    live: reviewed(live),
    saved: reviewed(saved),
    requests: sandbox.requests.length - before.requests,
  };
}
