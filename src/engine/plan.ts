import { kinds } from '../kinds/index.js';
import { limits } from '../manifest/limits.js';
import { suggestWithin } from '../manifest/suggest.js';
import { type Diagnostic, hasErrors, Problem } from '../model/diagnostic.js';
import { emptyInventory, type Inventory } from '../model/inventory.js';
import type { Kind } from '../model/kind.js';
import type { Objection, Plan } from '../model/plan.js';
import type { Reader } from '../model/request.js';
import type { Address } from '../model/resource.js';
import type { Allowances } from '../reconcile/guard.js';
import { asksOf, withNextRuns } from '../reconcile/next-runs.js';
import { type Reconciled, type ReconcileInputs, reconcile } from '../reconcile/plan.js';
import { type ObservedState, observe } from '../service/observe.js';
import { askAll } from '../service/previews.js';
import { toDestroy } from './destroy.js';
import { inFileOrder } from './file-order.js';
import { formerKeys } from './former-keys.js';
import { keptKeys } from './kept-keys.js';
import { type DeliveryCheck, undeliverableKeys } from './keys.js';
import { noEnvironmentWarnings } from './no-environment.js';
import { isNoProject } from './no-project.js';
import { type ObserveChoice, observeScope } from './observe-scope.js';
import { partOf } from './part.js';
import { withCalendar } from './plan-calendar.js';
import { selectorsOf } from './selectors.js';
import type { ReadSession } from './session.js';

export interface PlanOptions {
  /** What the guards let pass. Default: nothing. */
  readonly allow?: Partial<Allowances> | undefined;
  /** Addresses and globs to plan for, such as `schedule/*`. Default: everything. */
  readonly addresses?: readonly string[];
  /** Plans to delete what the inventory owns, whatever the manifests declare. Default: false. */
  readonly destroy?: boolean | undefined;
  /** Adds when agents start over the next days, before and after. Default: false. */
  readonly calendar?: boolean;
  /** The plan will not be applied: `records` and `createIntents` are empty. Default: false. */
  readonly isForView?: boolean | undefined;
}

/**
 * What apply would do. Sends reads only. The plan holds the objections for which apply would refuse it, and the warnings
 * about the manifests.
 * @throws Problem when the manifests or the service do not allow a plan.
 */
export async function plan(session: ReadSession, options: PlanOptions = {}): Promise<Plan> {
  const observation = await observeAndPlan(session, { ...options, previews: true, checkout: 'compare' });
  const made = planOf(session, observation);
  if (options.calendar !== true) return made;
  return withCalendar(made, observation.reconciled, session.serviceNow());
}

/** A plan with everything that it is based on. */
export interface Observation {
  readonly inventory: Inventory;
  readonly state: ObservedState;
  readonly reconciled: Reconciled;
  /** Which keys in files the new ones may replace. */
  readonly former: DeliveryCheck['former'];
}

export interface ObserveOptions extends PlanOptions, ObserveChoice {
  /** Tries to write where new keys would go, instead of only checking the permissions. */
  readonly proveDeliveries?: boolean;
  /** Used instead of the stored one. */
  readonly inventory?: Inventory;
  /** Adds the next runs of new and changed schedules, and what the service says against them. */
  readonly previews?: boolean;
  /** Compares the checkout with the commit last applied. `record` also checks whether the manifests differ from their commit. */
  readonly checkout?: 'compare' | 'record';
  /** Default: the client's. */
  readonly reader?: Reader;
}

/** Reads the inventory and the service, and plans. Only a reader is used. */
export async function observeAndPlan(session: ReadSession, options: ObserveOptions): Promise<Observation> {
  const { service, client, clock } = session;
  const { allow, checkout: compared, destroy = false, isForView } = options;
  const addresses = selectorsOf(options.addresses ?? []);
  const inventory = options.inventory ?? (await loadInventory(session));
  const { project, inventory: known } = destroy
    ? toDestroy(session.project, inventory)
    : partOf(options.kinds, session.project, inventory);
  const scope = observeScope(project, destroy ? inventory : known, options);
  const [state, checkout] = await Promise.all([
    observe(options.reader ?? client.reader(), options.kinds ?? kinds, scope, session.callsWith),
    compared === undefined || destroy ? null : session.readCheckout(inventory, compared),
  ]);
  // Holds end, keys expire and schedules start by the service's clock.
  const [now, ownNow] = [session.serviceNow(), clock.now()];
  const kept = keptKeys(project, state.objects, session.redactor);
  const basis = { project, service, state, inventory: known, checkout };
  const inputs = {
    ...basis,
    kinds: options.kinds,
    now,
    ownNow,
    kept,
    allow,
    destroy,
    isForView,
    selected: addresses,
  };
  const former = formerKeys(project, { state, inventory, kept });
  const outputs = options.proveDeliveries === true ? session.outputs : null;
  const reconciled = planWithDeliveries(inputs, { outputs, former });
  if (options.previews !== true) return { inventory, state, reconciled, former };
  return { inventory, state, reconciled: await withPreviews(session, state, reconciled, now), former };
}

