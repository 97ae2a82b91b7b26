import { type Diagnostic, hasErrors, type Place } from '../../model/diagnostic.js';
import { isDiagnostic, isNote, isRisk, type Risk } from '../../model/finding.js';
import type { Hold } from '../../model/hold.js';
import type { AgentInput, ListedAgent, ListedObject, ServiceListing } from '../../model/kind.js';
import type { DetailedLog, Log, LogEntry } from '../../model/log.js';
import { type Drift, type FieldChange, type Plan, summaryOf, type Why } from '../../model/plan.js';
import { actingOutcomes, type HoldReport, isComplete, type Report } from '../../model/report.js';
import type { Address, ProjectScope } from '../../model/resource.js';
import type { Calendar } from '../../model/schedule.js';
import { verdictOf } from '../plan-page.js';
import { callSummaries, refusalErrors, stepLookup } from '../plan-words.js';
import { diagnosticJson, failureJson, placeJson } from './diagnostics-json.js';

export type PlanJson = ReturnType<typeof planJson>;
export type ReportJson = ReturnType<typeof reportJson>;

/** How the shapes of `--format json` begin (contract §6). Fields may be added under one `formatVersion`, never changed. */
export function jsonHeader({ project, environment, service }: ProjectScope) {
  return { formatVersion: 1, project, environment, service } as const;
}

/** `plan --format json`. Refusals are listed as errors in `diagnostics`. */
export function planJson(plan: Plan) {
  const { snapshot, destroy, serviceOverride, digest, inventory, safeguards, startsPerWeek } = plan;
  return {
    ...jsonHeader(plan),
    ...(serviceOverride === undefined ? {} : { serviceOverride }),
    ...(snapshot === undefined ? {} : { snapshot }),
    ...(destroy === undefined ? {} : { destroy }),
    inventory,
    ...safeguards,
    digest,
    verdict: verdictOf(plan),
    risks: plan.findings.filter(isRisk).map(riskJson),
    startsPerWeek,
    startsByAgent: plan.startsByAgent,
    summary: summaryOf(plan),
    unmanaged: plan.unmanaged,
    ...(plan.ignored === undefined ? {} : { ignored: plan.ignored }),
    ...(plan.held === undefined ? {} : { held: plan.held }),
    ...(plan.policies === undefined ? {} : { policies: plan.policies }),
    ...(plan.rehearsal === undefined ? {} : { rehearsal: plan.rehearsal }),
    changes: changesJson(plan),
    diagnostics: [...plan.findings.filter(isDiagnostic), ...refusalErrors(plan)].map(diagnosticJson),
  };
}

/**
 * `apply --format json` and `--report`: the plan with an outcome for each change. `converged` is true if verification
 * found nothing left to do or, without verification, if every change was made.
 */
export function reportJson(report: Report) {
  const plan = planJson(report.plan);
  const outcomes = new Map(actingOutcomes(report).map((each) => [each.address, each]));
  const changes = plan.changes.map((change) => {
    const found = outcomes.get(change.address);
    const { outcome = 'skipped', error = null, id = null } = found ?? {};
    return { ...change, id: id ?? change.id, outcome, error };
  });
  const own = [...report.diagnostics, ...reasonsOf(report)].map(diagnosticJson);
  const converged = report.converged ?? isComplete(report);
  return { ...plan, changes, converged, diagnostics: distinct([...plan.diagnostics, ...own]) };
}

/** Why it is not complete, where nothing else says so: in text, the table of results does. */
function reasonsOf({ plan, outcomes, diagnostics, interrupted }: Report): readonly Diagnostic[] {
  const places = new Map(plan.changes.map(({ address, source }) => [address, source]));
  const isSaid = (address: Address, error: string) =>
    diagnostics.some(
      ({ severity, message }) => severity === 'error' && (message === error || isNamedIn(message, address)),
    );
  const failures = outcomes.flatMap(({ address, outcome, error }): Diagnostic[] => {
    if (error === null || outcome === 'done' || outcome === 'skipped' || isSaid(address, error)) return [];
    const place = places.get(address);
    const message = `${address}: ${error}`;
    return [{ severity: 'error', code: 'service-error', message, place: place ?? undefined }];
  });
  const isInterrupted = interrupted && !diagnostics.some(({ code }) => code === 'interrupted');
  const message = 'interrupted before everything was done';
  return isInterrupted ? [...failures, { severity: 'error', code: 'interrupted', message }] : failures;
}

