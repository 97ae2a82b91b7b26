import { kinds } from '../kinds/index.js';
import { type Diagnostic, hasErrors, Problem, problem } from '../model/diagnostic.js';
import type { Address, Observed } from '../model/resource.js';
import { isSensitive } from '../reconcile/field-change.js';
import type { Reconciled } from '../reconcile/plan.js';
import { snapshotText } from '../snapshot/print.js';
import { snapshotJson } from '../snapshot/save.js';
import type { SnapshotJson } from '../snapshot/snapshot-json.js';
import { observeAndPlan } from './plan.js';
import type { Session } from './session.js';
import { version } from './version.js';

export interface TakenSnapshot {
  readonly snapshot: SnapshotJson;
  /** The text of its file. */
  readonly text: string;
  readonly warnings: readonly Diagnostic[];
}

/**
 * The observed state without secrets, for those who have no API key. Sends reads only. It plans as well, to know which
 * objects hold values from the environment: an entry with an error is matched with no object, so an error ends it where
 * there are such values. Throws a Problem.
 */
export async function snapshot(session: Session): Promise<TakenSnapshot> {
  const { project, service, warnings } = session;
  const takenAt = session.clock.now();
  const { state, inventory, reconciled } = await observeAndPlan(session, { everything: true });
  const diagnostics = [...warnings, ...reconciled.diagnostics];
  if (hasErrors(diagnostics) && project.secrets.length > 0) throw new Problem(diagnostics);
  const withheld = withheldFields(reconciled, sensitiveExternals(session));
  const taken = snapshotJson({
    ...state,
    project: project.name,
    environment: project.environment,
    service,
    roster: version,
    takenAt,
    kinds,
    inventory,
    withheld: (observed) => withheld.get(observed) ?? [],
  });
  checkNames(taken, project.secrets);
  return { snapshot: taken, text: snapshotText(taken), warnings };
}

function withheldFields(
  { matches, externals }: Reconciled,
  sensitiveIn: (address: Address) => readonly string[],
): ReadonlyMap<Observed, readonly string[]> {
  const fields = new Map<Observed, readonly string[]>();
  for (const match of matches) {
    const sensitive = Object.keys(match.kind.fields).filter((field) => isSensitive(match, field));
    if (match.observed !== null && sensitive.length > 0) fields.set(match.observed, sensitive);
  }
  for (const [address, observed] of externals) fields.set(observed, sensitiveIn(address));
  return fields;
}

/** External objects have no match: their entries declare a name at most. */
function sensitiveExternals({ project }: Session): (address: Address) => readonly string[] {
  const entries = new Map(project.entries.map((entry) => [entry.address, entry.sensitive]));
  return (address) => (entries.get(address)?.includes('name') ? ['name'] : []);
}

/** Shorter values occur in every address. */
const shortestPart = 4;

/** Agents and the service are saved by name, because nothing could be planned without: no such name may be secret. */
function checkNames({ agents, service }: SnapshotJson, secrets: readonly string[]): void {
  const names = new Set(agents.flatMap(({ id, externalAgentId, name }) => [id, externalAgentId, name]));
  const isNamed = (secret: string) =>
    names.has(secret) || (secret.length >= shortestPart && service.includes(secret));
  if (!secrets.some(isNamed)) return;
  const message = 'the name of an agent or of the service is a value from the environment';
  throw problem(
    'invalid-snapshot',
    message,
    'Write the name in the manifest instead of an environment variable: snapshots contain it in plain text.',
  );
}
