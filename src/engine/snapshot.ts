import { resolve } from 'node:path';
import { readRegular } from '../files/atomic.js';
import { workTreeOpener } from '../inventory/work-tree.js';
import { kinds } from '../kinds/index.js';
import { type Diagnostic, errorsIn, problem } from '../model/diagnostic.js';
import { refusalError } from '../model/finding.js';
import { type Inventory, isSamePlace, placeLabel } from '../model/inventory.js';
import type { JsonObject } from '../model/json.js';
import { ruleOf } from '../model/kind.js';
import type { Plan, SnapshotAge } from '../model/plan.js';
import type { Declared, InventorySetting, KindName, Observed, Project } from '../model/resource.js';
import { UNKNOWN_TEMPLATE } from '../model/template.js';
import { count } from '../model/words.js';
import { compare } from '../reconcile/plan.js';
import { inventoryEntry, RecordedObjects } from '../reconcile/recorded.js';
import { inventoryRefusals, mayBePlanned } from '../reconcile/rules/index.js';
import { secretPlaces, withheldPaths } from '../reconcile/secret-values.js';
import { judgedBy } from '../reconcile/select.js';
import { type Comparison, type Match, nothingAsked } from '../reconcile/world.js';
import { Redactor } from '../redact/redactor.js';
import { invalid, openSnapshot, parseSnapshot, savedInventories } from '../snapshot/open.js';
import { type SecretFields, snapshotJson, snapshotText } from '../snapshot/save.js';
import type { SnapshotJson } from '../snapshot/snapshot-json.js';
import { timeZoneData } from '../timing/zone.js';
import { clockOf } from './clock.js';
import { toDestroy } from './destroy.js';
import { inFileOrder } from './diagnostics.js';
import { undeliverable } from './keys.js';
import { planBasis } from './lookup.js';
import { asWarning, mayLetGo, type Observation, observe, requireAccount } from './observe.js';
import { type PlanMade, type PlanOptions, planShown } from './plan.js';
import { checkPolicies } from './policies.js';
import { openProject } from './project.js';
import { selectionOf } from './selectors.js';
import { serviceIfSet, serviceName } from './service-choice.js';
import {
  checkoutReader,
  type LocalSession,
  once,
  openStore,
  type ReadSession,
  type SessionOptions,
} from './session.js';
import { siblingReader } from './siblings.js';
import { version } from './version.js';

export interface TakenSnapshot {
  readonly snapshot: SnapshotJson;
  readonly text: string;
  readonly warnings: readonly Diagnostic[];
}

export interface SnapshotOptions {
  /** Objects of the inventory that the service does not show were deleted: it is the same account. Default: false. */
  readonly allowAccountChange?: boolean | undefined;
}

/**
 * The observed state without secrets, for those who have no API key. Sends reads only. It compares as well, to know which
 * objects hold values from the environment. Of an entry with an error that is not certain, so everything is left out that
 * may be one: the snapshot is whole, and the errors are warnings here.
 * @throws Problem when the service cannot be read, or the inventory belongs to another service or user: every plan against
 *   the snapshot would be refused.
 */
export async function snapshot(
  session: ReadSession,
  { allowAccountChange = false }: SnapshotOptions = {},
): Promise<TakenSnapshot> {
  const { project, service, warnings } = session;
  const takenAt = session.clock.now();
  const observation = await observe(session, {
    everything: true,
    allow: { accountChange: allowAccountChange },
  });
  requireAccount(observation);
  const { state, inventory, comparison } = observation;
  const doubtful = doubtfulEntries(comparison);
  const withheld = withheldFor(doubtful.entries, observation);
  const secrets = secretFields(comparison);
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
    siblings: comparison.basis.siblings.known,
    secretsOf: (observed) => ({ ...secrets.get(observed), ...withheld.get(observed) }),
    isRecorded: (observed) => recorded.of(observed) !== null,
  });
  const told = inFileOrder(
    project,
    warnings,
    [...doubtful.diagnostics, ...(project.unread ?? [])].map(asWarning),
    leftOut(doubtful.entries, withheld),
  );
  return { snapshot: taken, text: snapshotText(taken), warnings: told };
}

