import { inventoryAfter } from '../apply/inventory-update.js';
import { print } from '../inventory/format.js';
import { kinds } from '../kinds/index.js';
import { type Diagnostic, Problem } from '../model/diagnostic.js';
import { isRestOf } from '../model/digest.js';
import { isDiagnostic, isRefusal, refusalError } from '../model/finding.js';
import type { Intent, Inventory, LockInfo } from '../model/inventory.js';
import { isEmpty, type Plan } from '../model/plan.js';
import type { ChangeOutcome, Report } from '../model/report.js';
import type { Address } from '../model/resource.js';
import { defaultSafeguards } from '../model/safeguards.js';
import { unseenChanges } from '../reconcile/rules/unseen.js';
import { isSelectedBy } from '../reconcile/select.js';
import type { Selector } from '../reconcile/world.js';
import {
  type CarriedOut,
  carryOut,
  ownKeysIn,
  runResult,
  type StepCallbacks,
  withLock,
} from './carry-out.js';
import { type Observation, observe } from './observe.js';
import { ask, type PlanOptions, planOf } from './plan.js';
import { type Confirmation, nothingChangedYet, type ReviewedRun, reviewedRun } from './reviewed-run.js';
import { compareWithDigest, compareWithSaved, type SavedPlan, savedDigest } from './saved-plan.js';
import { isEverything, selectionOf } from './selectors.js';
import type { Session } from './session.js';

export type { StepEvent } from '../apply/run-state.js';

export interface ApplyOptions extends PlanOptions {
  /** Applies only a plan with this digest. */
  readonly expect?: string | undefined;
  /** Also applies the rest of the expected or saved plan if an earlier apply was interrupted or partly failed. */
  readonly resume?: boolean | undefined;
  /** Applies only this plan. */
  readonly saved?: SavedPlan | undefined;
  /** How long to wait for another command to release the lock. Default: 0. */
  readonly lockTimeoutMilliseconds?: number;
  /** Plans again at the end, to see whether anything is left. Default: true. */
  readonly verify?: boolean;
  /** Asks the service when new and changed schedules would run. Default: true. */
  readonly previews?: boolean;
}

/** What a run reports while it runs, and the one thing that it asks. All of them are optional. */
export interface ApplyCallbacks extends StepCallbacks {
  /** The plan, before it is refused, confirmed or carried out. Called again when the lock had to be waited for. */
  onPlan?(plan: Plan): void;
  /** Whether to carry out the plan. Without it, the plan counts as confirmed. */
  readonly confirm?: ((plan: Plan) => Promise<Confirmation>) | undefined;
  onWait?(holder: LockInfo): void;
  /** It waits before it reads again, because the service may not show yet what an earlier run did. */
  onLag?(milliseconds: number): void;
}

export interface ApplyResult {
  /** Its diagnostics are those of the plan, followed by those of the run. */
  readonly report: Report;
  /** True when the plan was not confirmed: nothing was changed. */
  readonly declined: boolean;
}

/**
 * Plans, takes the lock, carries out the plan, and reads back. Changes that fail are part of the report.
 * @throws Problem when nothing was changed: the manifests or the service do not allow a plan, a guard refuses it, it is
 * not the plan that was reviewed, or another run holds the lock.
 */
export function apply(
  session: Session,
  options: ApplyOptions = {},
  callbacks: ApplyCallbacks = {},
): Promise<ApplyResult> {
  return reviewedRun(new ApplyRun(session, options, callbacks));
}

interface Look {
  readonly observation: Observation;
  readonly plan: Plan;
  /** It is accepted as the rest of the reviewed plan, which the inventory says was begun. */
  readonly isRest: boolean;
  /** Why it is not the plan that was reviewed, nor its rest. */
  readonly stale: readonly Diagnostic[];
}

class ApplyRun implements ReviewedRun<Look, ApplyResult> {
  constructor(
    readonly session: Session,
    readonly options: ApplyOptions,
    readonly callbacks: ApplyCallbacks,
  ) {}

  /** Previews and destinations of keys are asked for and tested once, at the end. */
  async make(): Promise<Look> {
    const { session } = this;
    const observation = await this.lookWithoutLag(await session.store.load());
    const previews = this.options.previews !== false;
    const answers = await ask(session, observation, { prove: true, previews });
    const plan = planOf(session, observation, answers);
    const isRest = isAcceptedRest(plan, observation.inventory.intent, this.options);
    const { intent } = observation.inventory;
    return { observation, plan, isRest, stale: isRest ? [] : this.differences(plan, intent) };
  }

