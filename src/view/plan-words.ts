import {
  type Diagnostic,
  hasErrors,
  messageOf,
  type Place,
  type Severity,
  severities,
} from '../model/diagnostic.js';
import { isRefusal, refusalError } from '../model/finding.js';
import { placeLabel } from '../model/inventory.js';
import { groupBy } from '../model/json.js';
import { entriesOf } from '../model/merged-diagnostics.js';
import {
  type Change,
  type Drift,
  type Drifted,
  type Plan,
  type ServiceOverride,
  type SnapshotAge,
  type Step,
  summaryOf,
  type UnmanagedCounts,
} from '../model/plan.js';
import { isComplete, outcomeCounts, type Report } from '../model/report.js';
import type { ProjectScope } from '../model/resource.js';
import { defaultSafeguards, weakerSafeguards } from '../model/safeguards.js';
import { numberText } from '../model/schedule.js';
import { agree, commandWord, count, instantText, some } from '../model/words.js';
import { escapeControls } from './escape.js';
import { actingActions, actionLabels, isMoved } from './labels.js';

/** What every format says of a plan as a whole, in the same words. */

/** A name and a value: `Service` and `https://collect.example.com`. The value is as it came, not escaped. */
export interface PlanFact {
  readonly label: string;
  readonly value: string;
  /** True for a name to copy, false for prose. */
  readonly isCode: boolean;
  /** What won over the service that the manifest declares. */
  readonly override?: ServiceOverride;
}

/** What a page is about. Only a plan and a list say what won over the service that the manifest declares. */
export interface PageSubject extends ProjectScope {
  readonly serviceOverride?: ServiceOverride | undefined;
}

function projectFacts({ project, environment }: PageSubject): PlanFact[] {
  const named = (label: string, value: string | null) =>
    value === null ? [] : [{ label, value, isCode: true }];
  return [...named('Project', project), ...named('Environment', environment)];
}

export function serviceFact({ service, serviceOverride }: PageSubject): PlanFact {
  const fact = { label: 'Service', value: service, isCode: true };
  return serviceOverride === undefined ? fact : { ...fact, override: serviceOverride };
}

export function inventoryFact({ inventory }: Plan): PlanFact {
  return { label: 'Inventory', value: placeLabel(inventory), isCode: true };
}

/** What a plan rests on, and a pull request may not change unnoticed. */
export function basisFacts(plan: Plan): PlanFact[] {
  const { snapshot } = plan;
  return [
    ...projectFacts(plan),
    serviceFact(plan),
    inventoryFact(plan),
    ...proseFact('Settings', weakSettings(plan)),
    ...proseFact('Policies', policiesText(plan)),
    ...proseFact('Planned against', snapshot === undefined ? null : snapshotAge(snapshot)),
  ];
}

/** Where most of a project exists already, a reviewer need not read each of its objects. */
export function adoptedFact(plan: Plan): PlanFact[] {
  const { create, update, replace, adopt, unchanged } = summaryOf(plan);
  const declared = create + update + replace + adopt + unchanged;
  const adopted = plan.changes.filter((each) => each.action === 'adopt' && !isMoved(each)).length;
  if (adopted < FEWEST_ADOPTED || adopted * 2 <= declared) return [];
  const text = `${numberText(adopted)} of ${numberText(declared)} resources exist already, and apply only records them in the inventory`;
  return proseFact('Adopted', text);
}

const FEWEST_ADOPTED = 3;

/** Where nothing is left to do. What fails is a diagnostic. */
export function rehearsalFact({ rehearsal }: Plan): PlanFact[] {
  if (rehearsal === undefined) return [];
  if (rehearsal === null) return proseFact('Nothing to rehearse', 'the plan makes no calls');
  const { calls, kills, variants } = rehearsal;
  if (variants.some(({ converged }) => !converged)) return [];
  const killed = kills < calls ? count(kills, 'kill') : 'kills';
  const text = `${count(calls, 'call')}, nothing left to do; also with lost answers, rate limits and ${killed}`;
  return proseFact('Rehearsed on a copy of the service', text);
}

/** What the summary does not count. */
export function uncountedFacts({ unmanaged, ignored }: Plan): PlanFact[] {
  return [...unmanagedFact(unmanaged), ...ignoredFact(ignored)];
}

/** `3 groups, 11 schedules (roster list --unmanaged)`: names the command that lists them, unless it is that command. */
export function unmanagedFact(counts: UnmanagedCounts, hint = ' (roster list --unmanaged)'): PlanFact[] {
  const kinds = Object.entries(counts).filter(([, number]) => number > 0);
  const text = `${kinds.map(([kind, number]) => count(number, kind)).join(', ')}${hint}`;
  return proseFact('Not managed here', kinds.length === 0 ? null : text);
}

