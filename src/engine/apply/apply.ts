import type { StepEvent } from '../../apply/inputs.js';
import { inventoryAfter } from '../../apply/inventory-update.js';
import { print } from '../../inventory/format.js';
import { kinds } from '../../kinds/index.js';
import { type Diagnostic, Problem, problem } from '../../model/diagnostic.js';
import type { Inventory, Lock, LockInfo } from '../../model/inventory.js';
import { isEmpty, objectionDiagnostic, type Plan } from '../../model/plan.js';
import { pollUntil } from '../../model/poll.js';
import type { ChangeOutcome, Report } from '../../model/report.js';
import type { Address } from '../../model/resource.js';
import { defaultSafeguards } from '../../model/safeguards.js';
import { unseenChanges } from '../../reconcile/unseen.js';
import { type Observation, observe } from '../observe.js';
import { type PlanOptions, planOf, withPreviews } from '../plan.js';
import { compareWithDigest, type SavedPlan } from '../saved-plan.js';
import type { Session } from '../session.js';
import { carryOut } from './carry-out.js';
import { waitForLock, withLock } from './lock.js';
import { compareWithReviewed, isAcceptedRest } from './reviewed.js';
import { runResult } from './run-result.js';

export type { StepEvent } from '../../apply/inputs.js';

export interface ApplyOptions extends PlanOptions {
  /** Applies only a plan with this digest. */
  readonly expect?: string | undefined;
  /** Also applies the rest of the expected or saved plan if an earlier apply was interrupted or partly failed. */
  readonly resume?: boolean | undefined;
  /** Applies only this plan. */
  readonly saved?: SavedPlan | undefined;
  /** How long to wait for another run to release the lock. Default: 0. */
  readonly lockTimeoutMilliseconds?: number;
  /** Plans again at the end, to see whether anything is left. Default: true. */
  readonly verify?: boolean;
}

export type Confirmation = 'yes' | 'no' | 'interrupted';

/** What a run reports while it runs, and the one thing that it asks. All of them are optional. */
export interface ApplyCallbacks {
  /** The plan, before it is refused, confirmed or carried out. Called again when the lock had to be waited for. */
  onPlan?(plan: Plan): void;
  /** Whether to carry out the plan. Without it, the plan counts as confirmed. */
  confirm?(plan: Plan): Promise<Confirmation>;
  onWait?(holder: LockInfo): void;
  onStep?(event: StepEvent): void;
  onStepsEnded?(): void;
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
export async function apply(
  session: Session,
  options: ApplyOptions = {},
  callbacks: ApplyCallbacks = {},
): Promise<ApplyResult> {
  const run = new ApplyRun(session, options, callbacks);
  const onWait = (holder: LockInfo) => run.waitsFor(holder);
  try {
    return await waitForLock(session, options.lockTimeoutMilliseconds ?? 0, onWait, () => run.attempt());
  } catch (failure) {
    // How the requests in flight ended is not the reason.
    if (failure instanceof Problem && session.interrupted()) throw interrupted();
    throw failure;
  }
}

class ApplyRun {
  constructor(
    private readonly session: Session,
    private readonly options: ApplyOptions,
    private readonly callbacks: ApplyCallbacks,
  ) {}

  async attempt(): Promise<ApplyResult> {
    const { session, callbacks } = this;
    const { observation, plan } = await this.lookWhole();
    callbacks.onPlan?.(plan);
    const isRest = isAcceptedRest(plan, observation.inventory.intent, this.options);
    const isUnreviewed = this.refuse(plan, isRest);
    if (isEmpty(plan)) return isUnreviewed ? nothingChanged(plan) : this.nothingToDo(plan, observation);
    const answer = (await callbacks.confirm?.(plan)) ?? 'yes';
    if (answer === 'interrupted' || session.interrupted()) throw interrupted();
    if (answer === 'no') return declined(plan);
    const current = callbacks.confirm === undefined ? observation : await this.unchanged(plan);
    return this.carryOut(plan, current, isRest);
  }

  waitsFor(holder: LockInfo): void {
    if (this.session.interrupted()) throw interrupted();
    this.callbacks.onWait?.(holder);
  }

  /** Looks again while a list may lag. The service is asked for previews once, at the end. */
  private async lookWhole(): Promise<Look> {
    const { session } = this;
    const isWhole = (seen: Look) => !recreatesKnown(seen) && this.unseen(seen).size === 0;
    const { observation, plan } = await pollUntil(() => this.look(), isWhole, session.clock.sleep);
    return { observation, plan: await withPreviews(session, observation, plan) };
  }

  private isPart(): boolean {
    return (this.options.addresses ?? []).length > 0;
  }

