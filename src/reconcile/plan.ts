import { type Checkout, plannedCheckout } from '../model/checkout.js';
import { type Diagnostic, hasErrors } from '../model/diagnostic.js';
import type { Inventory } from '../model/inventory.js';
import { byCodeUnit } from '../model/json.js';
import type { Kind } from '../model/kind.js';
import type { Action, Change, Objection, Plan } from '../model/plan.js';
import type {
  Address,
  Agent,
  InventorySetting,
  KindName,
  Names,
  Observed,
  Project,
  Prune,
} from '../model/resource.js';
import type { Suggest } from '../model/suggest.js';
import { accessEnds, type Caller, describeCaller } from './caller.js';
import { type DiffContext, diff, type ResourceDiff } from './diff.js';
import { digestOf } from './digest.js';
import { type Allowances, accountObjections, objections } from './guard.js';
import { heldDiagnostics, heldOf, holdNotes } from './hold/held-changes.js';
import { ignoredOf } from './ignore/ignored-properties.js';
import { newlyIgnoredRisks } from './ignore/newly-ignored.js';
import { duplicateWarnings } from './match/unmanaged-duplicates.js';
import { type Match, match } from './match.js';
import { inBrief, linksOf, linksOfDeleted, namesOf } from './names.js';
import { order } from './order.js';
import { type PlanContext, planContext } from './plan-context.js';
import { intentsAndRecords } from './records.js';
import { agentLookup } from './references.js';
import { unknownFormerly } from './renames/unknown-formerly.js';
import { withHold } from './resolve.js';
import { restParts } from './rest-parts.js';
import { movedInventoryRisks, safeguardRisks } from './safeguard-risks.js';
import { type Selector, select } from './select.js';
import { staleCheckoutWarnings } from './stale-checkout.js';
import { withCloseStarts } from './starts/close-starts.js';
import { startRateWarnings } from './starts/start-rate.js';
import { weeklyStarts } from './starts.js';
import {
  type KeptKeyFile,
  knowingKept,
  namesakesOfKept,
  undeliveredKeys,
  withDelivery,
} from './undelivered.js';
import { unknownRemoved } from './unknown-removed.js';
import { deletedBy } from './unmanaged/staying.js';

/** Everything a plan is made from. Planning uses no clock, network or file: what it needs from them is passed in. */
export interface ReconcileInputs {
  readonly project: Project;
  /** The origin and base path of the service. */
  readonly service: string;
  /** Whose keys the service lists. Null where it lists none. */
  readonly account: string | null;
  readonly kinds: readonly Kind[];
  readonly agents: readonly Agent[];
  readonly objects: ReadonlyMap<KindName, readonly Observed[]>;
  readonly inventory: Inventory;
  /** Missing or null where it is not compared. */
  readonly checkout?: Checkout | null;
  readonly prune: Prune;
  /** The plan is to destroy what is owned: `project` has no entries. Default: false. */
  readonly destroy?: boolean;
  /** By the service's clock. */
  readonly now: Date;
  /** By this machine's clock, which recorded when objects were created that no list shows yet. Default: `now`. */
  readonly ownNow?: Date;
  readonly allow: Allowances;
  /** What the user selected. Null for everything. */
  readonly selected: readonly Selector[] | null;
  /** Why a new key of an entry could not be delivered; entries whose keys can be delivered are missing. */
  readonly undeliverable: ReadonlyMap<Address, string>;
  /** Keys that earlier runs could not deliver, by entry. Default: none. */
  readonly kept?: ReadonlyMap<Address, KeptKeyFile>;
  /** The plan will not be applied, and needs no `records` and `createIntents`. Default: false. */
  readonly isForView?: boolean | undefined;
  readonly suggest: Suggest;
  /** Where a snapshot found its inventory. Null where it does not say; missing in a plan without a snapshot. */
  readonly readFrom?: InventorySetting | null;
}

const noKeys: ReadonlyMap<Address, KeptKeyFile> = new Map();

export interface Reconciled {
  /** Null when there are errors: nothing may be planned for a project that is not understood. */
  readonly plan: Plan | null;
  readonly diagnostics: readonly Diagnostic[];
  readonly matches: readonly Match[];
  readonly externals: ReadonlyMap<Address, Observed>;
  /** The objects that the plan deletes. */
  readonly deleted: ReadonlySet<Observed | null>;
  readonly names: Names;
  /** What is to be done with each resource, also where there is no plan because of errors in others. */
  readonly actions: ReadonlyMap<Address, Action>;
  /** Why the inventory cannot be about this account. Known without a plan. */
  readonly otherAccount: readonly Objection[];
}

