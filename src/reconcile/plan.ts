import { type Diagnostic, type DiagnosticCode, errorsIn, hasErrors } from '../model/diagnostic.js';
import { type Finding, isDiagnostic, isNote, isRisk } from '../model/finding.js';
import { plannedCheckout } from '../model/inventory.js';
import { groupBy } from '../model/json.js';
import { type Change, type ChangeFinding, changeOf, type Plan, type PlanSubject } from '../model/plan.js';
import type { Address } from '../model/resource.js';
import { naturalOrder } from '../model/words.js';
import { diff, keptDelivery } from './diff.js';
import { ignoredOf } from './ignore.js';
import { match } from './match.js';
import { inBrief, linksOf, linksOfDeleted, namesOf } from './names.js';
import { nextRunsOf } from './next-runs.js';
import { order } from './order.js';
import { deleteReason } from './rules/deletes.js';
import { heldOf } from './rules/holds.js';
import { causesOf, examine } from './rules/index.js';
import { plannedPolicies } from './rules/policies.js';
import { digestOf, intentsAndRecords, type OrderedChanges, restParts } from './seal.js';
import { select } from './select.js';
import { weeklyStarts } from './starts.js';
import { countUnmanaged, unmanagedObjects } from './unmanaged.js';
import {
  type Answers,
  type Comparison,
  nothingAsked,
  type PlanBasis,
  type ResourceDiff,
  type World,
} from './world.js';

/**
 * Matches what is declared with what exists, which decides what should be (resolve.ts), and compares each match. Commands
 * that need no plan use this too, so that their results agree with the plan.
 */
export function compare(basis: PlanBasis): Comparison {
  const matched = match(basis);
  const names = namesOf(matched);
  const all = matched.matches.flatMap((each) => diff(each, basis, names) ?? []);
  const { kept, diagnostics } = select(all, matched, basis);
  return {
    basis,
    matches: matched.matches,
    externals: matched.externals,
    broken: matched.broken,
    names,
    diffs: inReadingOrder(kept, basis),
    diagnostics: withoutAccepted(causesOf(diagnostics, { basis, matches: matched.matches }), basis),
  };
}

/** A plan, and the diagnostics in it. Null when there are errors: nothing may be planned for what is not understood. */
export interface Planned {
  readonly plan: Plan | null;
  readonly diagnostics: readonly Diagnostic[];
}

/** What is compared is examined, with what was asked about it, then ordered and sealed. Pure. */
export function plan(comparison: Comparison, answers: Answers = nothingAsked): Planned {
  const world = worldOf(comparison, answers);
  const findings = examine(world);
  const found = withoutAccepted(findings.filter(isDiagnostic), comparison.basis);
  // All errors are reported at once. What else the rules find may only follow from the errors in matching.
  const told = hasErrors(comparison.diagnostics) ? errorsIn(found) : found;
  const diagnostics = causesOf([...comparison.diagnostics, ...told], comparison);
  if (hasErrors(diagnostics)) return { plan: null, diagnostics };
  const { steps, stepsOf } = order(comparison.diffs);
  const changes = changesOf(world, findings.filter(isOfChange), stepsOf);
  const others = findings.filter((each) => !isDiagnostic(each) && !isOfChange(each)).sort(wholeFirst);
  return {
    plan: { ...sealed(world, { changes, steps }), findings: [...others, ...diagnostics] },
    diagnostics,
  };
}

/** What rules examine. */
export function worldOf(comparison: Comparison, answers: Answers): World {
  const { previews } = answers;
  const nextRuns = previews === null ? new Map() : nextRunsOf(comparison, previews);
  return { ...comparison, answers, starts: weeklyStarts(comparison), nextRuns };
}

function isOfChange(found: Finding): found is ChangeFinding {
  return isNote(found) || (isRisk(found) && found.address !== null);
}

/** There are few about the plan as a whole, and a comment shows only some of the others. */
function wholeFirst(a: Finding, b: Finding): number {
  return Number(a.address !== null) - Number(b.address !== null);
}

