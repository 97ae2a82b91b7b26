import { limits } from '../manifest/limits.js';
import { suggestWithin } from '../manifest/suggest.js';
import { type Diagnostic, errorsIn, Problem } from '../model/diagnostic.js';
import type { Inventory } from '../model/inventory.js';
import { type Kind, referencesOf } from '../model/kind.js';
import type { OutsideSchedule } from '../model/report.js';
import {
  type Address,
  type Agent,
  isPending,
  type ObjectRef,
  objectKey,
  type Project,
} from '../model/resource.js';
import { count, some } from '../model/words.js';
import { commandThere, type HoldTarget, recordedAddress } from '../reconcile/hold-plan.js';
import { isExcluding, matchingNothing } from '../reconcile/select.js';
import { type Comparison, isOwnedElsewhere, type Match, type Selector } from '../reconcile/world.js';
import type { Observation } from './observe.js';

export interface HoldTargets {
  /** Those that the inventory knows. */
  readonly targets: readonly HoldTarget[];
  /** What is not of this project, and starts what was named. */
  readonly outside: readonly OutsideSchedule[];
  readonly diagnostics: readonly Diagnostic[];
}

export interface HoldSelection {
  /** Null means everything. */
  readonly selectors: readonly Selector[] | null;
  /** An agent means only what targets it, not what starts it through a group or pipeline. */
  readonly isDirect: boolean;
  /** What was held of an agent, group or pipeline is meant by it, whatever it starts by now. */
  readonly isResume: boolean;
}

/**
 * What is meant by addresses: a schedule, or a group, pipeline or agent, which means the schedules that start it. Throws a
 * Problem for an address that means nothing, and for one that cannot be held.
 */
export function holdTargets(
  observation: Observation,
  { selectors, ...how }: HoldSelection,
  project: Project,
): HoldTargets {
  const { comparison, inventory } = observation;
  const pausable = comparison.matches.filter(({ kind }) => kind.pausing !== undefined);
  const { found, outside } =
    selectors === null
      ? { found: pausable.filter(({ ours }) => ours).map(meantItself), outside: [] }
      : selectedBy(selectors, pausable, { observation, project, ...how });
  const isRecorded = ({ match }: HoldTarget) => isKnown(match, inventory);
  const unknown = found.filter((each) => !isRecorded(each) && each.match.observed !== null);
  const isNamed = ({ match }: HoldTarget) => selectors?.some(({ pattern }) => pattern === match.address);
  const errors = [
    // An exact address that is not held must be an error: the user would believe that it is held.
    ...unknown.filter(isNamed).map(({ match }) => asError(notRecorded(match, how.isResume))),
    ...misdescribed(found.map(({ match }) => match)),
  ];
  if (errors.length > 0) throw new Problem(errors);
  const isMeant = ({ match }: HoldTarget) => !how.isResume || match.hold !== undefined;
  return {
    targets: found.filter(isRecorded),
    outside: outside.map((each) => outsideSchedule(each, comparison)),
    diagnostics: unknown.filter(isMeant).map(({ match }) => notRecorded(match, how.isResume)),
  };
}

/** The record under its address is that of the matched object, or of one that is gone. */
function isKnown(match: Match, inventory: Inventory): boolean {
  const known = inventory.entries.get(recordedAddress(match, inventory));
  return known !== undefined && known.id !== null;
}

interface SelectionContext extends Omit<HoldSelection, 'selectors'> {
  readonly observation: Observation;
  readonly project: Project;
}

function meantItself(match: Match): HoldTarget {
  return { match, through: [], of: [] };
}

/** Throws a Problem for a selector that means nothing. */
function selectedBy(
  selectors: readonly Selector[],
  pausable: readonly Match[],
  context: SelectionContext,
): { readonly found: readonly HoldTarget[]; readonly outside: readonly HoldTarget[] } {
  const { comparison, state } = context.observation;
  const ways = new Ways(comparison, state.agents, context);
  const own = pausable.filter(({ ours }) => ours).map((match) => ways.of(match));
  // What is not of this project is selected by what it starts only.
  const others = pausable
    .filter(({ ours, observed }) => !ours && observed !== null)
    .map((match) => ({ ...ways.of(match), addresses: [] }));
  refuseMeaningless(selectors, context, { ways, own, others });
  const [included, excluded] = [
    selectors.filter((each) => !isExcluding(each)),
    selectors.filter(isExcluding),
  ];
  const left = new Set(meantOf(own, ways.meaningOf(excluded)).map(({ match }) => match));
  const isLeft = ({ match }: HoldTarget) => left.has(match);
  if (included.length === 0)
    return {
      found: own.map(({ match }) => meantItself(match)).filter((each) => !isLeft(each)),
      outside: [],
    };
  const meaning = ways.meaningOf(included);
  const found = meantOf(own, meaning).filter((each) => !isLeft(each));
  const asked = context.isResume ? new Map() : askedOf(included, own, ways);
  return {
    found: found.map((each) => ({ ...each, of: asked.get(each.match) ?? [] })),
    outside: meantOf(others, meaning),
  };
}