/** Entries of which it is not certain which object is theirs: those with an error, and those that the inventory describes wrongly. */
function doubtfulEntries(comparison: Comparison): {
  readonly entries: readonly Declared[];
  readonly diagnostics: readonly Diagnostic[];
} {
  const { basis, broken } = comparison;
  const declared = new Map(basis.project.entries.map((entry) => [entry.address, entry]));
  const misdescribed = inventoryRefusals(comparison).filter(({ address }) => declared.has(address ?? ''));
  const errors = errorsIn(judgedBy(comparison, () => true));
  const all = new Set([
    ...broken.keys(),
    ...errors.map(({ address }) => address),
    ...misdescribed.map(({ address }) => address),
  ]);
  return {
    entries: [...declared.values()].filter(({ address }) => all.has(address)),
    diagnostics: [...errors, ...misdescribed.map((each) => refusalError(each))],
  };
}

/**
 * All fields that may hold values from the environment, of all objects of their kinds that are not certainly those of other
 * entries.
 */
function withheldFor(
  doubtful: readonly Declared[],
  { state, inventory, comparison }: Observation,
): ReadonlyMap<Observed, SecretFields> {
  const addresses = new Set(doubtful.map(({ address }) => address));
  const certain = new Set(
    comparison.matches.flatMap(({ address, entry, observed }) =>
      entry !== null && !addresses.has(address) ? [observed] : [],
    ),
  );
  const found = new Map<Observed, SecretFields>();
  for (const kind of kinds) {
    const own = doubtful.filter((entry) => entry.kind === kind.name && mayHoldSecrets(entry, inventory));
    // Nobody knows what an entry that cannot be read uses.
    if (own.length === 0 && comparison.basis.project.unread === undefined) continue;
    const fields = Object.keys(kind.fields).filter((field) => ruleOf(kind, field).mayHoldSecrets === true);
    const all = Object.fromEntries(fields.map((field) => [field, [UNKNOWN_TEMPLATE]]));
    for (const each of state.objects.get(kind.name) ?? []) if (!certain.has(each)) found.set(each, all);
  }
  return found;
}

/** It uses the environment, or did so at the last apply. */
function mayHoldSecrets(entry: Declared, inventory: Inventory): boolean {
  const known = inventoryEntry(entry, inventory);
  return Object.keys(entry.templates).length > 0 || (known !== null && known.sensitive.length > 0);
}

function leftOut(doubtful: readonly Declared[], withheld: ReadonlyMap<Observed, SecretFields>): Diagnostic[] {
  if (withheld.size === 0) return [];
  const message = `inputs and descriptions of ${count(withheld.size, 'object')} are not in the snapshot: they may hold values from the environment that entries with an error use`;
  const help = `Correct ${doubtful.length === 1 ? doubtful[0]?.address : 'the entries'} first, then take the snapshot again.`;
  return [{ severity: 'warning', code: 'not-in-snapshot', message, help }];
}