function inReadingOrder(diffs: readonly ResourceDiff[], { kinds }: PlanBasis): readonly ResourceDiff[] {
  const rank = new Map(kinds.map(({ name }, index) => [name, index]));
  const rankOf = ({ change }: ResourceDiff) => rank.get(change.kind) ?? kinds.length;
  return diffs.toSorted((a, b) => rankOf(a) - rankOf(b) || naturalOrder(a.change.address, b.change.address));
}

/** Reading the manifests leaves out what it would report itself. */
function withoutAccepted(diagnostics: readonly Diagnostic[], { project }: PlanBasis): readonly Diagnostic[] {
  const accepting = new Map(
    project.entries.flatMap(({ address, accept }) => (accept ? [[address, accept]] : [])),
  );
  return diagnostics.filter(({ severity, code, address = '' }) => {
    const accepted: readonly DiagnosticCode[] = accepting.get(address) ?? [];
    return severity !== 'warning' || !accepted.includes(code);
  });
}

function changesOf(
  { diffs, names, nextRuns, answers, basis }: World,
  findings: readonly ChangeFinding[],
  stepsOf: ReadonlyMap<Address, readonly string[]>,
): Change[] {
  const byAddress = groupBy(findings, ({ address }) => address);
  return diffs.map(({ change, match: each }) => {
    const { address, action } = change;
    const said = byAddress.get(address);
    if (action === 'none') return changeOf(change, { steps: stepsOf.get(address), findings: said });
    return changeOf(change, {
      steps: stepsOf.get(address),
      findings: said,
      nextRuns: nextRuns.get(address),
      inBrief: inBrief(each, names),
      reason: action === 'delete' ? deleteReason(each, basis.prune) : undefined,
      owners: answers.owners.get(address),
    });
  });
}

/** All of a plan but what is said about it. */
function sealed(world: World, ordered: OrderedChanges): Omit<Plan, 'findings'> {
  const { basis, diffs, names, starts } = world;
  const { kinds, project, checkout, allow, prune } = basis;
  const subject = subjectOf(world);
  const deleted = diffs.filter(({ change }) => change.action === 'delete').map((each) => each.match);
  const referring = kinds.filter((kind) => kind.references !== undefined);
  const collecting = kinds.filter((kind) => kind.references === undefined);
  const isActing = diffs.some(({ change }) => change.action !== 'none');
  return {
    ...subject,
    ...ordered,
    ...digestOf(subject, ordered, diffs),
    ...restParts(subject, ordered, world),
    ...intentsAndRecords(world),
    ...undelivered(diffs),
    startsPerWeek: starts.startsPerWeek,
    startsByAgent: starts.byAgent,
    unmanaged: countUnmanaged(kinds, unmanagedObjects(world)),
    links: [...linksOf(project.entries, referring), ...linksOfDeleted(deleted, names)],
    agentLinks: isActing ? linksOf(project.entries, collecting) : [],
    ...(prune === 'destroy' ? { destroy: true } : {}),
    ...(checkout === null ? {} : { checkout: plannedCheckout(checkout, allow.staleCheckout) }),
  };
}

function subjectOf(world: World): PlanSubject {
  const { basis, diffs } = world;
  const { project } = basis;
  const ignored = ignoredOf(diffs);
  const held = heldOf(diffs);
  const policies = plannedPolicies(world);
  return {
    project: project.name,
    environment: project.environment,
    service: basis.service,
    account: basis.account,
    inventory: project.inventory,
    safeguards: { prune: project.prune, limits: project.limits },
    ...(ignored === null ? {} : { ignored }),
    ...(Object.keys(held).length === 0 ? {} : { held }),
    ...(policies === null ? {} : { policies }),
  };
}

/** What apply delivers without a request. */
function undelivered(diffs: readonly ResourceDiff[]): Pick<Plan, 'undelivered'> {
  const keys = diffs.flatMap((each) => {
    const { kept, address } = each.match;
    const delivery = keptDelivery(each);
    if (kept === undefined || delivery === null) return [];
    return [[address, { file: kept.file, delivery }] as const];
  });
  return keys.length === 0 ? {} : { undelivered: Object.fromEntries(keys) };
}