/** `schedule/a` is not named by a message about `schedule/a-2`. */
function isNamedIn(message: string, address: Address): boolean {
  return message.split(/[^\w./-]+/).some((word) => word.replace(/(?<!\.)\.+$/, '') === address);
}

/** `drift --format json`. `before` is the value last applied, `after` the current one on the service. */
export function driftJson(drift: Drift) {
  return {
    ...jsonHeader(drift),
    unmanaged: drift.unmanaged,
    changes: drift.changes.map(({ fields, source, owners, ...rest }) => {
      const json = {
        ...rest,
        fields: fields.map((field) => ({ ...fieldJson(field), origin: field.origin })),
        source: sourceJson(source),
      };
      return owners === undefined ? json : { ...json, owners };
    }),
    diagnostics: drift.diagnostics.map(diagnosticJson),
  };
}

/** `why --format json` for one address. */
export function whyJson(why: Why, plan: Plan, warnings: readonly Diagnostic[]) {
  return { ...jsonHeader(plan), ...resourceJson(why), ...warningsJson(warnings) };
}

/** `why --format json` for several addresses, or a glob. */
export function whysJson(whys: readonly Why[], plan: Plan, warnings: readonly Diagnostic[]) {
  return { ...jsonHeader(plan), resources: whys.map(resourceJson), ...warningsJson(warnings) };
}

function warningsJson(warnings: readonly Diagnostic[]) {
  return warnings.length === 0 ? {} : { diagnostics: warnings.map(diagnosticJson) };
}

function resourceJson({ address, source, object, rule, tried, change, ignored, defaults, managedBy }: Why) {
  const resource = {
    address,
    source: sourceJson(source),
    object,
    rule,
    tried,
    action: change?.action ?? null,
    origin: change?.origin ?? null,
    fields: (change?.fields ?? []).map((field) => ({ ...fieldJson(field), origin: field.origin })),
    notes: (change?.findings ?? []).filter(isNote).map(({ message }) => message),
    ignored,
    defaults: defaults.map(({ property, environment, place }) => ({
      property,
      environment,
      ...placeJson(place),
    })),
  };
  return managedBy === undefined ? resource : { ...resource, managedBy };
}

/** `validate --format json`. */
export function validateJson(diagnostics: readonly Diagnostic[]) {
  return {
    formatVersion: 1,
    valid: !hasErrors(diagnostics),
    diagnostics: diagnostics.map(diagnosticJson),
  } as const;
}

/** What `apply --format json` prints if it refuses a plan, as `plan` prints it. */
export function refusedJson(plan: Plan, refusals: readonly Diagnostic[]) {
  return { ...failureJson(refusals), plan: planJson(plan) };
}

function changesJson(plan: Plan) {
  const stepsOf = stepLookup(plan);
  return plan.changes.flatMap((change) => {
    const { address, kind, action, id, name, origin, adopted, findings, nextRuns } = change;
    if (action === 'none') return [];
    const fields = change.fields.map(fieldJson);
    const calls = callSummaries(stepsOf(change));
    const source = sourceJson(change.source);
    const facts = { address, kind, action, id, name, origin, adopted, fields };
    const former = change.formerFile === undefined ? {} : { formerFile: change.formerFile };
    const owned = change.owners === undefined ? {} : { owners: change.owners };
    const explained = change.reason === undefined ? {} : { reason: change.reason };
    const risks = findings.filter(isRisk).map(riskJson);
    const notes = findings.filter(isNote).map(({ message }) => message);
    return [{ ...facts, calls, risks, notes, nextRuns, source, ...former, ...owned, ...explained }];
  });
}

function riskJson({ code, message }: Risk) {
  return { code, message };
}

function fieldJson({ path, before, after, sensitive }: FieldChange) {
  return { path, before, after, sensitive };
}

function sourceJson(source: Place | null) {
  return source === null ? null : placeJson(source);
}

function distinct<T>(list: readonly T[]): T[] {
  return [...new Map(list.map((each) => [JSON.stringify(each), each])).values()];
}