  private async look(): Promise<Look> {
    const observation = await observe(this.session, { ...this.options, checkout: 'record' });
    return { observation, plan: planOf(this.session, observation, 'try') };
  }

  /** Whether the plan is another one than was reviewed. To resume or to destroy is then no error if nothing is left to change. */
  private refuse(plan: Plan, isRest: boolean): boolean {
    const { options, session } = this;
    const stale = isRest ? [] : compareWithReviewed(plan, options, session.redactor);
    const mayBeDone = options.resume === true || options.destroy === true;
    const refused = mayBeDone && isEmpty(plan) ? [] : stale;
    const refusals = [...plan.objections.map(objectionDiagnostic), ...refused];
    if (refusals.length > 0) throw new Problem(refusals);
    if (this.session.interrupted()) throw interrupted();
    return stale.length > 0;
  }

  /**
   * The user may confirm hours later: the confirmed plan must still be the current one. Its previews have
   * been shown, and the digest leaves them out.
   */
  private async unchanged(plan: Plan): Promise<Observation> {
    const { observation, plan: current } = await this.look();
    const refusals = [
      ...current.objections.map(objectionDiagnostic),
      ...compareWithDigest(current, plan.digest),
    ];
    if (refusals.length > 0) throw new Problem(refusals);
    return observation;
  }

  /** Nothing changes, but the inventory may need an update: someone has made a change already, or a setting has changed. */
  private async nothingToDo(plan: Plan, { inventory, state }: Observation): Promise<ApplyResult> {
    const ids = new Map(
      plan.changes.flatMap(({ address, id }) => (id === null ? [] : [[address, id] as const])),
    );
    const planned = { plan, kinds, observed: state.objects, isPart: this.isPart() };
    const known = { outcomes: [], ids, unseen: new Set<Address>(), now: this.session.clock.now() };
    const after = inventoryAfter(inventory, planned, known);
    const isCommitDecided = plan.checkout?.decided === true;
    if (!isCommitDecided && print(after) === print(withDefaults(inventory, after)))
      return nothingChanged(plan);
    const { diagnostics } = await withLock({
      session: this.session,
      plan,
      expected: inventory,
      work: (lock: Lock) => lock.save(after),
      runResult: () => runResult('complete', plan, [], { before: inventory, after }),
    });
    return nothingChanged(plan, diagnostics);
  }

  private async carryOut(plan: Plan, observation: Observation, isRest: boolean): Promise<ApplyResult> {
    const { session, callbacks, options } = this;
    const withheld = this.unseen({ observation, plan });
    const applied = await carryOut({
      session,
      plan,
      observation,
      withheld,
      isPart: this.isPart(),
      isRest,
      verify: options.verify !== false,
      callbacks,
    });
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
        ...plan.diagnostics,
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

/** What was observed, and the plan for it. */
interface Look {
  readonly observation: Observation;
  readonly plan: Plan;
}

function nothingChanged(plan: Plan, diagnostics: readonly Diagnostic[] = []): ApplyResult {
  const report = { plan, outcomes: [], converged: true, interrupted: false, keyEnded: false };
  return { report: { ...report, diagnostics: [...plan.diagnostics, ...diagnostics] }, declined: false };
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

/**
 * Whether the plan creates something that an earlier run created, or was about to create: the list may not show it yet,
 * and a second object must not be the result.
 */
function recreatesKnown({ observation, plan }: Look): boolean {
  const known = new Set(
    observation.comparison.matches
      .filter((each) => each.observed === null && (each.createInterrupted || each.known?.id != null))
      .map((each) => each.address),
  );
  return plan.changes.some(({ action, address }) => action === 'create' && known.has(address));
}

function unseenDiagnostic([address, why]: readonly [Address, string]): Diagnostic {
  const message = `${address} was left out: ${why}`;
  const help = 'Run `roster apply` again in a few minutes: the lists of the service can lag.';
  return { severity: 'error', code: 'not-converged', message, help };
}

function declined(plan: Plan): ApplyResult {
  const message = 'not confirmed: nothing was changed';
  const diagnostic: Diagnostic = { severity: 'error', code: 'not-confirmed', message };
  const outcomes = plan.changes
    .filter((each) => each.action !== 'none')
    .map(({ address, id }): ChangeOutcome => ({ address, id, outcome: 'skipped', error: 'not confirmed' }));
  const diagnostics = [...plan.diagnostics, diagnostic];
  const report = { plan, outcomes, converged: false, interrupted: false, keyEnded: false, diagnostics };
  return { report, declined: true };
}

function interrupted(): Problem {
  return problem('interrupted', 'nothing was changed');
}
