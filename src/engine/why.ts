import { type Diagnostic, errorsIn, Problem } from '../model/diagnostic.js';
import type { Plan, Why } from '../model/plan.js';
import type { Address } from '../model/resource.js';
import { judgedBy, notCertain, unreadFor } from '../reconcile/select.js';
import { explain } from '../reconcile/why.js';
import { observe, requireAccount } from './observe.js';
import { planOf } from './plan.js';
import { selectedOf, selectorsOf } from './selectors.js';
import type { ReadSession } from './session.js';

/** Explanations of resources, in the order of the plan, and the plan that they are part of. */
export interface WhyResult {
  readonly whys: readonly Why[];
  readonly plan: Plan;
  /** The errors of files that may declare more of what was selected, and of settings that were left out. */
  readonly warnings: readonly Diagnostic[];
}

export interface WhyOptions {
  /** Objects of the inventory that the service does not show were deleted: it is the same account. Default: false. */
  readonly allowAccountChange?: boolean | undefined;
}

/**
 * Which remote object each selected resource is matched with, by which rule, what differs, and what is ignored. Sends reads
 * only. `selected` are addresses and globs, such as `schedule/*`.
 * @throws Problem when the manifests or the service do not allow a plan, or when there is no such resource.
 */
export async function why(
  session: ReadSession,
  selected: readonly Address[],
  options: WhyOptions = {},
): Promise<WhyResult> {
  const selectors = selectorsOf(selected);
  const allow = { accountChange: options.allowAccountChange === true };
  const observation = await observe(session, { allow });
  requireAccount(observation);
  const { comparison } = observation;
  const isMeant = (address: Address) => selectors?.some((each) => each.matches(address)) ?? true;
  const { project } = session;
  const unread = unreadFor(project, selectors);
  const diagnostics = [...judgedBy(comparison, isMeant), ...errorsIn(unread)];
  const plan = planOf(session, { ...observation, comparison: { ...comparison, diagnostics } });
  const addresses = [...plan.changes.map((each) => each.address), ...comparison.externals.keys()];
  const isSelected = selectedOf(selectors, { addresses, existsIn: project.existsIn, unread: project.unread });
  const chosen = [...new Set(addresses)].filter(isSelected);
  const known = new Set(chosen);
  const errors = notCertain(
    comparison.diffs.filter(({ change }) => known.has(change.address)),
    project,
  );
  if (errors.length > 0) throw new Problem(errors);
  const whys = chosen.flatMap((each) => explain(each, plan, comparison) ?? []);
  const warnings = unread.filter(({ severity }) => severity === 'warning');
  return { whys, plan, warnings: [...(project.unreadSettings ?? []), ...warnings] };
}