/** More addresses would not fit on the line. */
const MOST_IGNORED_NAMED = 3;

/** `2 differences (roster why schedule/nightly)`. */
function ignoredFact(ignored: Plan['ignored']): PlanFact[] {
  if (ignored === undefined || ignored.differences === 0) return [];
  const { differing, differences } = ignored;
  const named = differing.length <= MOST_IGNORED_NAMED ? differing.join(' ') : 'ADDRESS';
  return proseFact('Ignored here', `${count(differences, 'difference')} (roster why ${named})`);
}

function proseFact(label: string, value: string | null): PlanFact[] {
  return value === null ? [] : [{ label, value, isCode: false }];
}

/** `Not managed here: 2 schedules.` Escaped. */
export function factSentence({ label, value }: PlanFact): string {
  return `${label}: ${escapeControls(value)}.`;
}

/**
 * `prune all (default owned), limits.deletes 50 (default 5)`: every setting that allows more than its default, whatever
 * the inventory says of the last apply, because a pull request may write that, too. Null when there are none.
 */
function weakSettings({ safeguards }: Plan): string | null {
  const weak = weakerSafeguards(safeguards, defaultSafeguards);
  if (weak.length === 0) return null;
  return weak.map(({ name, value, before }) => `${name} ${value} (default ${before})`).join(', ');
}

/** `3 checked, 2 of them from outside the project`. */
function policiesText({ policies }: Plan): string | null {
  if (policies === undefined) return null;
  const outside = policies.checked.filter((each) => each.outside === true).length;
  const all = policies.checked.length;
  const from = outside === all ? 'from outside the project' : `${outside} of them from outside the project`;
  return outside === 0 ? `${all} checked` : `${all} checked, ${from}`;
}

/** `a snapshot of 2026-11-20 02:30 UTC, 26 hours old`. */
export function snapshotAge({ takenAt, ageSeconds }: SnapshotAge): string {
  return `a snapshot of ${instantText(takenAt)}, ${ageText(ageSeconds)} old`;
}

const ageUnits = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const;

/** In the largest unit that gives at least 2, rounded down. */
function ageText(seconds: number): string {
  const [unit, length] = ageUnits.find(([, each]) => seconds >= 2 * each) ?? ['second', 1];
  return count(Math.floor(seconds / length), unit);
}

/** `168 → 121,128 (+120,960)`: agent starts a week. Null where the plan does not change them. */
export function startsPerWeek(plan: Plan): string | null {
  const { before, after, unknown } = plan.startsPerWeek;
  const isSame = before === after && unknown.before === unknown.after;
  const changesUnknown = plan.changes.some(hasUnknownTimes);
  if (isSame && !changesUnknown) return null;
  const isKnown = unknown.before === unknown.after && !(changesUnknown && unknown.after > 0);
  const sides = [atLeast(before, unknown.before), atLeast(after, unknown.after)];
  const totals = isSame ? `${sides[0]} before and after` : sides.join(' → ');
  const difference = isKnown && !isSame ? differenceText(shownStarts(after) - shownStarts(before)) : '';
  return `${totals}${difference}${uncountedTimings(unknown)}`;
}

function atLeast(starts: number, unknown: number): string {
  return `${unknown > 0 ? 'at least ' : ''}${startsText(starts)}`;
}

function uncountedTimings({ before, after }: Plan['startsPerWeek']['unknown']): string {
  const timings = (unknown: number, when: string) =>
    unknown === 0 ? [] : [`${count(unknown, 'timing')}${when}`];
  const parts =
    before === after ? timings(before, '') : [...timings(before, ' before'), ...timings(after, ' after')];
  return parts.length === 0 ? '' : `, not counting ${parts.join(' and ')}, which cannot be computed here`;
}

function hasUnknownTimes({ action, nextRuns }: Change): boolean {
  if (nextRuns === null) return false;
  const { before, after } = nextRuns.pace;
  return after === null || (action === 'update' && before === null);
}

function differenceText(more: number): string {
  return ` (${more > 0 ? '+' : '-'}${startsText(Math.abs(more))})`;
}

/** Fractions of large totals are averages of months and years, and say nothing. */
export function startsText(starts: number): string {
  return numberText(shownStarts(starts));
}

function shownStarts(starts: number): number {
  return starts >= 100 ? Math.round(starts) : starts;
}

