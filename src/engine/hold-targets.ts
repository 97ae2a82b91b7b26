import { limits } from '../manifest/limits.js';
import { suggestWithin } from '../manifest/suggest.js';
import { type Diagnostic, Problem } from '../model/diagnostic.js';
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
import { type HoldTarget, recordedAddress } from '../reconcile/hold-plan.js';
import { matchingNothing } from '../reconcile/select.js';
import type { Comparison, Match, Selector } from '../reconcile/world.js';
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
}

/**
 * What is meant by addresses: a schedule, or a group, pipeline or agent, which means the schedules that start it. Throws a
 * Problem for an address that means nothing, and for one that cannot be held.
 */
export function holdTargets(
  observation: Observation,
  { selectors, isDirect }: HoldSelection,
  project: Project,
): HoldTargets {
  const { comparison, state, inventory } = observation;
  const labelsOf = labelsWith(comparison, state.agents);
  const kept = (labels: readonly Label[]) => labels.filter(({ through }) => !isDirect || through === null);
  const labeled = (match: Match) => ({ match, labels: kept(labelsOf(match)) });
  const pausable = comparison.matches.filter(({ kind }) => kind.pausing !== undefined);
  const own = pausable.filter(({ ours }) => ours).map(labeled);
  const others =
    selectors === null ? [] : pausable.filter(({ ours, observed }) => !ours && observed !== null);
  const starting = others.map((match) => ({
    match,
    labels: kept(labelsOf(match)).filter(({ isTarget }) => isTarget),
  }));
  if (selectors !== null)
    refuseMeaningless(selectors, observation, {
      ...{ project, starting, isDirect },
      labels: own.flatMap(({ labels }) => labels.map(({ label }) => label)),
    });
  const found = own.flatMap((each) => meant(each, selectors) ?? []);
  const isRecorded = ({ match }: HoldTarget) => isKnown(match, inventory);
  const unknown = found.filter((each) => !isRecorded(each) && each.match.observed !== null);
  const problems = [
    ...unknown.map(({ match }) => notRecorded(match, selectors)),
    ...misdescribed(found.map(({ match }) => match)),
  ];
  const errors = problems.filter(({ severity }) => severity === 'error');
  if (errors.length > 0) throw new Problem(errors);
  return {
    targets: found.filter(isRecorded),
    outside: starting
      .flatMap((each) => meant(each, selectors) ?? [])
      .map((each) => outsideSchedule(each, comparison)),
    diagnostics: problems,
  };
}

/** The record under its address is that of the matched object, or of one that is gone. */
function isKnown(match: Match, inventory: Inventory): boolean {
  const known = inventory.entries.get(recordedAddress(match, inventory));
  return known !== undefined && known.id !== null;
}

/** An address that selects a schedule. */
interface Label {
  readonly label: Address;
  /** What it starts; not its own address. */
  readonly isTarget: boolean;
  /** The group or pipeline by which it starts that agent; null for what it targets. */
  readonly through: Address | null;
}

interface Labeled {
  readonly match: Match;
  readonly labels: readonly Label[];
}

/** Null where none of the selectors means it. A direct way needs no explanation. */
function meant({ match, labels }: Labeled, selectors: readonly Selector[] | null): HoldTarget | null {
  if (selectors === null) return { match, through: [] };
  const found = labels.filter(({ label }) => selectors.some((each) => each.matches(label)));
  if (found.length === 0) return null;
  const ways = found.map(({ through }) => through);
  const through = ways.includes(null) ? [] : [...new Set(ways.filter((each) => each !== null))];
  return { match, through };
}

/** As it is deployed and as it is declared: it starts the one now, and the other after the next apply. */
function labelsWith(comparison: Comparison, agents: readonly Agent[]): (match: Match) => readonly Label[] {
  const { names } = comparison;
  const agentLabels = new Map(
    agents.map(({ id, externalAgentId, name }) => [
      id,
      [externalAgentId, id, name].map((each) => `agent/${each}`),
    ]),
  );
  const idsByLabel = new Map(agents.map(({ id, externalAgentId }) => [`agent/${externalAgentId}`, id]));
  const membersOf = membersIn(comparison);
  return ({ address, renamedFrom, kind, entry, observed }) => {
    const { field } = kind.references ?? {};
    const specs = [entry?.spec, observed?.spec].filter((each) => each != null);
    const written = entry === null ? [] : (kind.links?.(entry.declared).to ?? []);
    const shown = field === undefined ? [] : specs.map((spec) => shownTarget(kind, field, spec, names));
    const targets = [...written, ...shown].flatMap((label) => [
      label,
      ...(agentLabels.get(idsByLabel.get(label) ?? '') ?? []),
    ]);
    const members = specs.flatMap((spec) => referencesOf(kind, spec).flatMap(membersOf));
    return [
      ...[address, renamedFrom].flatMap((label) =>
        label === null ? [] : [{ label, isTarget: false, through: null }],
      ),
      ...targets.map((label) => ({ label, isTarget: true, through: null })),
      ...members.flatMap(({ agent, through }) =>
        (agentLabels.get(agent) ?? []).map((label) => ({ label, isTarget: true, through })),
      ),
    ];
  };
}