/** Compares the desired state with the observed state. Pure. */
export function reconcile(inputs: ReconcileInputs): Reconciled {
  const { project, kinds, objects, inventory, prune, now, kept = noKeys } = inputs;
  const lookup = agentLookup(inputs.agents, inputs.suggest);
  const { entries } = project;
  // A plan for another service reports that, and nothing else.
  const otherAccount = inventory.service !== null && inventory.service !== inputs.service;
  const found = match({ kinds, entries, objects, inventory, agents: lookup, prune, otherAccount, kept });
  const matches = { ...found, list: found.list.map((each) => withHold(each, now)) };
  const names = namesOf(matches.list, matches.externals, lookup);
  const context = diffContext(inputs, names);
  const all = matches.list.flatMap((each) => diff(knowingKept(each, kept), context) ?? []);
  const changes = all.map((each) => withDelivery(each, kept));
  const { kept: selected, diagnostics: unselected } = select(
    changes,
    inputs.selected,
    project,
    inputs.suggest,
  );
  const diffs = selected
    .sort((a, b) => readingOrder(kinds, a, b))
    .map((each) => withCloseStarts(each, project.limits, now));
  const own = [...matches.diagnostics, ...diffs.flatMap((each) => each.diagnostics)];
  // An address may match nothing because of an error in its entry.
  const warnings = [
    ...unselected,
    ...unknownFormerly(diffs, inputs),
    ...unknownRemoved(inputs),
    ...duplicateWarnings(matches.list, prune),
    ...(prune === 'all' ? [] : namesakesOfKept(matches.list, kept)),
    ...startRateWarnings(inputs, matches),
    ...heldDiagnostics(heldOf(diffs).held),
    ...(inputs.checkout == null ? [] : staleCheckoutWarnings(inputs.checkout, diffs)),
  ];
  const diagnostics = hasErrors(own) ? own : [...own, ...warnings];
  const { externals } = matches;
  const parts = {
    ...{ diagnostics, matches: matches.list, externals, deleted: deletedBy(diffs), names },
    actions: new Map(diffs.map(({ change }) => [change.address, change.action])),
    otherAccount: accountObjections({ ...inputs, matches: matches.list }),
  };
  return { plan: hasErrors(diagnostics) ? null : assemble(inputs, diffs, parts), ...parts };
}

function diffContext(
  { prune, destroy, project, now, ownNow = now }: ReconcileInputs,
  names: Names,
): DiffContext {
  return { names, prune, destroy, removed: new Set(project.removed), now, ownNow };
}

function assemble(
  inputs: ReconcileInputs,
  diffs: readonly ResourceDiff[],
  { matches, externals, names, diagnostics }: Omit<Reconciled, 'plan'>,
): Plan {
  const { project, service, account, kinds, allow, checkout = null } = inputs;
  const { steps, stepsOf } = order(diffs);
  const undelivered = undeliveredKeys(diffs, inputs.kept ?? noKeys);
  const caller = describeCaller(inputs.objects);
  const referring = kinds.filter((kind) => kind.references !== undefined);
  const deleted = diffs.filter(({ change }) => change.action === 'delete').map((each) => each.match);
  const context = planContext(inputs, { matches, externals }, diffs);
  const changes = changesOf(diffs, { context, caller, names, stepsOf });
  const starts = weeklyStarts({ kinds, list: matches, externals }, diffs);
  const { name, environment, inventory, limits } = project;
  const safeguards = { prune: inputs.destroy === true ? project.prune : inputs.prune, limits };
  const basis = { project: name, environment, service, account, inventory, safeguards };
  const body = { ...basis, ...ignoredOf(diffs), ...heldOf(diffs), changes, steps };
  return {
    ...body,
    risks: [
      ...safeguardRisks(safeguards, inputs.inventory.safeguards),
      ...newlyIgnoredRisks(diffs),
      ...movedInventoryRisks(inventory, [inputs.inventory.place ?? null, inputs.readFrom ?? null]),
    ],
    startsPerWeek: starts.startsPerWeek,
    ...digestOf(body, diffs),
    ...restParts(body, diffs, {
      intent: inputs.inventory.intent,
      kinds,
      context: diffContext(inputs, names),
    }),
    unmanaged: context.unmanaged,
    links: [...linksOf(project.entries, referring), ...linksOfDeleted(deleted, names)],
    ...intentsAndRecords(diffs, inputs),
    ...undelivered,
    ...(inputs.destroy === true ? { destroy: true } : {}),
    ...(checkout === null ? {} : { checkout: plannedCheckout(checkout, allow.staleCheckout) }),
    objections: objections({ ...inputs, matches, diffs, steps, weeklyStarts: starts, ...undelivered }),
    diagnostics,
  };
}

interface ChangeParts {
  readonly context: PlanContext;
  readonly caller: Caller;
  readonly names: Names;
  readonly stepsOf: ReadonlyMap<Address, readonly string[]>;
}

function changesOf(
  diffs: readonly ResourceDiff[],
  { context, caller, names, stepsOf }: ChangeParts,
): Change[] {
  return diffs.map(({ change, revokesCaller, match: each }) => {
    const risks = context.risksOf(change, each);
    const ends = revokesCaller ? [accessEnds(each.observed, caller)] : [];
    const notes = [...context.notesOf(change.address), ...holdNotes(each, change.action), ...ends];
    const steps = stepsOf.get(change.address) ?? [];
    const isNone = change.action === 'none';
    // Most objects are unchanged: their copy is a plain one, which is many times faster.
    if (isNone && risks.length + notes.length === 0) return { steps, ...change };
    const brief = isNone ? {} : inBrief(each, names);
    return {
      steps,
      ...brief,
      ...change,
      risks: [...change.risks, ...risks],
      notes: [...change.notes, ...notes],
    };
  });
}

function readingOrder(kinds: readonly Kind[], a: ResourceDiff, b: ResourceDiff): number {
  const rank = (each: ResourceDiff) => kinds.indexOf(each.match.kind);
  return rank(a) - rank(b) || byCodeUnit(a.change.address, b.change.address);
}