/** `2 to create, 1 to update, 1 moved`: only what there is; empty without changes. */
export function countsOf(changes: readonly Change[]): string {
  const counts = actingActions.map((action) => {
    const number = changes.filter((each) => each.action === action && !isMoved(each)).length;
    return number === 0 ? '' : `${numberText(number)} to ${actionLabels[action].verb}`;
  });
  const moved = changes.filter(isMoved).length;
  return [...counts, moved === 0 ? '' : `${numberText(moved)} moved`]
    .filter((text) => text !== '')
    .join(', ');
}

/** The last line of a text plan (contract §6). */
export function planLine(plan: Plan): string {
  const summary = summaryOf(plan);
  if (actingActions.every((action) => summary[action] === 0)) return `No changes. ${nothingText(plan)}`;
  const acting = actingActions.map((action) => `${summary[action]} to ${actionLabels[action].verb}`);
  return `Plan: ${acting.join(', ')}, ${summary.unchanged} unchanged.`;
}

/** Why a plan has no changes. */
function nothingText(plan: Plan): string {
  if (plan.destroy === true) return 'The inventory owns nothing that exists.';
  return `The service matches the manifests (${summaryOf(plan).unchanged} unchanged).`;
}

/** Of a plan without changes and risks. It claims nothing about manifests that declare nothing. */
export function emptyVerdict(plan: Plan): string {
  const isEmpty = plan.findings.some((each) => isRefusal(each) && each.code === 'empty-project');
  return isEmpty ? 'Nothing is declared.' : planLine(plan);
}

/** A longer command would not be read. */
const MOST_SELECTED = 10;

/**
 * The command that applies what is not refused: without the changes that are, and without what depends on them. Null where
 * the plan is refused as a whole, or nothing is left.
 */
export function restCommand(plan: Plan): string | null {
  const refusals = plan.findings.filter(isRefusal);
  const refused = new Set<string>();
  for (const { address, addresses = address === null ? [] : [address] } of refusals) {
    if (addresses.length === 0) return null;
    for (const each of addresses) refused.add(each);
  }
  const left = dependingOn(refused, plan);
  const rest = plan.changes.filter(({ action, address }) => action !== 'none' && !left.has(address));
  if (refusals.length === 0 || rest.length === 0 || rest.length > MOST_SELECTED) return null;
  const environment = plan.environment === null ? [] : ['-e', plan.environment];
  const words = [...environment, ...rest.map(({ address }) => address)];
  const quotedWords = words.map(commandWord);
  return `roster ${plan.destroy === true ? 'destroy' : 'apply'} ${quotedWords.join(' ')}`;
}

/** These, and all that refers to one of them or is carried out after it. */
function dependingOn(addresses: ReadonlySet<string>, { links, steps }: Plan): ReadonlySet<string> {
  const doneBy = new Map(steps.map((step) => [step.id, step.addresses]));
  const dependents = groupBy(
    [
      ...links.map(({ from, to }) => ({ from, to })),
      ...steps.flatMap((step) =>
        step.addresses.flatMap((from) =>
          step.after.flatMap((id) => (doneBy.get(id) ?? []).map((to) => ({ from, to }))),
        ),
      ),
    ],
    ({ to }) => to,
  );
  const found = new Set(addresses);
  for (const address of found) for (const { from } of dependents.get(address) ?? []) found.add(from);
  return found;
}

/** What precedes the refusals. */
export function refusalTitle({ destroy }: Plan): string {
  return `${destroy === true ? 'Destroy' : 'Apply'} would refuse this plan`;
}

/** The last line of a text report (contract §6). */
export function reportLine(report: Report): string {
  const { plan } = report;
  const work = plan.destroy === true ? 'Destroy' : 'Apply';
  if (!isComplete(report)) {
    const { done, failed, skipped, unknown } = outcomeCounts(report);
    return `${work} incomplete: ${done} done, ${failed} failed, ${skipped} not tried, ${unknown} unknown.`;
  }
  const summary = summaryOf(plan);
  if (actingActions.every((action) => summary[action] === 0)) return planLine(plan);
  const possible = actingActions.filter(
    (action) => plan.destroy !== true || ['delete', 'forget'].includes(action),
  );
  const acting = possible.map((action) => `${summary[action]} ${actionLabels[action].past}`);
  return `${work} complete: ${acting.join(', ')}.`;
}

/** `1 changed, 0 deleted`; null without drift. */
export function driftCounts({ changes }: Drift): string | null {
  const of = (what: Drifted['what']) => changes.filter((each) => each.what === what).length;
  return changes.length === 0 ? null : `${of('changed')} changed, ${of('deleted')} deleted`;
}