/** Without a project there is none, and no file here is taken for it. */
function loadInventory({ store, project }: ReadSession): Promise<Inventory> | Inventory {
  return isNoProject(project) ? emptyInventory(project.name, project.environment) : store.load();
}

/** The plan of an observation for people to read. Throws a Problem with all diagnostics when there is none. */
export function planOf(session: ReadSession, observation: Observation): Plan {
  const { serviceOverride } = session;
  const { reconciled } = observation;
  const diagnostics = diagnosticsIn(session, observation);
  if (reconciled.plan === null || hasErrors(diagnostics)) throw new Problem(diagnostics);
  return { ...reconciled.plan, ...(serviceOverride === null ? {} : { serviceOverride }), diagnostics };
}

/** About the manifests, the service and what is planned, in the order of the files. */
export function diagnosticsIn(
  { project, warnings }: ReadSession,
  { reconciled, inventory }: Observation,
): Diagnostic[] {
  const unselected = noEnvironmentWarnings(project, inventory);
  return inFileOrder(project, warnings, unselected, reconciled.diagnostics);
}

/** `outputs` are files that the caller writes. With null, destinations of new keys are not tested by writing. */
function planWithDeliveries(
  inputs: Omit<PlanInputs, 'undeliverable'>,
  { outputs, former }: Pick<DeliveryCheck, 'former'> & { readonly outputs: readonly string[] | null },
): Reconciled {
  const planKnowing = (prove: ReadonlySet<Address>) =>
    planFor({
      ...inputs,
      undeliverable: undeliverableKeys(inputs.project, { prove, outputs: outputs ?? [], former }),
    });
  const checked = planKnowing(new Set());
  // The test writes to the disk, so it runs only for keys that the plan delivers.
  const creating = (checked.plan?.steps ?? []).filter((step) => step.delivery !== null);
  const delivering = [
    ...creating.flatMap((step) => step.addresses),
    ...Object.keys(checked.plan?.undelivered ?? {}),
  ];
  return outputs === null || delivering.length === 0 ? checked : planKnowing(new Set(delivering));
}

type Given =
  | 'project'
  | 'service'
  | 'inventory'
  | 'checkout'
  | 'now'
  | 'ownNow'
  | 'undeliverable'
  | 'kept'
  | 'selected'
  | 'isForView'
  | 'readFrom';

type PlanInputs = Pick<ReconcileInputs, Given> &
  Pick<PlanOptions, 'allow' | 'destroy'> & {
    readonly state: ObservedState;
    readonly kinds?: readonly Kind[] | undefined;
  };

const allowNothing: Allowances = {
  deletes: null,
  selfRevoke: false,
  empty: false,
  accountChange: false,
  staleCheckout: false,
};

/** The user asked for these deletes, so `limits.deletes` does not apply. */
const allowDestroying = { deletes: Number.POSITIVE_INFINITY, empty: true } as const;

/** The plan for an observed state, whether it was observed now or comes from a snapshot. */
export function planFor({ state, allow, destroy = false, ...inputs }: PlanInputs): Reconciled {
  return reconcile({
    ...inputs,
    ...state,
    kinds: inputs.kinds ?? kinds,
    destroy,
    prune: destroy ? 'owned' : inputs.project.prune,
    allow: { ...allowNothing, ...allow, ...(destroy ? allowDestroying : {}) },
    suggest: suggestWithin(limits.comparisons),
  });
}

export function objectionDiagnostic({ code, message, help }: Objection): Diagnostic {
  return { severity: 'error', code, message, help };
}

async function withPreviews(
  { client, concurrency }: ReadSession,
  { agents }: ObservedState,
  reconciled: Reconciled,
  now: Date,
): Promise<Reconciled> {
  const { plan: made, matches } = reconciled;
  if (made === null) return reconciled;
  const asks = asksOf(made, matches, agents[0]?.id ?? null);
  const answers = await askAll(client.reader(), asks, concurrency);
  const shown = withNextRuns(made, matches, answers, now);
  return { ...reconciled, plan: shown.plan, diagnostics: [...reconciled.diagnostics, ...shown.diagnostics] };
}
