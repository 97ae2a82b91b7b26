import { limits } from '../manifest/limits.js';
import { suggestWithin } from '../manifest/suggest.js';
import { type Diagnostic, Problem } from '../model/diagnostic.js';
import type { Inventory } from '../model/inventory.js';
import type { Address, Agent, Project } from '../model/resource.js';
import { recordedAddress } from '../reconcile/hold-plan.js';
import { matchingNothing } from '../reconcile/select.js';
import type { Comparison, Match, Selector } from '../reconcile/world.js';
import type { Observation } from './observe.js';

export interface HoldTargets {
  /** Those that the inventory knows. */
  readonly matches: readonly Match[];
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * What is meant by addresses: a schedule, or a group, pipeline or agent, which means the schedules that start it. Null
 * means everything. Throws a Problem for an address that means nothing, and for one that cannot be held.
 */
export function holdTargets(
  { comparison, state, inventory }: Observation,
  selectors: readonly Selector[] | null,
  project: Project,
): HoldTargets {
  const all = comparison.matches.filter(({ kind, ours }) => kind.pausing !== undefined && ours);
  const labelsOf = labelsWith(comparison.names, state.agents);
  const labels = new Map(all.map((match) => [match, labelsOf(match)]));
  if (selectors !== null) {
    const declared = project.entries.map((entry) => entry.address);
    const known = { labels: [...labels.values()].flat(), declared, existsIn: project.existsIn };
    refuseMeaningless(selectors, known, comparison.diagnostics);
  }
  const isMeant = (match: Match) =>
    selectors === null || selectors.some((each) => labels.get(match)?.some((label) => each.matches(label)));
  const meant = all.filter(isMeant);
  const isRecorded = (match: Match) => isKnown(match, inventory);
  const unknown = meant.filter((match) => !isRecorded(match) && match.observed !== null);
  const problems = [...unknown.map((match) => notRecorded(match, selectors)), ...misdescribed(meant)];
  const errors = problems.filter(({ severity }) => severity === 'error');
  if (errors.length > 0) throw new Problem(errors);
  return { matches: meant.filter(isRecorded), diagnostics: problems };
}

/** The record under its address is that of the matched object, or of one that is gone. */
function isKnown(match: Match, inventory: Inventory): boolean {
  const known = inventory.entries.get(recordedAddress(match, inventory));
  return known !== undefined && known.id !== null;
}

/** All by which a user may mean it. */
function labelsWith(names: Comparison['names'], agents: readonly Agent[]) {
  const agentOf = new Map(agents.map((agent) => [`agent/${agent.externalAgentId}`, agent]));
  return ({ address, renamedFrom, kind, entry, observed }: Match): Address[] => {
    const written = entry === null ? [] : (kind.links?.(entry.declared).to ?? []);
    const { field } = kind.references ?? {};
    const spec = (entry?.spec ?? observed?.spec ?? null) as Readonly<Record<string, unknown>> | null;
    const rules = kind.fields as Readonly<Record<string, { show(value: unknown, names: unknown): unknown }>>;
    const shown = spec === null || field === undefined ? null : rules[field]?.show(spec[field], names);
    const target = typeof shown === 'string' ? [shown] : [];
    const agent = target.flatMap((label) => agentOf.get(label) ?? []);
    const others = agent.flatMap(({ id, name }) => [`agent/${id}`, `agent/${name}`]);
    return [address, ...(renamedFrom === null ? [] : [renamedFrom]), ...written, ...target, ...others];
  };
}

interface KnownAddresses {
  readonly existsIn: Project['existsIn'] | undefined;
  /** The labels of schedules, and of what they start. */
  readonly labels: readonly string[];
  readonly declared: readonly string[];
}

/** An entry with an error of its own has no match. */
function refuseMeaningless(
  selectors: readonly Selector[],
  { labels, declared, existsIn }: KnownAddresses,
  diagnostics: readonly Diagnostic[],
): void {
  const found = matchingNothing(
    selectors,
    { addresses: labels, existsIn },
    suggestWithin(limits.comparisons),
  );
  if (found.length === 0) return;
  const isIn = (each: Selector, list: readonly string[]) => list.some((address) => each.matches(address));
  const unused = selectors.filter((each) => isIn(each, declared) && !isIn(each, labels));
  const errors = diagnostics.filter(({ severity }) => severity === 'error');
  const unknown = matchingNothing(
    selectors,
    { addresses: [...labels, ...declared], existsIn },
    suggestWithin(limits.comparisons),
  );
  throw new Problem([...errors, ...unused.map(startsNothing), ...unknown]);
}

function startsNothing({ pattern }: Selector): Diagnostic {
  const message = `"${pattern}" matches no schedule of this project, and nothing that one starts`;
  return { severity: 'error', code: 'usage', message, help: 'Only schedules can be put on hold.' };
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