/** What is not known must not be read as no drift. */
export function noDrift({ resources, diagnostics }: Drift): {
  readonly verdict: string;
  readonly says: string;
} {
  const many = count(resources, 'resource');
  return hasErrors(diagnostics)
    ? {
        verdict: 'The drift check is incomplete.',
        says: `Entries with errors were not compared. The others have no drift since the last apply (${many}).`,
      }
    : { verdict: 'No drift.', says: `Nothing was changed outside roster since the last apply (${many}).` };
}

/** After the counts. */
export function driftNotKnown({ diagnostics }: Drift): string {
  return hasErrors(diagnostics) ? ' Entries with errors were not compared.' : '';
}

/** What people read. SARIF has the same words for its levels. */
export const severityLabels = { error: 'error', warning: 'warning', info: 'note' } as const satisfies Record<
  Severity,
  string
>;

/** Entries that the message of a policy is about. The rest are counted. */
const MOST_BREAKING = 3;

/** The message, after the entries that it is about where it names none: that of a policy is the same for all. */
export function messageWithEntries(diagnostic: Diagnostic): string {
  const entries = diagnostic.code === 'policy' ? entriesOf(diagnostic) : [];
  const message = messageOf(diagnostic);
  return entries.length === 0 ? message : `${some(entries, MOST_BREAKING)}: ${message}`;
}

/** What must not be missed comes first, where there may be no room for all. */
export function worstFirst(diagnostics: readonly Diagnostic[]): Diagnostic[] {
  return severities.flatMap((severity) => diagnostics.filter((each) => each.severity === severity));
}

/** `2 errors`, `1 warning`, `1 note`: worst first, and only what there is. */
export function severityCounts(diagnostics: readonly Diagnostic[]): string[] {
  return severities.flatMap((severity) => {
    const number = diagnostics.filter((each) => each.severity === severity).length;
    return number === 0 ? [] : [count(number, severityLabels[severity])];
  });
}

/**
 * What is shown of diagnostics, and a sentence about the rest: warnings of unchanged resources, which reviewers
 * have seen before. The sentence is null if there are none, or with `verbose`. `command` is the command that shows them.
 */
export function shownAndRest(
  diagnostics: readonly Diagnostic[],
  { command = '', verbose = false }: { readonly command?: string; readonly verbose?: boolean | undefined },
): { readonly shown: readonly Diagnostic[]; readonly rest: string | null } {
  const unchanged = verbose ? [] : diagnostics.filter((each) => each.unchanged === true);
  if (unchanged.length === 0) return { shown: diagnostics, rest: null };
  const codes = [...groupBy(unchanged, ({ code }) => code)].map(([code, all]) =>
    all.length === 1 ? code : `${all.length} ${code}`,
  );
  const [are, them] = [agree(unchanged.length, 'is', 'are'), agree(unchanged.length, 'it', 'them')];
  const what = `${severityCounts(unchanged).join(' and ')} of unchanged resources ${are} not shown`;
  return {
    shown: diagnostics.filter((each) => each.unchanged !== true),
    rest: `${what} (${codes.join(', ')}); \`${command}-v\` shows ${them}.`,
  };
}

/** Which data the times were computed with: two versions of Node may differ by an hour. */
export function zoneDataText(version: string): string {
  return `Time-zone data: ${escapeControls(version)}`;
}

/** The URL of a manifest line; null if no commit is known. */
export type PlaceUrl = (place: Place) => string | null;

/** Looks up the steps of a change, in their order. */
export type StepLookup = (change: Change) => readonly Step[];

export function stepLookup(plan: Plan): StepLookup {
  const steps = new Map(plan.steps.map((step) => [step.id, step]));
  return (change) => change.steps.flatMap((id) => steps.get(id) ?? []);
}

/** The requests of these steps. Ids that are unknown before the plan runs are shown as `{id}`. */
export function callSummaries(steps: readonly Step[]) {
  return steps.map(({ request }) => ({
    method: request.method,
    path: request.path.replace(/\{[^{}]*\}/g, '{id}'),
  }));
}

/** Why apply would refuse the plan, as errors at the places of the entries that they are about. */
export function refusalErrors({ changes, findings }: Plan): Diagnostic[] {
  const sources = new Map(changes.map((change) => [change.address, change.source]));
  return findings.filter(isRefusal).map((each) => refusalError(each, sources.get(each.address ?? '')));
}
