import type { Diagnostic } from '../model/diagnostic.js';
import { isDiagnostic, isRefusal, isRisk, type Refusal, type Risk } from '../model/finding.js';
import type { Change, Plan } from '../model/plan.js';
import { type AgentStarts, numberText } from '../model/schedule.js';
import { agree } from '../model/words.js';
import { blocksOf, type ChangeBlock, oneByOne, startsPerRun } from './alike.js';
import { type ChangeView, changeViews, deliversSecret, isInventoryOnly, needsCare } from './change-view.js';
import {
  adoptedFact,
  basisFacts,
  countsOf,
  emptyVerdict,
  type PlanFact,
  planLine,
  rehearsalFact,
  restCommand,
  startsPerWeek,
  stepLookup,
  uncountedFacts,
} from './plan-words.js';

/**
 * A plan as a reviewer reads it, in the order of every format (contract §18): the verdict, what is risky, the other changes,
 * what starts more or less often, and what the plan rests on. The formats only lay it out.
 */
export interface PlanPage {
  /** `2 to update, 1 to delete · 2 risks`; a sentence if there are none. */
  readonly verdict: string;
  /** Why apply would refuse the plan. */
  readonly refusals: readonly Refusal[];
  /** What went wrong with a plan that was made, such as its rehearsal. */
  readonly errors: readonly Diagnostic[];
  /** The command that applies the rest of a refused plan; null where there is none. */
  readonly restCommand: string | null;
  /** Those of the plan as a whole. */
  readonly risks: readonly Risk[];
  /** Changes with a risk, and those that a reviewer must not overlook: what may run a program first, then deletes. */
  readonly risky: readonly ChangeBlock[];
  readonly others: readonly ChangeBlock[];
  /** `1 to create, 1 to update`, of the other changes. Empty where there are none. */
  readonly otherCounts: string;
  /** Those of every change, if they all have the same; they are not said with each change then. */
  readonly owners: readonly string[];
  /** Null where the plan changes no starts. */
  readonly starts: StartsView | null;
  readonly basis: readonly PlanFact[];
  /** What the counts of the last line mean, and what they leave out. */
  readonly totals: readonly PlanFact[];
  readonly digest: string;
  /** Frozen (contract §6). */
  readonly lastLine: string;
}

/** What starts more or less often. */
export interface StartsView {
  /** `111 → 133 (+22)`: agent starts a week. Null where the total stays the same. */
  readonly total: string | null;
  /** Those that change, the largest change first. */
  readonly agents: readonly AgentStarts[];
}

export interface PlanPageOptions {
  /** Shows every change by itself. Default: false. */
  readonly verbose?: boolean | undefined;
}

export function planPage(plan: Plan, { verbose = false }: PlanPageOptions = {}): PlanPage {
  const owners = commonOwners(plan.changes);
  const views = changeViews(plan);
  const atRisk = new Set(riskyChanges(plan));
  const risky = views.filter(({ change }) => atRisk.has(change));
  const others = views.filter(({ change }) => !atRisk.has(change));
  const startsOf = startsPerRun(plan);
  const blocks = (list: readonly ChangeView[]) => (verbose ? oneByOne(list) : blocksOf(list, startsOf));
  return {
    verdict: verdictOf(plan),
    refusals: plan.findings.filter(isRefusal),
    errors: plan.findings.filter((each) => isDiagnostic(each)).filter(({ severity }) => severity === 'error'),
    restCommand: restCommand(plan),
    risks: plan.findings.filter(isRisk),
    risky: blocks(inOrder(risky, riskOrder)),
    others: blocks(inOrder(others, (view) => (isInventoryOnly(view) ? 1 : 0))),
    otherCounts: countsOf(others.map(({ change }) => change)),
    owners,
    starts: startsOfPlan(plan),
    basis: basisFacts(plan),
    totals: [...adoptedFact(plan), ...uncountedFacts(plan), ...rehearsalFact(plan)],
    digest: plan.digest,
    lastLine: planLine(plan),
  };
}

/** `2 to update, 1 to delete · 2 risks`; a sentence if there are none. It names nothing of the project. */
export function verdictOf(plan: Plan): string {
  const risks = plan.findings.filter(isRisk).length + riskyChanges(plan).length;
  const riskText = risks === 0 ? '' : `${numberText(risks)} ${agree(risks, 'risk', 'risks')}`;
  const texts = [countsOf(plan.changes), riskText].filter((text) => text !== '');
  return texts.length === 0 ? emptyVerdict(plan) : texts.join(' · ');
}

/** Changes with a risk, and those that need care. */
function riskyChanges(plan: Plan): Change[] {
  const stepsOf = stepLookup(plan);
  return plan.changes.filter(
    (change) =>
      change.action !== 'none' && (change.findings.some(isRisk) || needsCare(change, stepsOf(change))),
  );
}

/** The smaller, the earlier. Not even hundreds of other risks may push those that start too often over a limit. */
function riskOrder({ change, needsCare: isCareful, risks }: ChangeView): number {
  if (deliversSecret(change)) return 0;
  if (change.action === 'delete') return 1;
  if (isCareful) return 2;
  return risks.some(({ code }) => code === 'too-frequent') ? 3 : 4;
}

/** Stable. */
function inOrder(views: readonly ChangeView[], orderOf: (view: ChangeView) => number): ChangeView[] {
  return views
    .map((view) => [orderOf(view), view] as const)
    .sort(([a], [b]) => a - b)
    .map(([, view]) => view);
}

/** Empty where one change has none, or others. */
function commonOwners(changes: readonly Change[]): readonly string[] {
  const acting = changes.filter(({ action }) => action !== 'none');
  const all = new Set(acting.map(({ owners = [] }) => JSON.stringify(owners)));
  return all.size === 1 && acting.length > 1 ? (acting[0]?.owners ?? []) : [];
}

function startsOfPlan(plan: Plan): StartsView | null {
  const total = startsPerWeek(plan);
  const agents = plan.startsByAgent;
  return total === null && agents.length === 0 ? null : { total, agents };
}
