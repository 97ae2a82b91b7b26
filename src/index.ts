import type { Sandbox, SandboxOptions } from './sandbox/index.js';

/**
 * roster as a library: the use cases of the command, the views that print their results, and the service underneath.
 * A use case throws a `Problem` with `Diagnostic`s for expected failures; any other error is a bug.
 */

/**
 * Plans, takes the lock, carries out the plan, and reads back; nothing is asked unless `confirm` is given. Throws a
 * `Problem` only if nothing was changed, such as `locked` or `stale-plan`; changes that fail are part of the report.
 */
export {
  type ApplyCallbacks,
  type ApplyOptions,
  type ApplyResult,
  apply,
  type StepEvent,
} from './engine/apply.js';
/** When the declared schedules start agents, offline. Throws a `Problem`, such as `usage` for an invalid date. */
export { type CalendarOptions, calendar } from './engine/calendar.js';
/** The current time and a way to wait, in milliseconds. The options of a project replace either of them, for tests. */
export type { Clock, ClockOptions } from './engine/clock.js';
/** What was changed outside roster since the last apply. Sends reads only; throws a `Problem`. */
export { type DriftOptions, drift } from './engine/drift.js';
/** Formats the manifests; with `check`, only lists those that are not formatted. Throws a `Problem`. */
export { type Formatted, type FormattedFile, format } from './engine/format.js';
/** What declared resources refer to, offline. Throws a `Problem` for invalid manifests and unknown addresses. */
export { graph } from './engine/graph.js';
/**
 * Pauses schedules and records who, why and until when; with `hold: null`, enables again what a hold has paused. Takes the
 * lock; nothing is asked unless `confirm` is given. Throws a `Problem` only if nothing was changed, such as `locked`.
 */
export { type HoldCallbacks, type HoldOptions, hold } from './engine/hold.js';
/** The runs that changed the inventory, from its history in git. Throws a `Problem` if the inventory is a file. */
export { type LogOptions, log, logEntry } from './engine/log.js';
/** A file that the caller will write, and the flag that messages name it by. No file of the project may be one. */
export type { OutputFile } from './engine/output-files.js';
/** What apply would do, and why it would refuse. Sends reads only; throws a `Problem` if no plan is possible. */
export { type PlanOptions, plan } from './engine/plan.js';
/** The manifests of a project: `readProject` returns errors, `openProject` throws them. */
export {
  type OpenedProject,
  openProject,
  type ProjectOptions,
  readProject,
} from './engine/project.js';
/** The answer of whoever is asked to confirm a plan. */
export type { Confirmation } from './engine/reviewed-run.js';
/** The file of `plan --out`, which holds no secrets. `readSavedPlan` throws a `Problem` `unreadable-file`. */
export { readSavedPlan, type SavedPlan, savedPlan } from './engine/saved-plan.js';
/** The JSON Schemas of all files and formats, by name: project, manifest, plan, report, inventory, snapshot, seed. */
export { schemas } from './engine/schemas.js';
/**
 * A project together with its service and its inventory: what most use cases need. `withSession` closes it at the end.
 * Throws a `Problem`: the manifests have errors, or a setting such as ROSTER_API_KEY is missing or invalid.
 */
export {
  openSession,
  type ReadSession,
  type Session,
  type SessionOptions,
  withReadSession,
  withSession,
} from './engine/session.js';
/**
 * The observed state as a file without secrets: sends reads only. The plan for such a file: without network and API key.
 * Both throw a `Problem`, such as `invalid-snapshot`.
 */
export { planFromSnapshot, snapshot, type TakenSnapshot } from './engine/snapshot.js';
/** Removes the lock of a run that has died. Throws a `Problem` `locked` if another run has taken it meanwhile. */
export { type Unlocked, unlock } from './engine/unlock.js';
/** Which remote object a resource is matched with, and why. Sends reads only; throws a `Problem`. */
export { type WhyResult, why } from './engine/why.js';
/** Keeps the inventory in a file next to the project. Its lock works on one machine only. */
export { type FileStoreOptions, fileStore } from './inventory/file-store.js';
/** Keeps the inventory on a branch of a git remote, for several machines. */
export { type GitStoreOptions, gitStore } from './inventory/git-store.js';
/** The result of reading manifests: `project` is null when `diagnostics` has errors. `secrets` must not be printed. */
export type { Loaded } from './manifest/load.js';
/** A dataset: its agent, age, size and access. What the service does not show is null. */
export type { DatasetInfo } from './model/data.js';
/** Expected failures as values: code, message, help, and the place in a manifest (lines and columns count from 1). */
export {
  type Diagnostic,
  type DiagnosticCode,
  diagnosticCodes,
  hasErrors,
  type Place,
  Problem,
} from './model/diagnostic.js';
/**
 * Numbers that JavaScript would change, such as `9007199254740993` or `1.10`: rows of datasets and values of fields may hold
 * one. It has the digits as `text`, calculates as the nearest double, and `writeJson` writes it with its digits.
 */