function secretFields({ matches }: Comparison): ReadonlyMap<Observed, SecretFields> {
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

const DAY_SECONDS = 86_400;
/** How many entries with withheld values are listed. */
const mostListed = 5;

/**
 * The plan for a saved state. Needs no network, no API key and no URL. The file may come from anyone: it decides what
 * the plan shows, and nothing can be applied from it. Throws a Problem.
 */
export async function planFromSnapshot(
  file: string,
  options: SessionOptions,
  wanted: PlanOptions,
): Promise<Plan> {
  return (await plannedFromSnapshot(file, options, wanted)).plan;
}

/** The same, with what it was made from. */
export async function plannedFromSnapshot(
  file: string,
  options: SessionOptions,
  wanted: PlanOptions,
): Promise<PlanMade> {
  const { destroy = false } = wanted;
  const opened = openProject(options);
  const project = { ...opened.project, prune: options.prune ?? opened.project.prune };
  const saved = parseSnapshot(readSnapshot(resolve(options.cwd, file), file), file, kinds);
  checkSubject(saved, project, serviceIfSet(options, project)?.url ?? null, file);
  const values = [...declaredValues(project), ...appliedValues(await localInventory(project, options))];
  const { inventory, takenAt, ...state } = openSnapshot(saved, kinds, values);
  const now = clockOf(options).now();
  const { service, inventoryPlace: readFrom } = saved;
  const selected = selectionOf(wanted, { project, cwd: options.cwd, inventory });
  const open = workTreeOpener(project.root, options.env);
  const readCheckout = checkoutReader(project, opened.manifests, open);
  const readSiblings = siblingReader({
    project,
    paths: opened.paths,
    options,
    open,
    service,
    overridden: null,
    saved: savedInventories(saved),
  });
  const checkout = destroy ? null : await readCheckout(inventory, 'compare');
  const known = destroy ? toDestroy(project, inventory) : { project, inventory };
  const policies = destroy ? null : await checkPolicies(opened, options);
  const siblings = await readSiblings({ declared: mayLetGo(known.project, inventory, destroy) });
  const comparison = compare(
    planBasis({ ...known, service, state, now }, wanted, {
      readFrom,
      checkout,
      policies,
      selected,
      siblings,
    }),
  );
  // A snapshot does not say which key is whose.
  const checks = { prove: false, outputs: [], former: () => () => true };
  const answers = {
    ...nothingAsked,
    previews: [],
    undeliverable: mayBePlanned(comparison) ? undeliverable(comparison, checks) : new Map(),
  };
  const age = ageOf(takenAt, now);
  const notes = [
    ...oldSnapshot(age, takenAt, now),
    ...otherInventory(readFrom, project.inventory),
    ...notInSnapshot(comparison),
  ];
  const session = localSession({ ...opened, project }, options, service);
  const observation = { state, inventory, comparison };
  const shown = planShown(session, observation, { answers, calendar: wanted.calendar, notes });
  return { plan: { ...shown, snapshot: age }, session, observation };
}

function localSession(
  opened: ReturnType<typeof openProject>,
  options: SessionOptions,
  service: string,
): LocalSession {
  return {
    project: opened.project,
    cwd: options.cwd,
    service,
    serviceOverride: null,
    checkPolicies: once(() => checkPolicies(opened, options)),
    concurrency: 1,
    warnings: opened.warnings,
    redactor: options.redactor ?? new Redactor(),
    clock: clockOf(options),
  };
}

function readSnapshot(path: string, file: string): string {
  const text = readRegular(path, `the snapshot ${file}`);
  if (text !== null) return text;
  const help = 'Take one with `roster snapshot --out FILE`.';
  throw problem('unreadable-file', `there is no snapshot ${file}`, help);
}

/** A snapshot of another project, environment or service says nothing about this one. */
function checkSubject(saved: SnapshotJson, project: Project, url: URL | null, file: string): void {
  const describe = (name: string, environment: string | null) =>
    environment === null ? `project "${name}"` : `project "${name}", environment "${environment}"`;
  const [its, ours] = [
    describe(saved.project, saved.environment),
    describe(project.name, project.environment),
  ];
  if (its !== ours) throw invalid(file, `it belongs to ${its}, and this is ${ours}`);
  const service = url === null ? saved.service : serviceName(url);
  if (service !== saved.service)
    throw invalid(file, `it was taken from the service ${saved.service}, and this project uses ${service}`);
}

/** An inventory in a file needs no network. It helps to recognize values; what is owned, the snapshot says. */
async function localInventory(project: Project, options: SessionOptions): Promise<Inventory | null> {
  return 'file' in project.inventory ? openStore(project, options).load() : null;
}

/** With templates for values from the environment: nothing may be reported to be equal to one of them. */
function declaredValues({ entries }: Project): (readonly [KindName, JsonObject])[] {
  return entries.map(({ kind, declared, templates }) => [
    kind,
    { ...(declared as JsonObject), ...templates },
  ]);
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
  if (ageSeconds <= DAY_SECONDS && !future) return [];
  const message = future
    ? 'the time of the snapshot is in the future, so its age is unknown'
    : 'the snapshot is more than a day old: the service may have changed since';
  const help = 'Take a new one with `roster snapshot --out FILE`.';
  return [{ severity: 'warning', code: 'old-snapshot', message, help }];
}

/** It shows what another inventory says: the plan after a merge may be another one. */
function otherInventory(readFrom: InventorySetting | null, ours: InventorySetting): Diagnostic[] {
  if (readFrom === null || isSamePlace(readFrom, ours)) return [];
  const message = `the snapshot holds the inventory ${placeLabel(readFrom)}, and this project uses ${placeLabel(ours)}: what that one says is not known here`;
  const help = 'Take a snapshot with the same inventory, or move the inventory in a change of its own.';
  return [{ severity: 'warning', code: 'not-in-snapshot', message, help }];
}

/** Values that are assumed to be unchanged must be listed, even if nothing else is. */
function notInSnapshot({ matches }: Comparison): Diagnostic[] {
  const unseen = matches.flatMap((match) =>
    match.entry === null ? [] : withheldPaths(match).map((path) => `\`${path}\` of ${match.address}`),
  );
  if (unseen.length === 0) return [];
  const named = unseen.slice(0, mostListed).join(', ');
  const more = unseen.length > mostListed ? ` and ${unseen.length - mostListed} more` : '';
  const message = `snapshots do not contain values from the environment: ${named}${more} cannot be compared, and count as unchanged`;
  const help = 'To compare them, run `roster plan` with an API key.';
  return [{ severity: 'warning', code: 'not-in-snapshot', message, help }];
}
