import { type Diagnostic, hasErrors, Problem } from '../model/diagnostic.js';
import { isRestOf } from '../model/digest.js';
import { isDiagnostic, type Refusal } from '../model/finding.js';
import { isAlive } from '../model/inventory.js';
import type { Plan } from '../model/plan.js';
import { instantText } from '../model/words.js';
import { compareCalendars } from '../reconcile/calendar.js';
import { asksOf, withNextRuns } from '../reconcile/next-runs.js';
import { plan as planFor } from '../reconcile/plan.js';
import { causesOf } from '../reconcile/rules/index.js';
import { askAll } from '../service/observe.js';
import { undeliverable } from './keys.js';
import { diagnosticsIn, type Observation, observe, type SelectionOptions } from './observe.js';
import { withOwners } from './owners.js';
import type { ReadSession } from './session.js';

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
  const observation = await observe(session, { ...options, checkout: 'compare' });
  const planned = await withPreviews(session, observation, planOf(session, observation));
  const findings = [...planned.findings, ...(await begun(session, observation, planned))];
  const made = withOwners({ ...planned, findings }, session.project.root, session.cwd);
  return options.calendar === true ? { ...made, calendar: compareCalendars(observation.comparison) } : made;
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
  const command = intent.destroy === true ? 'roster destroy' : 'roster apply';
  const ended = `an apply of the plan ${intent.digest} was interrupted or partly failed`;
  if (intent.destroy === true || !isRestOf(made, intent)) {
    const help = `Review this plan, and apply it: \`${command}\`.`;
    return [{ ...about, message: `${ended}, and this plan is not the rest of it`, help }];
  }
  const help = `To finish it without another review, run \`roster apply --expect ${intent.digest} --resume\`. Or review this plan and apply it.`;
  return [{ ...about, message: `${ended}: this plan is the rest of it`, help }];
}

/** How the destinations of new keys are checked: `try` also writes to them, because permissions do not say everything. */
type DeliveryTest = 'look' | 'try';

/** The plan of an observation. Throws a Problem with all diagnostics if no plan can be made. */
export function planOf(
  session: ReadSession,
  observation: Observation,
  deliveries: DeliveryTest = 'look',
): Plan {
  const { serviceOverride, outputs } = session;
  const { plan: made, diagnostics: found } = planFor(observation.comparison);
  const diagnostics = diagnosticsIn(session, observation, found);
  if (made === null || hasErrors(diagnostics)) throw new Problem(diagnostics);
  const { project } = observation.comparison.basis;
  const prove = deliveries === 'try';
  const checks = { prove, outputs: prove ? outputs : [], former: observation.former };
  const complete = withFindings(made, undeliverable(made, project, checks), diagnostics);
  return serviceOverride === null ? complete : { ...complete, serviceOverride };
}

/** With more reasons to refuse it, and its diagnostics in the order in which they are shown. */
export function withFindings(
  made: Plan,
  refusals: readonly Refusal[],
  diagnostics: readonly Diagnostic[],
): Plan {
  const others = made.findings.filter((each) => !isDiagnostic(each));
  return { ...made, findings: [...others, ...refusals, ...diagnostics] };
}

/** Adds the next runs of new and changed schedules, and what the service says against them. Throws a Problem for what it rejects. */
export async function withPreviews(
  session: ReadSession,
  observation: Observation,
  made: Plan,
): Promise<Plan> {
  const { comparison } = observation;
  const asks = asksOf(made, comparison, observation.state.agents[0]?.id ?? null);
  const answers = await askAll(session.client.reader(), asks, session.concurrency);
  const shown = withNextRuns(made, comparison, answers, comparison.basis.now);
  const found = causesOf([...made.findings.filter(isDiagnostic), ...shown.diagnostics], comparison);
  const diagnostics = diagnosticsIn(session, observation, found);
  if (hasErrors(diagnostics)) throw new Problem(diagnostics);
  return withFindings(shown.plan, [], diagnostics);
}
