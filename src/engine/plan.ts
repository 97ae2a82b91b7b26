import { type Diagnostic, hasErrors, Problem } from '../model/diagnostic.js';
import { isRestOf } from '../model/digest.js';
import { isDiagnostic } from '../model/finding.js';
import { isAlive } from '../model/inventory.js';
import type { Plan } from '../model/plan.js';
import { instantText } from '../model/words.js';
import { compareCalendars } from '../reconcile/calendar.js';
import { asksOf } from '../reconcile/next-runs.js';
import { plan as planFor } from '../reconcile/plan.js';
import { mayBePlanned } from '../reconcile/rules/index.js';
import { type Answers, nothingAsked } from '../reconcile/world.js';
import { askAll } from '../service/observe.js';
import type { SelectionOptions } from './lookup.js';
import { diagnosticsIn, type Observation, observe } from './observe.js';
import { ownersOfChanges } from './owners.js';
import type { LocalSession, ReadSession } from './session.js';

export interface PlanOptions extends SelectionOptions {
  /** Adds when agents start over the next days, before and after. Default: false. */
  readonly calendar?: boolean;
}

/**
 * What apply would do. Sends reads only. The plan holds why apply would refuse it, and the warnings about the
 * manifests.
 * @throws Problem when the manifests or the service do not allow a plan.
 */
export async function plan(session: ReadSession, options: PlanOptions = {}): Promise<Plan> {
  return (await planned(session, options)).plan;
}

/** A plan, and what it was made from. */
export interface PlanMade {
  readonly plan: Plan;
  readonly session: LocalSession;
  readonly observation: Pick<Observation, 'state' | 'inventory' | 'comparison'>;
}

export async function planned(session: ReadSession, options: PlanOptions): Promise<PlanMade> {
  const observation = await observe(session, { ...options, checkout: 'compare' });
  const answers = await ask(session, observation, { prove: false, previews: true });
  const made = planShown(session, observation, { answers, calendar: options.calendar });
  const unfinished = await begun(session, observation, made);
  return { plan: { ...made, findings: [...made.findings, ...unfinished] }, session, observation };
}

interface ShownPlan {
  readonly answers: Answers;
  readonly calendar: boolean | undefined;
  /** About what the plan was made from. Not said where there are errors. */
  readonly notes?: readonly Diagnostic[];
}

/** A plan with all that a reviewer is shown: whose the changes are, and when agents start. Throws a Problem. */
export function planShown(
  session: LocalSession,
  observation: PlanMade['observation'],
  { answers, calendar = false, notes }: ShownPlan,
): Plan {
  const { comparison } = observation;
  const changes = comparison.diffs.map(({ change }) => change);
  const owners = ownersOfChanges(changes, session.project.root, session.cwd);
  const made = planOf(session, observation, { ...answers, owners: owners.byAddress }, notes);
  const shown = { ...made, findings: [...made.findings, ...owners.warnings] };
  return calendar ? { ...shown, calendar: compareCalendars(comparison) } : shown;
}

/** That an apply has begun and not ended: the rest of it can be resumed, or it is still running. */
async function begun(session: ReadSession, { inventory }: Observation, made: Plan): Promise<Diagnostic[]> {
  const { intent } = inventory;
  if (intent === undefined) return [];
  const { store, clock } = session;
  const holder = await store.holder();
  const about = { severity: 'info', code: 'unfinished-apply' } as const;
  if (holder !== null && isAlive(holder, clock.now())) {
    const message = `an apply of the plan ${intent.digest} is running: ${holder.name}, since ${instantText(holder.since)}`;
    return [{ ...about, message, help: 'This plan may show changes that it is about to make.' }];
  }
  // It may have ended since the inventory was read.
  if ((await store.load()).intent?.digest !== intent.digest) {
    const message = `an apply of the plan ${intent.digest} ended while the service was being read`;
    return [{ ...about, message, help: 'Plan again: this plan may show changes that it has made.' }];
  }
  const command = intent.destroy === true ? 'roster destroy' : 'roster apply';
  const ended = `an apply of the plan ${intent.digest} was interrupted or partly failed`;
  if (intent.destroy === true || !isRestOf(made, intent)) {
    const help = `Review this plan, and apply it: \`${command}\`.`;
    return [{ ...about, message: `${ended}, and this plan is not the rest of it`, help }];
  }
  const help = `To finish it without another review, run \`roster apply --expect ${intent.digest} --resume\`. Or review this plan and apply it.`;
  return [{ ...about, message: `${ended}: this plan is the rest of it`, help }];
}

interface Asking {
  /** Whether the destinations of new keys are tested by writing to them: permissions do not say everything. */
  readonly prove: boolean;
  /** Whether the plan is to show next runs. */
  readonly previews: boolean;
}

/**
 * Asks what a plan needs to know about its changes: whether new keys can be delivered, and then what the service says of the
 * next runs of new and changed schedules. Nothing is asked if there can be no plan.
 */
export async function ask(
  { client, keyPlaces, outputs, concurrency }: ReadSession,
  { comparison, state, former }: Observation,
  { prove, previews }: Asking,
): Promise<Answers> {
  if (!mayBePlanned(comparison)) return nothingAsked;
  const reasons = keyPlaces.undeliverable(comparison, { prove, outputs: prove ? outputs : [], former });
  if (!previews) return { ...nothingAsked, undeliverable: reasons };
  const asks = asksOf(comparison, state.agents[0]?.id ?? null);
  const answers = await askAll(client.reader(), asks, concurrency);
  return { ...nothingAsked, undeliverable: reasons, previews: answers };
}

/** The plan of an observation. Throws a Problem with all diagnostics if no plan can be made. */
export function planOf(
  session: LocalSession,
  observation: PlanMade['observation'],
  answers: Answers = nothingAsked,
  notes: readonly Diagnostic[] = [],
): Plan {
  const { plan: made, diagnostics: found } = planFor(observation.comparison, answers);
  const all = made === null ? found : [...found, ...notes];
  const diagnostics = diagnosticsIn(session, observation, all);
  if (made === null || hasErrors(diagnostics)) throw new Problem(diagnostics);
  const others = made.findings.filter((each) => !isDiagnostic(each));
  const complete = { ...made, findings: [...others, ...diagnostics] };
  const { serviceOverride } = session;
  return serviceOverride === null ? complete : { ...complete, serviceOverride };
}
