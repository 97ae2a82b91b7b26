import { resolve } from 'node:path';
import { readRegular } from '../inventory/atomic.js';
import { kinds } from '../kinds/index.js';
import { type Diagnostic, Problem, problem } from '../model/diagnostic.js';
import type { Inventory } from '../model/inventory.js';
import type { JsonObject } from '../model/json.js';
import type { SnapshotAge } from '../model/plan.js';
import type { KindName, Project } from '../model/resource.js';
import type { Reconciled } from '../reconcile/plan.js';
import { withNextRuns } from '../reconcile/starts/next-runs.js';
import { invalid, openSnapshot, parseSnapshot } from '../snapshot/open.js';
import type { SnapshotJson } from '../snapshot/snapshot-json.js';
import { inFileOrder } from './file-order.js';
import { load } from './load.js';
import type { Output } from './output.js';
import { openStore, type PlanOptions, reconcileWith, serviceIfSet, serviceName } from './session.js';
import { choosePrune, type Host, type PlanFlags, usage } from './settings.js';

/** An older one is warned of. */
const oldSeconds = 86_400;
/** Of entries whose values are withheld. */
const mostNamed = 5;

export interface Planned {
  readonly reconciled: Reconciled;
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * `plan --snapshot FILE`: the plan for a saved state. Asks nobody, and needs neither a key nor a URL. The file may come
 * from anybody: it decides what the plan shows, and nothing can be applied from it.
 */
export async function planFromSnapshot(
  file: string,
  flags: PlanFlags,
  host: Host,
  output: Output,
  options: Pick<PlanOptions, 'allow' | 'selectors'>,
): Promise<Planned> {
  if (flags.out !== undefined) throw new Problem(noPlanToApply);
  const { project: loaded, diagnostics: warnings } = load(flags, host, output);
  if (loaded === null) throw new Problem(warnings);
  const project = { ...loaded, prune: choosePrune(flags, loaded.prune) };
  const saved = parseSnapshot(readSnapshot(resolve(host.cwd, file), file), file, kinds);
  checkSubject(saved, project, serviceIfSet(flags, host, project), file);
  const known = [...declaredValues(project), ...appliedValues(await nearInventory(project, host))];
  const { inventory, takenAt, ...state } = openSnapshot(saved, kinds, known);
  const now = host.now?.() ?? new Date();
  const age = ageOf(takenAt, now);
  const { service } = saved;
  const made = reconcileWith(
    { project, service, state, inventory, now },
    { ...options, proveDeliveries: false },
  );
  const notes = [...oldSnapshot(age, takenAt, now), ...notInSnapshot(made)];
  if (made.plan === null)
    return { reconciled: made, diagnostics: inFileOrder(loaded, warnings, made.diagnostics) };
  const { plan, diagnostics } = withNextRuns(made.plan, made.matches, [], now);
  return {
    reconciled: { ...made, plan: { ...plan, snapshot: age } },
    diagnostics: inFileOrder(loaded, warnings, made.diagnostics, diagnostics, notes),
  };
}

const noPlanToApply = usage(
  '--out saves a plan for apply, which plans against the service: it does not go with --snapshot',
  'Use `--write json=FILE` for a copy of what is shown.',
);

function readSnapshot(path: string, file: string): string {
  const text = readRegular(path, `the snapshot ${file}`);
  if (text !== null) return text;
  throw problem(
    'unreadable-file',
    `there is no snapshot ${file}`,
    'Take one with `roster snapshot --out FILE`.',
  );
}

/** Of another project, environment or service it would say nothing about this one. */
function checkSubject(saved: SnapshotJson, project: Project, url: URL | null, file: string): void {
  const inWords = (name: string, environment: string | null) =>
    environment === null ? `project "${name}"` : `project "${name}", environment "${environment}"`;
  const [its, ours] = [inWords(saved.project, saved.environment), inWords(project.name, project.environment)];
  if (its !== ours) throw invalid(file, `it is of ${its}, this is ${ours}`);
  const service = url === null ? saved.service : serviceName(url);
  if (service !== saved.service)
    throw invalid(file, `it is of the service ${saved.service}, this is ${service}`);
}

/** An inventory in a file is at hand without a network. It serves to know values again; what is owned, the snapshot says. */
async function nearInventory(project: Project, { env }: Host): Promise<Inventory | null> {
  return 'file' in project.inventory ? openStore(project, env).load() : null;
}

/** What comes from the environment is not among them: nothing may be told to be equal to it. */
function declaredValues({ entries }: Project): (readonly [KindName, JsonObject])[] {
  return entries.map(({ kind, declared, sensitive }) => {
    const fields = Object.entries(declared as JsonObject).filter(([field]) => !sensitive.includes(field));
    return [kind, Object.fromEntries(fields)];
  });
}

function appliedValues(inventory: Inventory | null): (readonly [KindName, JsonObject])[] {
  return [...(inventory?.entries.values() ?? [])].map(({ kind, applied }) => [kind, applied]);
}

function ageOf(takenAt: Date, now: Date): SnapshotAge {
  const ageSeconds = Math.max(0, Math.floor((now.getTime() - takenAt.getTime()) / 1000));
  return { takenAt: takenAt.toISOString(), ageSeconds };
}

function oldSnapshot({ ageSeconds }: SnapshotAge, takenAt: Date, now: Date): Diagnostic[] {
  const future = takenAt > now;
  if (ageSeconds <= oldSeconds && !future) return [];
  const message = future
    ? 'the snapshot has a time to come: how old it is cannot be told'
    : 'the snapshot is more than a day old: the service may have changed since';
  const help = 'Take a new one with `roster snapshot --out FILE`.';
  return [{ severity: 'warning', code: 'old-snapshot', message, help }];
}

/** That something is taken to be unchanged must be seen, even where nothing else is. */
function notInSnapshot({ matches }: Reconciled): Diagnostic[] {
  const unseen = matches.flatMap(({ address, entry, observed }) =>
    entry === null ? [] : (observed?.withheld ?? []).map((field) => `\`${field}\` of ${address}`),
  );
  if (unseen.length === 0) return [];
  const named = unseen.slice(0, mostNamed).join(', ');
  const more = unseen.length > mostNamed ? ` and ${unseen.length - mostNamed} more` : '';
  const message = `the snapshot does not hold what comes from the environment: ${named}${more} cannot be compared: taken to be unchanged`;
  const help = 'A plan with a key compares them.';
  return [{ severity: 'warning', code: 'not-in-snapshot', message, help }];
}