  private differences(plan: Plan, intent: Intent | undefined): readonly Diagnostic[] {
    const { expect, saved, resume = false } = this.options;
    const resuming = { resume, intent };
    return [
      ...(expect === undefined ? [] : compareWithDigest(plan, expect, resuming)),
      ...(saved === undefined ? [] : compareWithSaved(plan, saved, this.session.redactor, resuming)),
    ];
  }

  show({ plan, stale }: Look): void {
    this.callbacks.onPlan?.(plan);
    // To resume or to destroy is no error if nothing is left to change.
    const mayBeDone = this.options.resume === true || this.options.destroy === true;
    refuseFor(plan, mayBeDone && isEmpty(plan) ? [] : stale);
  }

  /** The inventory may need an update: someone has made a change already, or a setting has changed. */
  async nothingToDo({ plan, observation, stale }: Look): Promise<ApplyResult | null> {
    if (!isEmpty(plan)) return null;
    if (stale.length > 0) return nothingChanged(plan);
    const { inventory, state } = observation;
    const ids = new Map(
      plan.changes.flatMap(({ address, id }) => (id === null ? [] : [[address, id] as const])),
    );
    const planned = { plan, kinds, observed: state.objects, isPart: this.isPart() };
    const { clock, serviceNow } = this.session;
    const times = { now: clock.now(), serviceNow: serviceNow() };
    const known = { outcomes: [], ids, unseen: new Set<Address>(), ...times };
    const after = inventoryAfter(inventory, planned, known);
    const isCommitDecided = plan.checkout?.decided === true;
    if (!isCommitDecided && print(after) === print(withDefaults(inventory, after)))
      return nothingChanged(plan);
    const { diagnostics } = await withLock({
      session: this.session,
      plan,
      command: 'apply',
      reason: this.options.allow?.policyReason ?? undefined,
      expected: inventory,
      work: (lock) => lock.save(after),
      runResult: () => runResult('complete', plan, [], { before: inventory, after }),
    });
    return nothingChanged(plan, diagnostics);
  }

  async ask({ plan }: Look): Promise<Confirmation | null> {
    return (await this.callbacks.confirm?.(plan)) ?? null;
  }

  declined({ plan }: Look): ApplyResult {
    const message = 'Cancelled. Nothing was changed.';
    const diagnostic: Diagnostic = { severity: 'error', code: 'not-confirmed', message };
    const outcomes = plan.changes
      .filter((each) => each.action !== 'none')
      .map(({ address, id }): ChangeOutcome => ({ address, id, outcome: 'skipped', error: 'not confirmed' }));
    const diagnostics = [...plan.findings.filter(isDiagnostic), diagnostic];
    const report = { plan, outcomes, converged: false, interrupted: false, keyEnded: false, diagnostics };
    return { report, declined: true };
  }

  private isPart(): boolean {
    return !isEverything(this.options);
  }

  private look(inventory: Inventory): Promise<Observation> {
    return observe(this.session, { ...this.options, inventory, checkout: 'record' });
  }

  /**
   * Lists may lag, and a second object must not be the result. If creates of an earlier run are in doubt, it waits before it
   * reads: a single look then settles thousands of them. Another run may end while it waits.
   */
  private async lookWithoutLag(inventory: Inventory): Promise<Observation> {
    const { clock, signal, store, interrupted, project, cwd } = this.session;
    if (!isInDoubt(inventory, selectionOf(this.options, { project, cwd, inventory }))) {
      const seen = await this.look(inventory);
      if (!recreatesKnown(seen)) return seen;
      // Errors are reported before the wait.
      planOf(this.session, seen);
    }
    this.callbacks.onLag?.(LAG_MS);
    await clock.sleep(LAG_MS, signal);
    if (interrupted()) throw nothingChangedYet();
    return this.look(await store.load());
  }

  /**
   * The previews of the confirmed plan have been shown, and the digest leaves them out. Another run may have been killed
   * while this one waited for its user.
   */
  async makeAgain(confirmed: Look): Promise<Look> {
    const inventory = await this.session.store.load();
    const isSame = print(inventory) === print(confirmed.observation.inventory);
    const observation = await (isSame ? this.look(inventory) : this.lookWithoutLag(inventory));
    const answers = await ask(this.session, observation, { prove: true, previews: false });
    const current = planOf(this.session, observation, answers);
    refuseFor(current, compareWithDigest(current, confirmed.plan.digest));
    return { ...confirmed, observation };
  }