/** By which agents, groups and pipelines a schedule is meant. One that its own address selects needs none. */
function askedOf(
  selectors: readonly Selector[],
  own: readonly Holdable[],
  ways: Ways,
): ReadonlyMap<Match, readonly string[]> {
  const asked = new Map<Match, string[]>();
  for (const selector of selectors) {
    const others = own.filter(({ addresses }) => !addresses.some((each) => selector.matches(each)));
    for (const { match } of meantOf(others, ways.meaningOf([selector])))
      asked.set(match, [...(asked.get(match) ?? []), selector.pattern]);
  }
  return asked;
}

/** What selects a schedule. */
interface Holdable {
  readonly match: Match;
  readonly addresses: readonly Address[];
  /** What it targets, as it is written and as it is shown. */
  readonly targets: readonly string[];
  /** For `resume`: the agents, groups and pipelines of which it was held. */
  readonly heldOf: readonly string[];
  /** The groups and pipelines that it starts, by their keys in `Ways`. */
  readonly containers: readonly string[];
}

/** What selectors mean, found once for all schedules. */
interface HoldMeaning {
  isSelected(address: Address): boolean;
  isTarget(label: string): boolean;
  /** The groups and pipelines that start an agent which is meant, by their keys. */
  readonly through: ReadonlyMap<string, Address>;
}

/** A direct way needs no explanation. */
function meantOf(all: readonly Holdable[], { isSelected, isTarget, through }: HoldMeaning): HoldTarget[] {
  return all.flatMap(({ match, addresses, targets, heldOf, containers }) => {
    if (addresses.some(isSelected) || targets.some(isTarget)) return [meantItself(match)];
    const ways = new Set(containers.flatMap((each) => through.get(each) ?? []));
    if (ways.size > 0) return [{ match, through: [...ways], of: [] }];
    return heldOf.some(isTarget) ? [meantItself(match)] : [];
  });
}

/** By what schedules are selected: as they are deployed and as they are declared, because the next apply makes them that. */
class Ways {
  /** All names of an agent, by its id. */
  private readonly names: ReadonlyMap<string, readonly string[]>;
  private readonly idsByName: ReadonlyMap<string, string>;
  private readonly members: ReadonlyMap<string, Members>;
  private readonly goesByHolds: boolean;

  constructor(
    private readonly comparison: Comparison,
    agents: readonly Agent[],
    { isDirect, isResume }: Pick<HoldSelection, 'isDirect' | 'isResume'>,
  ) {
    this.goesByHolds = isResume && !isDirect;
    this.names = new Map(agents.map((each) => [each.id, namesOf(each)]));
    this.idsByName = new Map(agents.map(({ id, externalAgentId }) => [`agent/${externalAgentId}`, id]));
    this.members = isDirect ? new Map() : membersIn(comparison);
  }

  of(match: Match): Holdable {
    const { address, renamedFrom, kind, entry, observed, known } = match;
    const { field } = kind.references ?? {};
    const specs = [entry?.spec, observed?.spec].filter((each) => each != null);
    const written = entry === null ? [] : (kind.links?.(entry.declared).to ?? []);
    const shown =
      field === undefined ? [] : specs.map((spec) => shownTarget(kind, field, spec, this.comparison.names));
    return {
      match,
      addresses: renamedFrom === null ? [address] : [address, renamedFrom],
      targets: [...new Set([...written, ...shown])],
      heldOf: this.goesByHolds ? (known?.hold?.of ?? []) : [],
      containers: specs.flatMap((spec) => referencesOf(kind, spec).map(containerKey)),
    };
  }

  meaningOf(selectors: readonly Selector[]): HoldMeaning {
    const known = new Map<string, boolean>();
    const isSelected = (label: string) => {
      const found = known.get(label) ?? selectors.some((each) => each.matches(label));
      known.set(label, found);
      return found;
    };
    const agents = new Set([...this.names].flatMap(([id, names]) => (names.some(isSelected) ? [id] : [])));
    const through = [...this.members].flatMap(([key, members]) =>
      members.agents.some((each) => agents.has(each)) ? [[key, members.through] as const] : [],
    );
    const isTarget = (label: string) => isSelected(label) || agents.has(this.idsByName.get(label) ?? '');
    return { isSelected, isTarget, through: new Map(through) };
  }
}

function namesOf({ id, externalAgentId, name }: Agent): readonly string[] {
  return [externalAgentId, id, name].map((each) => `agent/${each}`);
}

function containerKey({ kind, id }: ObjectRef): string {
  return isPending(id) ? id.pending : objectKey(kind, id);
}

function shownTarget(kind: Kind, field: string, spec: unknown, names: Comparison['names']): string {
  const rules = kind.fields as Readonly<Record<string, { show(value: unknown, names: unknown): unknown }>>;
  return String(rules[field]?.show((spec as Readonly<Record<string, unknown>>)[field], names));
}

interface Members {
  /** The group or pipeline. */
  readonly through: Address;
  /** Their ids. */
  readonly agents: readonly string[];
}

