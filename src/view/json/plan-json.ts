import type { Diagnostic, Place, Severity } from '../../model/diagnostic.js';
import { hasErrors } from '../../model/diagnostic.js';
import type { Drift } from '../../model/drift.js';
import type { Json } from '../../model/json.js';
import type {
  Action,
  Change,
  FieldChange,
  NextRuns,
  Origin,
  Plan,
  SnapshotAge,
  Summary,
} from '../../model/plan.js';
import { summarise } from '../../model/plan.js';
import type { Outcome, Report } from '../../model/report.js';
import type { Risk } from '../../model/risk.js';
import type { Why } from '../../model/why.js';
import { type CallSummary, callSummaries, objectionDiagnostics, stepLookup } from '../plan-lookup.js';
import { actingOutcomes, isComplete } from '../summary-line.js';

/** The shapes of `--format json` (contract §6). Fields may be added under one `formatVersion`, never changed. */
export interface PlanJson<C = ChangeJson> {
  readonly formatVersion: 1;
  readonly project: string;
  readonly environment: string | null;
  readonly service: string;
  /** Only for a plan against a snapshot. */
  readonly snapshot?: SnapshotAge;
  readonly digest: string;
  readonly summary: Summary;
  readonly changes: readonly C[];
  readonly diagnostics: readonly DiagnosticJson[];
}

export interface ChangeJson {
  readonly address: string;
  readonly kind: string;
  readonly action: Exclude<Action, 'none'>;
  readonly id: string | null;
  readonly name: string | null;
  readonly origin: Origin | null;
  readonly adopted: boolean;
  readonly fields: readonly FieldJson[];
  readonly calls: readonly CallSummary[];
  readonly risks: readonly Risk[];
  readonly nextRuns: NextRuns | null;
  readonly source: { readonly file: string; readonly line: number; readonly column: number } | null;
}

export interface FieldJson {
  readonly path: string;
  readonly before: Json;
  readonly after: Json;
  readonly sensitive: boolean;
}

export interface DiagnosticJson {
  readonly severity: Severity;
  readonly code: string;
  readonly message: string;
  readonly file: string | null;
  readonly line: number | null;
  readonly column: number | null;
  readonly help: string | null;
  /** Related places, such as the first of two duplicates; left out if there are none. */
  readonly related?: readonly RelatedJson[];
}

export interface RelatedJson {
  readonly message: string;
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

export interface ReportJson extends PlanJson<OutcomeJson> {
  readonly converged: boolean;
}

export interface OutcomeJson extends ChangeJson {
  readonly outcome: Outcome;
  readonly error: string | null;
}

/** `plan --format json`. Objections are listed as errors in `diagnostics`. */
export function planJson(plan: Plan): PlanJson {
  const { project, environment, service, snapshot, digest } = plan;
  return {
    formatVersion: 1,
    project,
    environment,
    service,
    ...(snapshot === undefined ? {} : { snapshot }),
    digest,
    summary: summarise(plan.changes),
    changes: changesJson(plan),
    diagnostics: [...plan.diagnostics, ...objectionDiagnostics(plan)].map(diagnosticJson),
  };
}

/**
 * `apply --format json` and `--report`: the plan with an outcome for each change. `converged` is true if verification
 * found nothing left to do or, without verification, if every change was made.
 */
export function reportJson(report: Report): ReportJson {
  const plan = planJson(report.plan);
  const outcomes = new Map(actingOutcomes(report).map((each) => [each.address, each]));
  const changes = plan.changes.map((change) => {
    const found = outcomes.get(change.address);
    const { outcome = 'skipped', error = null, id = null } = found ?? {};
    return { ...change, id: id ?? change.id, outcome, error };
  });
  const own = report.diagnostics.map(diagnosticJson);
  const converged = report.converged ?? isComplete(report);
  return { ...plan, changes, converged, diagnostics: distinct([...plan.diagnostics, ...own]) };
}

/** `drift --format json`. `before` is the value last applied, `after` the current one on the service. */
export function driftJson({ project, environment, service, changes, diagnostics }: Drift) {
  return {
    formatVersion: 1,
    project,
    environment,
    service,
    changes: changes.map(({ fields, source, ...rest }) => ({
      ...rest,
      fields: fields.map((field) => ({ ...fieldJson(field), origin: field.origin })),
      source: sourceJson(source),
    })),
    diagnostics: diagnostics.map(diagnosticJson),
  } as const;
}

/** `why --format json`. */
export function whyJson({ address, source, object, rule, tried, change, ignored }: Why, plan: Plan) {
  const { project, environment, service } = plan;
  return {
    formatVersion: 1,
    project,
    environment,
    service,
    address,
    source: sourceJson(source),
    object,
    rule,
    tried,
    action: change?.action ?? null,
    origin: change?.origin ?? null,
    fields: (change?.fields ?? []).map((field) => ({ ...fieldJson(field), origin: field.origin })),
    notes: change?.notes ?? [],
    ignored,
  } as const;
}

/** `validate --format json`. */
export function validateJson(diagnostics: readonly Diagnostic[]) {
  return {
    formatVersion: 1,
    valid: !hasErrors(diagnostics),
    diagnostics: diagnostics.map(diagnosticJson),
  } as const;
}

/** What every command prints with `--format json` if it fails before it has a result. */
export function failureJson(diagnostics: readonly Diagnostic[]) {
  return { formatVersion: 1, diagnostics: diagnostics.map(diagnosticJson) } as const;
}

export function diagnosticJson({
  severity,
  code,
  message,
  place,
  help,
  related = [],
}: Diagnostic): DiagnosticJson {
  const { file = null, line = null, column = null } = place ?? {};
  const json = { severity, code, message, file, line, column, help: help ?? null };
  return related.length === 0 ? json : { ...json, related: related.map(relatedJson) };
}

function relatedJson({ message, place }: { message: string; place: Place }): RelatedJson {
  const { file, line, column } = place;
  return { message, file, line, column };
}

function changesJson(plan: Plan): ChangeJson[] {
  const stepsOf = stepLookup(plan);
  return plan.changes.flatMap((change) => {
    const { action } = change;
    return action === 'none' ? [] : [changeJson(change, action, callSummaries(stepsOf(change)))];
  });
}

function changeJson(change: Change, action: ChangeJson['action'], calls: readonly CallSummary[]): ChangeJson {
  const { address, kind, id, name, origin, adopted, risks, nextRuns, source } = change;
  return {
    address,
    kind,
    action,
    id,
    name,
    origin,
    adopted,
    fields: change.fields.map(fieldJson),
    calls,
    risks,
    nextRuns,
    source: sourceJson(source),
  };
}

/** Never shows a sensitive value, even if the change still holds it. */
function fieldJson({ path, before, after, sensitive }: FieldChange): FieldJson {
  return sensitive ? { path, before: null, after: null, sensitive } : { path, before, after, sensitive };
}

function sourceJson(source: Place | null): ChangeJson['source'] {
  return source === null ? null : { file: source.file, line: source.line, column: source.column };
}

/** A report often repeats the diagnostics of its plan. */
function distinct(list: readonly DiagnosticJson[]): DiagnosticJson[] {
  return [...new Map(list.map((each) => [JSON.stringify(each), each])).values()];
}