function shownTarget(kind: Kind, field: string, spec: unknown, names: Comparison['names']): string {
  const rules = kind.fields as Readonly<Record<string, { show(value: unknown, names: unknown): unknown }>>;
  return String(rules[field]?.show((spec as Readonly<Record<string, unknown>>)[field], names));
}

interface Member {
  /** Its id. */
  readonly agent: string;
  readonly through: Address;
}

/** The agents of a group or pipeline, as it is deployed and as it is declared. */
function membersIn(comparison: Comparison): (reference: ObjectRef) => readonly Member[] {
  const { matches, externals, names, basis } = comparison;
  const found = new Map<string, readonly Member[]>();
  const add = (key: string, through: Address, agents: readonly string[]) =>
    found.set(
      key,
      agents.map((agent) => ({ agent, through })),
    );
  const kinds = new Map(basis.kinds.map((kind) => [kind.name, kind]));
  for (const { kind, address, entry, observed, ours } of matches) {
    if (kind.runs === undefined) continue;
    const { runs } = kind;
    const specs = [entry?.spec, observed?.spec].filter((each) => each != null);
    const agents = [...new Set(specs.flatMap((spec) => runs.agents(spec)))];
    const id = observed?.id ?? null;
    const through = ours || id === null ? address : names.object(kind.name, id);
    add(id === null ? address : objectKey(kind.name, id), through, agents);
  }
  for (const [address, { kind, id, spec }] of externals)
    add(objectKey(kind, id), address, spec === null ? [] : (kinds.get(kind)?.runs?.agents(spec) ?? []));
  return ({ kind, id }) => found.get(isPending(id) ? id.pending : objectKey(kind, id)) ?? [];
}

function outsideSchedule({ match, through }: HoldTarget, { names }: Comparison): OutsideSchedule {
  const { kind, observed } = match;
  const spec = observed?.spec ?? null;
  const inBrief = spec === null ? '' : (kind.brief?.(spec, names) ?? '');
  return { id: observed?.id ?? null, kind: kind.name, inBrief, through };
}

interface KnownAddresses {
  readonly project: Project;
  readonly isDirect: boolean;
  /** Of schedules, and of what they start. */
  readonly labels: readonly string[];
  /** What of others starts something. */
  readonly starting: readonly Labeled[];
}

/** An entry with an error of its own may have no match. */
function refuseMeaningless(
  selectors: readonly Selector[],
  { comparison: { diagnostics }, state: { agents } }: Observation,
  { project: { entries, existsIn }, labels, starting, isDirect }: KnownAddresses,
): void {
  const closest = suggestWithin(limits.comparisons);
  const found = matchingNothing(selectors, { addresses: labels, existsIn }, closest);
  if (found.length === 0) return;
  const known = [
    ...entries.map(({ address }) => address),
    ...agents.flatMap(({ id, externalAgentId, name }) =>
      [externalAgentId, id, name].map((each) => `agent/${each}`),
    ),
  ];
  const isIn = (each: Selector, list: readonly string[]) => list.some((address) => each.matches(address));
  const unused = selectors.filter((each) => isIn(each, known) && !isIn(each, labels));
  const errors = diagnostics.filter(({ severity }) => severity === 'error');
  const unknown = matchingNothing(selectors, { addresses: [...labels, ...known], existsIn }, closest);
  const useless = unused.map((each) => {
    const outside = starting.flatMap((other) => meant(other, [each]) ?? []);
    return startsNothing(each, outside, isDirect);
  });
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

/** Who names it exactly must not believe that it is held. */
function notRecorded({ address }: Match, selectors: readonly Selector[] | null): Diagnostic {
  const isNamed = selectors?.some(({ pattern }) => pattern === address) === true;
  const message = `${address} is not in the inventory, so it cannot be put on hold and is left as it is`;
  const help = 'Run `roster apply` first, which adopts it, or pause it in the dashboard.';
  return { severity: isNamed ? 'error' : 'warning', code: 'not-in-inventory', message, help };
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