/** The agents of each group and pipeline, as it is deployed and as it is declared. */
function membersIn({ matches, externals, names, basis }: Comparison): ReadonlyMap<string, Members> {
  const found = new Map<string, Members>();
  const kinds = new Map(basis.kinds.map((kind) => [kind.name, kind]));
  for (const { kind, address, entry, observed, ours } of matches) {
    if (kind.runs === undefined) continue;
    const { runs } = kind;
    const specs = [entry?.spec, observed?.spec].filter((each) => each != null);
    const agents = [...new Set(specs.flatMap((spec) => runs.agents(spec)))];
    const id = observed?.id ?? null;
    const through = ours || id === null ? address : names.object(kind.name, id);
    found.set(id === null ? address : objectKey(kind.name, id), { through, agents });
  }
  for (const [through, { kind, id, spec }] of externals) {
    const agents = spec === null ? [] : (kinds.get(kind)?.runs?.agents(spec) ?? []);
    found.set(objectKey(kind, id), { through, agents });
  }
  return found;
}

function outsideSchedule({ match, through }: HoldTarget, { names }: Comparison): OutsideSchedule {
  const { kind, observed } = match;
  const spec = observed?.spec ?? null;
  const inBrief = spec === null ? '' : (kind.brief?.(spec, names) ?? '');
  return { id: observed?.id ?? null, kind: kind.name, inBrief, through };
}

interface Holdables {
  readonly ways: Ways;
  readonly own: readonly Holdable[];
  readonly others: readonly Holdable[];
}

/** An entry with an error of its own may have no match. */
function refuseMeaningless(
  selectors: readonly Selector[],
  { observation, project: { entries, existsIn, unread }, isDirect }: SelectionContext,
  { ways, own, others }: Holdables,
): void {
  const meaningless = selectors.filter((each) => meantOf(own, ways.meaningOf([each])).length === 0);
  if (meaningless.length === 0) return;
  const { comparison, state } = observation;
  const known = [...entries.map(({ address }) => address), ...state.agents.flatMap(namesOf)];
  const unused = meaningless.filter((each) => known.some((address) => each.matches(address)));
  const errors = errorsIn(comparison.diagnostics);
  const labels = own.flatMap(({ addresses, targets }) => [...addresses, ...targets]);
  const addresses = [...new Set([...labels, ...known])];
  const selectable = { addresses, existsIn, unread };
  const unknown = matchingNothing(selectors, selectable, suggestWithin(limits.comparisons));
  const useless = unused.map((each) =>
    startsNothing(each, meantOf(others, ways.meaningOf([each])), isDirect),
  );
  throw new Problem([...errors, ...useless, ...unknown]);
}

/** Ids that a message names. */
const MOST_NAMED = 5;

function startsNothing({ pattern }: Selector, outside: readonly HoldTarget[], isDirect: boolean): Diagnostic {
  const message = `"${pattern}" matches no schedule of this project, and nothing that one starts`;
  const ids = outside.map(({ match }) => match.observed?.id ?? 'without an id');
  const others = `${count(ids.length, 'schedule')} outside this project (${some(ids, MOST_NAMED)})`;
  const help =
    ids.length > 0
      ? `It is started by ${others}: pause them in the dashboard.`
      : isDirect
        ? 'Without `--direct`, an agent also means the schedules that start it through a group or pipeline.'
        : 'Only schedules can be put on hold.';
  return { severity: 'error', code: 'usage', message, help };
}

/** Until this project is applied, only the old project can hold or resume an entry that has moved here. */
function notRecorded(match: Match, isResume: boolean): Diagnostic {
  const { address, elsewhere, heldElsewhere } = match;
  const owner = isOwnedElsewhere(match) ? (heldElsewhere ?? elsewhere) : undefined;
  const refused = `${address} cannot be ${isResume ? 'resumed' : 'put on hold'}`;
  if (owner !== undefined) {
    const { project, file } = owner;
    const message = `${refused} here: it is in the inventory of project ${project} (${file}), not of this project`;
    const help = `Run \`${commandThere(isResume ? 'resume' : 'hold', owner)}\`.`;
    return { severity: 'error', code: 'owned-elsewhere', message, help };
  }
  const message = `${refused}: it is not in the inventory`;
  return { severity: 'warning', code: 'not-in-inventory', message, help: unrecordedHelp(match, isResume) };
}

function unrecordedHelp({ kind, observed }: Match, isResume: boolean): string {
  if (isResume)
    return 'There is no hold to end: only a schedule that an apply has created or adopted can be on hold.';
  return observed !== null && kind.pausing?.isPaused(observed.spec) === true
    ? 'It is paused now, but the next apply starts it. To keep it paused, write `enabled: false` in its entry.'
    : 'Run `roster apply` first to adopt it, or pause it in the dashboard.';
}

function asError(diagnostic: Diagnostic): Diagnostic {
  return { ...diagnostic, severity: 'error' };
}

function misdescribed(matches: readonly Match[]): Diagnostic[] {
  return matches
    .filter((match) => match.misdescribed)
    .map(({ address }) => ({
      severity: 'error',
      code: 'inventory-mismatch',
      message: `the inventory entry of ${address} does not describe the object that it names`,
      help: 'Restore the inventory, or bind the entry with `id:`.',
    }));
}