/** `hold --format json` and `resume --format json`. */
export function holdJson({ made, outcomes, converged, diagnostics }: HoldReport) {
  const results = new Map(outcomes.map((each) => [each.address, each]));
  const { action, hold, resources, outside, plan } = made;
  return {
    ...jsonHeader(plan),
    action,
    hold,
    resources: resources.map(({ address, kind, id, effect, why, through }) => {
      const { outcome = null, error = null } = results.get(address) ?? {};
      return { address, kind, id, effect, why, through, outcome, error };
    }),
    outside,
    converged,
    diagnostics: diagnostics.map(diagnosticJson),
  };
}

/** `list --format json`: a list for each section that was asked for. `unmanaged` is null without a project. */
export function listJson(view: ServiceListing, withInputs: boolean) {
  const { project, environment, service, serviceOverride, agents, sections } = view;
  return {
    formatVersion: 1,
    project,
    environment,
    service,
    ...(serviceOverride === undefined ? {} : { serviceOverride }),
    ...(agents === null ? {} : { agents: agents.map((each) => agentJson(each, withInputs)) }),
    ...Object.fromEntries(sections.map(({ section, objects }) => [section, objects.map(objectJson)])),
    unmanaged: view.unmanaged,
    diagnostics: view.diagnostics.map(diagnosticJson),
  };
}

function agentJson({ id, externalAgentId, name, inputKeys, inputs = [] }: ListedAgent, withInputs: boolean) {
  const shown = withInputs ? { inputs: inputs.map(inputJson) } : { inputKeys };
  return { address: `agent/${externalAgentId}`, id, externalAgentId, name, ...shown };
}

function inputJson({ key, defaultValue }: AgentInput) {
  return { key, defaultValue };
}

function objectJson({ address, status, canManage, id, name, caller, held, managedBy, values }: ListedObject) {
  const own = { address, status, canManage, id, name };
  const facts = managedBy === undefined ? own : { ...own, managedBy };
  const rest = { ...(caller === undefined ? {} : { caller }), ...values };
  return { ...facts, ...rest, ...(held === undefined ? {} : { held: heldJson(held) }) };
}

function heldJson({ by, reason, since, until }: Hold) {
  return { by, reason, since, until };
}

/** `roster log --format json`. */
export function logJson({ project, environment, inventory, entries, total }: Log) {
  return {
    formatVersion: 1,
    project,
    environment,
    inventory,
    total,
    entries: entries.map((each) => ({ ...entryJson(each), changes: each.changes })),
    diagnostics: [],
  } as const;
}

/** `roster log ID --format json`. */
export function logEntryJson({ project, environment, inventory, entry, changes }: DetailedLog) {
  return {
    formatVersion: 1,
    project,
    environment,
    inventory,
    entry: {
      ...entryJson(entry),
      changes: changes.map(({ fields, ...rest }) => ({
        ...rest,
        fields: fields.map(({ path, before, after, sensitive }) => ({ path, before, after, sensitive })),
      })),
    },
    diagnostics: [],
  } as const;
}

function entryJson({ number, changes: _, unsent: __, ...entry }: LogEntry) {
  return { number, ...entry };
}

/** The shape of `calendar --format json`. Fields may be added under one `formatVersion`, never changed. */
export function calendarJson(calendar: Calendar, diagnostics: readonly Diagnostic[]) {
  const { project, environment, timeZone, timeZoneData, from, until, limit, days, schedules, starts } =
    calendar;
  return {
    formatVersion: 1,
    project,
    environment,
    timeZone,
    timeZoneData,
    from: from.toISOString(),
    until: until.toISOString(),
    startsPerMinuteLimit: limit,
    minutesOverLimit: calendar.minutesOverLimit,
    schedules,
    starts,
    days,
    busiest: calendar.busiest.map(({ minute, wallClock, starts: all, by }) => ({
      minute: minute.toISOString(),
      wallClock,
      starts: all,
      by,
    })),
    uncounted: calendar.uncounted,
    diagnostics: diagnostics.map(diagnosticJson),
  };
}

/** The counts that GitLab's merge-request widget reads from a `terraform` report. A replace is a create and a delete. */
export function planGitlab(plan: Plan) {
  const summary = summaryOf(plan);
  return {
    create: summary.create + summary.replace,
    update: summary.update,
    delete: summary.delete + summary.replace,
  } as const;
}