export { ExactNumber, writeJson } from './model/exact-number.js';
/**
 * What guards let pass: a number of deletes, revoking the caller's own key, an empty project, another account. And why a
 * change or a plan needs careful review, as a sentence without a subject. `Finding` is whatever is said of a plan: `severity` tells
 * notes, risks, refusals and diagnostics apart.
 */
export type { Allowances, Finding, FoundRisk, Note, Refusal, Risk } from './model/finding.js';
/** Why a schedule is paused for a time: who, the reason, since and until when (ISO 8601 in UTC). */
export type { Hold } from './model/hold.js';
/** What the project owns on the service, and where that is stored. A store throws a Problem `locked` or `stale-plan`. */
export {
  emptyInventory,
  type Inventory,
  type InventoryEntry,
  type InventoryStore,
  type Lock,
  type LockInfo,
  type RunFacts,
  type RunResult,
} from './model/inventory.js';
/** JSON values, and the one spelling of a value in which equal values are equal texts. */
export { canonical, type Json, type JsonObject } from './model/json.js';
/** A run in the history of the inventory, and one with the values that it changed. */
export type { DetailedLog, Log, LogEntry } from './model/log.js';
/**
 * A plan: what changes, and the requests that change it. It survives a JSON round trip. `isEmpty` tells whether there
 * is nothing to do; `summarise` counts the changes of each action. `Drift` is what was changed outside roster, field by
 * field: `before` was applied last, `after` is on the service now. `Why` is the object that a resource is matched with, the
 * rules that were tried, and the differences that are ignored. `Graph` has addresses, and links from each resource to those
 * that it refers to; agents are `agent/<as written>`.
 */
export {
  type Action,
  type Change,
  type Drift,
  type FieldChange,
  type Graph,
  isEmpty,
  type Plan,
  type Step,
  type Summary,
  summarise,
  type Why,
} from './model/plan.js';
/** The policies that a plan was checked by, and what has become of those of the last apply. */
export type { ChangedPolicy, PolicyRecord } from './model/policy.js';
export type { ExceptionRecord, WiderException } from './model/policy-exception.js';
/**
 * The result of an apply: the plan, with the outcome of every change. `isComplete` decides the exit code of the command.
 * What a hold or a resume does to each resource, and what became of it.
 */
export {
  type ChangeOutcome,
  type HeldResource,
  type HoldPlan,
  type HoldReport,
  isComplete,
  type Outcome,
  type Report,
} from './model/report.js';
/**
 * A request as a value, with the parser of its response (interface §1), and a reader, which refuses requests that are not
 * reads. Parsers throw for a response that does not follow the interface; the client turns that into a `ServiceFailure`.
 */
export type { Call, ListCall, Reader, Request } from './model/request.js';
/**
 * A project and its declared entries; objects and agents as the service shows them (interface §2). An address is
 * `kind/key`, and `Prune` says which undeclared objects a plan deletes.
 */
export type {
  Address,
  Agent,
  Declared,
  InventorySetting,
  Limits,
  Observed,
  Project,
  Prune,
} from './model/resource.js';
/**
 * A job, group run or pipeline run with its state, times and members, in the form that `run --format json` prints, and with
 * the parts that `runs show` adds; the list of runs; the health of a resource, its last finished run and its counts.
 * `healths` has the worst first.
 */
export {
  type AgentJudgement,
  type Health,
  healths,
  type LastRun,
  type ResourceStatus,
  type Run,
  type RunDataset,
  type RunIdKind,
  type RunsList,
  type ServiceRunState,
  type Status,
  type StatusCounts,
  type Sync,
} from './model/run.js';
/** The settings of a project that limit what an apply may do. */
export type { Safeguards } from './model/safeguards.js';
/**
 * Start counts by day and hour, and the busiest minutes, in one time zone (`until` is exclusive); the next runs of a
 * schedule before and after its change.
 */
export type { Calendar, NextRuns } from './model/schedule.js';
/** What agents have collected, the newest first. Sends reads only; throws a `Problem`. */
export { type DatasetList, listData } from './operate/data/datasets.js';
/**
 * Starts agents, groups, pipelines and schedules, each once, and follows them to their end. `verdict` says whether they
 * succeeded. Throws a `Problem` only if nothing was started, such as `too-many-starts`.
 */
export { type RunCallbacks, type RunOptions, run } from './operate/run/run.js';
export type { ListedState } from './operate/run/run-kinds.js';
/** What became of all runs: it decides the exit code of the command. */
export type { RunsResult, RunVerdict } from './operate/run/verdict.js';
/** Follows runs by id, or the unfinished ones of an address. Sends reads only; throws a `Problem`. */
export { type WaitOptions, waitFor } from './operate/run/wait.js';
/** The newest jobs, group runs and pipeline runs. Sends reads only; throws a `Problem`. */
export { type ListRunsOptions, listRuns } from './operate/runs/list.js';
/** One run with its members and datasets, by its id. Sends reads only; throws a `Problem`. */
export { showRun } from './operate/runs/show.js';
/** The health of everything declared. Sends reads only; throws a `Problem`, such as for an unknown address. */
export { type StatusOptions, status } from './operate/status/status.js';
/** Masks values that must not be shown. A session fills it; pass every result through `value` before you print it. */
export { Redactor } from './redact/redactor.js';
/** A running sandbox and its settings: port, initial data and faults. Close it at the end. */
export type { Sandbox, SandboxOptions } from './sandbox/index.js';
/**
 * Sends operations, with retries, paging and a limit on concurrent requests (interface §1). `session.client` is one.
 * Its methods throw a `ServiceFailure`.
 */
