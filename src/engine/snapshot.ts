import { kinds } from '../kinds/index.js';
import { type Diagnostic, hasErrors, Problem } from '../model/diagnostic.js';
import type { Observed } from '../model/resource.js';
import type { Match } from '../reconcile/match/match.js';
import { RecordedObjects } from '../reconcile/match/recorded-objects.js';
import type { Reconciled } from '../reconcile/plan.js';
import { secretPlaces } from '../reconcile/secret-values.js';
import { snapshotText } from '../snapshot/print.js';
import { type SecretFields, snapshotJson } from '../snapshot/save.js';
import type { SnapshotJson } from '../snapshot/snapshot-json.js';
import { timeZoneData } from '../timing/zone.js';
import { objectionDiagnostic, observeAndPlan } from './plan.js';
import type { ReadSession } from './session.js';
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
export async function snapshot(session: ReadSession): Promise<TakenSnapshot> {
  const { project, service, warnings } = session;
  const takenAt = session.clock.now();
  const { state, inventory, reconciled } = await observeAndPlan(session, {
    everything: true,
    isForView: true,
  });
  const diagnostics = [...warnings, ...reconciled.diagnostics];
  const usesEnvironment = project.entries.some(({ templates }) => Object.keys(templates).length > 0);
  const doubts = misdescribed(reconciled);
  if ((hasErrors(diagnostics) || doubts.length > 0) && usesEnvironment)
    throw new Problem([...diagnostics, ...doubts]);
  const secrets = secretFields(reconciled);
  const recorded = new RecordedObjects(inventory);
  const taken = snapshotJson({
    ...state,
    project: project.name,
    environment: project.environment,
    service,
    roster: version,
    takenAt,
    timeZoneData: timeZoneData(),
    kinds,
    inventory,
    inventoryPlace: project.inventory,
    secretsOf: (observed) => secrets.get(observed) ?? {},
    isRecorded: (observed) => recorded.of(observed) !== null,
  });
  return { snapshot: taken, text: snapshotText(taken), warnings };
}

/** Which object holds the values of such an entry is not certain. */
function misdescribed({ plan, matches }: Reconciled): Diagnostic[] {
  const doubtful = new Set(
    matches.flatMap((each) => (each.misdescribed && each.entry !== null ? [each.address] : [])),
  );
  return (plan?.objections ?? [])
    .filter(({ code, address }) => code === 'inventory-mismatch' && address !== null && doubtful.has(address))
    .map(objectionDiagnostic);
}

function secretFields({ matches }: Reconciled): ReadonlyMap<Observed, SecretFields> {
  const fields = new Map<Observed, SecretFields>();
  for (const match of matches) if (match.observed !== null) fields.set(match.observed, secretsOf(match));
  return fields;
}

function secretsOf(match: Match): SecretFields {
  const places = Object.keys(match.kind.fields).map((field) => [field, secretPlaces(match, field)] as const);
  return Object.fromEntries(
    places.flatMap(([field, found]) =>
      found === undefined ? [] : [[field, [found.declared, found.applied]]],
    ),
  );
}