  /** Waits for nothing itself, so that the comparison can be released before the first request. */
  carryOut(look: Look): Promise<ApplyResult> {
    const { plan, observation, isRest } = look;
    const { session, callbacks, options } = this;
    const { inventory, state, former, siblings, comparison } = observation;
    const withheld = this.unseen(look);
    const carriedOut = carryOut({
      session,
      plan,
      command: 'apply',
      reason: options.allow?.policyReason ?? undefined,
      seen: { inventory, state, former, siblings },
      ownKeys: ownKeysIn(comparison),
      withheld,
      isPart: this.isPart(),
      isRest,
      verify: options.verify !== false,
      callbacks,
    });
    return this.resultOf(plan, withheld, carriedOut);
  }

  private async resultOf(
    plan: Plan,
    withheld: ReadonlyMap<Address, string>,
    carriedOut: Promise<CarriedOut>,
  ): Promise<ApplyResult> {
    const { session } = this;
    const applied = await carriedOut;
    const { outcomes, left } = applied;
    const allDone = outcomes.every((each) => each.outcome === 'done');
    const report: Report = {
      plan,
      outcomes,
      converged: left === null ? (allDone ? null : false) : allDone && left.length === 0,
      interrupted: applied.interrupted || (session.interrupted() && left?.length !== 0),
      keyEnded: applied.keyEnded || applied.endedOwnAccess,
      newKeyFile: applied.newKeyFile,
      // A failed change has been reported already.
      diagnostics: [
        ...plan.findings.filter(isDiagnostic),
        ...applied.diagnostics,
        ...[...withheld].map(unseenDiagnostic),
        ...(allDone ? (left ?? []) : []),
      ],
    };
    return { report, declined: false };
  }

  /** What was created a moment ago, and no list shows yet: its changes have to wait. */
  private unseen({ observation, plan }: Look): ReadonlyMap<Address, string> {
    return unseenChanges(plan, observation.comparison.matches, this.session.clock.now());
  }
}

/** Whether the plan is accepted as the rest of the reviewed one, which the inventory says was begun. */
function isAcceptedRest(plan: Plan, intent: Intent | undefined, options: ApplyOptions): boolean {
  const { expect, saved, resume = false } = options;
  const begun = expect ?? (saved && savedDigest(saved));
  return resume && intent?.digest === begun && intent !== undefined && isRestOf(plan, intent);
}

/** There is a plan, and it was not carried out: a guard refuses it, or it is not the one that was reviewed. */
export class RefusedPlan extends Problem {
  constructor(
    readonly plan: Plan,
    refusals: readonly Diagnostic[],
  ) {
    super(refusals);
    this.name = 'RefusedPlan';
  }
}

/** `stale` says that it is not the plan that was reviewed or confirmed. */
function refuseFor(plan: Plan, stale: readonly Diagnostic[]): void {
  const refusals = [...plan.findings.filter(isRefusal).map((each) => refusalError(each)), ...stale];
  if (refusals.length > 0) throw new RefusedPlan(plan, refusals);
}

function nothingChanged(plan: Plan, diagnostics: readonly Diagnostic[] = []): ApplyResult {
  const report = { plan, outcomes: [], converged: true, interrupted: false, keyEnded: false };
  return {
    report: { ...report, diagnostics: [...plan.findings.filter(isDiagnostic), ...diagnostics] },
    declined: false,
  };
}

/** A value that is merely recorded for the first time is not a reason to save the inventory, and neither is another commit. */
function withDefaults(inventory: Inventory, { service, place = null, commit = null }: Inventory): Inventory {
  const { safeguards } = inventory;
  return {
    ...inventory,
    service: inventory.service ?? service,
    safeguards: safeguards ?? defaultSafeguards,
    place: inventory.place ?? place,
    commit,
  };
}

/** How long to give lists to show what an earlier run did: longer than a run searches for its own creates. */
const LAG_MS = 5_000;

/** Whether an earlier run may have created something that no list has shown: it never saw it, or was cut off. */
function isInDoubt({ drafts, entries }: Inventory, selected: readonly Selector[] | null): boolean {
  const unseen = [...entries].flatMap(([address, { created }]) => (created === undefined ? [] : [address]));
  const doubtful = [...drafts.keys(), ...unseen];
  return doubtful.some((address) => selected === null || isSelectedBy(selected, address));
}

/** Whether the plan for it would create something that exists, or may exist, as far as the inventory knows. */
function recreatesKnown({ comparison }: Observation): boolean {
  return comparison.diffs.some(
    ({ change, match }) => change.action === 'create' && (match.createInterrupted || match.known?.id != null),
  );
}

function unseenDiagnostic([address, why]: readonly [Address, string]): Diagnostic {
  const message = `${address} was left out: ${why}`;
  const help = 'Run `roster apply` again in a few minutes: the lists of the service can lag.';
  return { severity: 'error', code: 'not-converged', message, help };
}
