import { type Diagnostic, Problem, problem } from '../../model/diagnostic.js';
import type { Hold } from '../../model/hold.js';
import { type HoldPlan, type HoldReport, isIdle } from '../../model/hold-plan.js';
import type { LockInfo } from '../../model/inventory.js';
import { holdPlan } from '../../reconcile/hold-plan.js';
import type { Match } from '../../reconcile/world.js';
import { refusePastedKey } from '../api-key.js';
import type { ApplyCallbacks, Confirmation } from '../apply/apply.js';
import { type CarriedOut, carryOut } from '../apply/carry-out.js';
import { waitForLock } from '../apply/lock.js';
import { type Observation, observe } from '../observe.js';
import { selectorsOf } from '../selectors.js';
import type { Session } from '../session.js';
import { holderOf } from './holder.js';
import { leftAfterHold } from './left.js';
import { holdTargets } from './targets.js';
import type { Until } from './until.js';

export interface HoldOptions {
  /** Addresses and globs. Empty: everything. */
  readonly addresses: readonly string[];
  /** Null to resume. `until` may be computed from what time it is by the service's clock. */
  readonly hold: { readonly reason: string; readonly until: string | Until | null } | null;
  /** How long to wait for another run to release the lock. Default: 0. */
  readonly lockTimeoutMilliseconds?: number;
  readonly env: Readonly<Record<string, string | undefined>>;
}

export interface HoldCallbacks extends Pick<ApplyCallbacks, 'onWait' | 'onStep' | 'onStepsEnded'> {
  /** What is about to happen, before it is confirmed. */
  onPlan?(made: HoldPlan, diagnostics: readonly Diagnostic[]): void;
  /** Without it, the plan counts as confirmed. */
  confirm?(made: HoldPlan): Promise<Confirmation>;
}

/**
 * Pauses schedules and records why, or enables again what a hold has paused. Takes the lock and saves the intent first,
 * like an apply.
 * @throws Problem when nothing was changed.
 */
export async function hold(
  session: Session,
  options: HoldOptions,
  callbacks: HoldCallbacks = {},
): Promise<HoldReport> {
  const run = new HoldRun(session, options, callbacks);
  const onWait = (holder: LockInfo) => run.waitsFor(holder);
  try {
    return await waitForLock(session, options.lockTimeoutMilliseconds ?? 0, onWait, () => run.attempt());
  } catch (failure) {
    if (failure instanceof Problem && session.interrupted()) throw interrupted();
    throw failure;
  }
}

interface PlannedHold {
  readonly made: HoldPlan;
  readonly observation: Observation;
  readonly diagnostics: readonly Diagnostic[];
}

class HoldRun {
  private asked: Promise<Hold | null> | null = null;

  constructor(
    private readonly session: Session,
    private readonly options: HoldOptions,
    private readonly callbacks: HoldCallbacks,
  ) {}

  async attempt(): Promise<HoldReport> {
    const { session, callbacks } = this;
    const shown = await this.make();
    callbacks.onPlan?.(shown.made, shown.diagnostics);
    if (isIdle(shown.made)) return reportOf(shown, [], true);
    const answer = (await callbacks.confirm?.(shown.made)) ?? 'yes';
    if (answer === 'interrupted' || session.interrupted()) throw interrupted();
    if (answer === 'no') throw problem('not-confirmed', 'not confirmed: nothing was changed');
    return this.carryOut(callbacks.confirm === undefined ? shown : await this.unchanged(shown));
  }

  waitsFor(holder: LockInfo): void {
    if (this.session.interrupted()) throw interrupted();
    this.callbacks.onWait?.(holder);
  }

  private async make(): Promise<PlannedHold> {
    const { session, options } = this;
    const { project, service } = session;
    const selectors = selectorsOf(options.addresses);
    const observation = await observe(session);
    const { inventory, state, comparison } = observation;
    if (inventory.service !== null && inventory.service !== service)
      throw otherService(inventory.service, service);
    this.asked ??= this.holdAsked();
    const asked = await this.asked;
    const targets = holdTargets(observation, selectors, project);
    // `roster resume --all` means what is on hold.
    const isMeant = ({ known }: Match) => asked !== null || selectors !== null || known?.hold !== undefined;
    const made = holdPlan({
      action: asked === null ? 'resume' : 'hold',
      hold: asked,
      ...{ matches: targets.matches.filter(isMeant), names: comparison.names },
      ...{ project, service, account: state.account, inventory, now: session.serviceNow() },
    });
    // Only what is on hold is a matter of `roster resume`.
    return { made, observation, diagnostics: asked === null ? [] : targets.diagnostics };
  }

  private async holdAsked(): Promise<Hold | null> {
    const { session, options } = this;
    if (options.hold === null) return null;
    const { reason, until } = options.hold;
    refusePastedKey('--reason', reason);
    const now = session.serviceNow();
    const since = new Date(Math.floor(now.getTime() / 1000) * 1000).toISOString();
    const end = typeof until === 'function' ? until(now) : until;
    return { by: await holderOf(session, options.env), reason, since, until: end };
  }

  /** Reading the answer took time: what is carried out must still be what was confirmed. */
  private async unchanged(shown: PlannedHold): Promise<PlannedHold> {
    const now = await this.make();
    if (now.made.plan.digest === shown.made.plan.digest) return now;
    const help = 'A manifest, the inventory or the service has changed. Run the command again.';
    throw problem('stale-plan', 'the plan has changed since it was confirmed', help);
  }

  private async carryOut(current: PlannedHold): Promise<HoldReport> {
    const { session, callbacks } = this;
    const { made, observation } = current;
    const applied = await carryOut({
      session,
      plan: made.plan,
      command: made.action,
      observation,
      intent: made.intent,
      withheld: new Map(),
      isPart: true,
      // An interrupted apply stays one that can be resumed.
      isRest: true,
      verify: false,
      callbacks,
    });
    const left = applied.interrupted || applied.lockedOut ? [] : await leftAfterHold(session, made, applied);
    return reportOf(current, left, isDone(applied), applied);
  }
}

function isDone({ outcomes }: CarriedOut): boolean {
  return outcomes.every(({ outcome }) => outcome === 'done');
}

function reportOf(
  { made, diagnostics }: PlannedHold,
  left: readonly Diagnostic[],
  done: boolean,
  applied?: CarriedOut,
): HoldReport {
  const { outcomes = [], interrupted: ended = false } = applied ?? {};
  const all = [...diagnostics, ...(applied?.diagnostics ?? []), ...left];
  const converged = done && !ended && all.every(({ severity }) => severity !== 'error');
  return { made, outcomes, converged, interrupted: ended, diagnostics: all };
}

function otherService(recorded: string, service: string): Problem {
  const message = `the inventory belongs to the service ${recorded}, and this run uses ${service}`;
  return problem('inventory-mismatch', message, 'Check `--url`, ROSTER_URL and `service.url`.');
}

function interrupted(): Problem {
  return problem('interrupted', 'nothing was changed');
}