export {
  type Client,
  type ClientSettings,
  type ClientStats,
  createClient,
  type WriteResult,
} from './service/client.js';
/**
 * Downloads files of the service as streams, with the settings of a client (interface §4, exports and downloads). Throws a
 * `ServiceFailure`.
 */
export { createDownloader, type Download, type Downloader } from './service/downloads.js';
/** A failed request, after all retries: HTTP status, error code (interface §7), and whether it may have taken effect. */
export { type Certainty, type FailureFacts, ServiceFailure } from './service/failure.js';
/**
 * Sends any operation below and parses its answer. Where the interface shows no method, the next one is tried after a 405.
 * Throws a `ServiceFailure`.
 */
export { callOperation } from './service/operation.js';
/** Runs of agents: list, stop, refresh, attention, export (interface §2, §3, §4). */
export * as runs from './service/operations/agent-runs.js';
/** Agents. Every operation returns a request as a value, reads with the parser of their response (interface §2, §4). */
export * as agents from './service/operations/agents.js';
/** Previews and queries of datasets (interface §4). */
export * as datasetQueries from './service/operations/dataset-queries.js';
/** Datasets: list, download, share, trace, export, delete (interface §2, §3, §4). */
export * as datasets from './service/operations/datasets.js';
/** Group runs: start, follow, export, retry, delete (interface §2, §3, §4). */
export * as groupRuns from './service/operations/group-runs.js';
/** Agent groups (interface §2, §4). */
export * as groups from './service/operations/groups.js';
/** Jobs: start, list, count, export (interface §2, §3, §4). */
export * as jobs from './service/operations/jobs.js';
/** API keys (interface §2, §5). */
export * as keys from './service/operations/keys.js';
/** Pipeline runs: start, follow, export, delete (interface §2, §3, §4). */
export * as pipelineRuns from './service/operations/pipeline-runs.js';
/** Pipelines (interface §2, §4). */
export * as pipelines from './service/operations/pipelines.js';
/** Sample outputs of agents (interface §2, §4). */
export * as samples from './service/operations/samples.js';
/** Saved queries (interface §2, §4). */
export * as savedQueries from './service/operations/saved-queries.js';
/** Schedules by page, upcoming runs, and run-now (interface §4). */
export * as scheduleRuns from './service/operations/schedule-runs.js';
/** Schedules and previews of their runs (interface §2, §4). */
export * as schedules from './service/operations/schedules.js';
/** The URL of a service, checked: only https, or http on this machine. Throws a `Problem` `insecure-url`. */
export { serviceUrl } from './service/url.js';
/** The file of a snapshot (schemas/snapshot.schema.json). */
export type { SnapshotJson } from './snapshot/snapshot-json.js';
/** The value that `data --format json` prints. Pass redacted values only. */
export { datasetsJson } from './view/data/data-json.js';
/** The values that `plan`, `apply`, `hold` and `resume` print with `--format json`. Pass redacted values only. */
export { holdJson, type PlanJson, planJson, type ReportJson, reportJson } from './view/json/plan-json.js';
/** The values that `runs`, `runs show`, `run`, `wait` and `status` print with `--format json`. Pass redacted values only. */
export { runsJson, runsListJson, shownRunJson, statusJson } from './view/json/runs-json.js';
/** A plan as a pull-request comment. `limit` is in characters or the unit of `measure`. Pass redacted values only. */
export type { MarkdownOptions } from './view/markdown/page-parts.js';
export { planMarkdown } from './view/markdown/plan-markdown.js';
/** Errors and warnings for a terminal, each with its place and help. Pass redacted values only, as to all text views. */
export { diagnosticsText } from './view/text/diagnostics-text.js';
/** What was changed outside roster, for a terminal. */
export { driftText } from './view/text/drift-text.js';
/** The options of all text views: whether to use colors, and the width in columns. */
export type { TextOptions } from './view/text/layout.js';
/** A plan for a terminal, without its diagnostics. */
export { planText } from './view/text/plan-text.js';
/** What an apply did, for a terminal, without its diagnostics. */
export { reportText } from './view/text/report-text.js';
/** The match of one resource, for a terminal. */
export { whyText } from './view/text/why-text.js';

/**
 * Starts a local instance of the whole service. Its server is loaded with the first call, not with this library.
 * Rejects if the port is in use or the initial data is invalid.
 */
export async function startSandbox(options?: SandboxOptions): Promise<Sandbox> {
  const sandbox = await import('./sandbox/index.js');
  return sandbox.startSandbox(options);
}
