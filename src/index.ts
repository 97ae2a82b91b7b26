import type { Sandbox, SandboxOptions } from './sandbox/index.js';

/**
 * roster as a library: the use cases of the command, the views that print their results, and the service underneath.
 * A use case throws a `Problem` with `Diagnostic`s for expected failures; any other error is a bug.
 */

/** Plans, takes the lock, carries out the plan, and reads back; nothing is asked unless `confirm` is given. */
export {
  type ApplyCallbacks,
  type ApplyOptions,
  type ApplyResult,
  apply,
  type Confirmation,
  type StepEvent,
} from './engine/apply/apply.js';
/** When the declared schedules start agents, offline. */
export { type CalendarOptions, calendar } from './engine/calendar.js';
export type { Clock, ClockOptions } from './engine/clock.js';
/** What was changed outside roster since the last apply. */
export { drift } from './engine/drift.js';
/** Formats the manifests. */
export { type Formatted, format } from './engine/format.js';
/** What declared resources refer to, offline. */
export { graph } from './engine/graph.js';
export type { OutputFile } from './engine/output-files.js';
/** What apply would do, and why it would refuse. */
export { type PlanOptions, plan } from './engine/plan.js';
/** The manifests of a project: `readProject` returns errors, `openProject` throws them. */
export {
  type OpenedProject,
  openProject,
  type ProjectOptions,
  readProject,
} from './engine/project.js';
/** The file of `plan --out`, which holds no secrets. */
export { readSavedPlan, type SavedPlan, savedPlan } from './engine/saved-plan.js';
/** The JSON Schemas of all files and formats. */
export { schemas } from './engine/schemas.js';
/** A project together with its service and its inventory: what most use cases need. */
export { openSession, type Session, type SessionOptions, withSession } from './engine/session.js';
/** The observed state as a file without secrets. */
export { snapshot, type TakenSnapshot } from './engine/snapshot.js';
/** The plan for such a file, without network and API key. */
export { planFromSnapshot } from './engine/snapshot-plan.js';
/** Takes the lock from a run that is dead. */
export { type Unlocked, unlock } from './engine/unlock.js';
/** Which remote object a resource is paired with, and why. */
export { type WhyResult, why } from './engine/why.js';

/** Keeps the inventory in a file next to the project. */
export { fileStore } from './inventory/file-store.js';
/** Keeps the inventory on a branch of a git remote, for several machines. */
export { gitStore } from './inventory/git-store.js';
/** Expected failures as values: code, message, help, and the place in a manifest (lines and columns count from 1). */
export {
  type Diagnostic,
  type DiagnosticCode,
  diagnosticCodes,
  hasErrors,
  type Place,
  Problem,
} from './model/diagnostic.js';
export type { Drift } from './model/drift.js';
/** What the project owns on the service, and where that is stored. A store throws a Problem `locked` or `stale-plan`. */
export {
  emptyInventory,
  type Inventory,
  type InventoryEntry,
  type InventoryStore,
  type Lock,
  type LockInfo,
} from './model/inventory.js';
/** JSON values, and the one spelling of a value in which equal values are equal texts. */
export { canonical, type Json, type JsonObject } from './model/json.js';
/** A plan: what changes, and the requests that change it. It survives a JSON round trip. */
export {
  type Action,
  type Change,
  isEmpty,
  type Plan,
  type Step,
  type Summary,
  summarise,
} from './model/plan.js';
/** The result of an apply. */
export type { ChangeOutcome, Outcome, Report } from './model/report.js';
/** A request as a value, and a reader that can send only read requests. */
export type { Call, ListCall, Reader, Request } from './model/request.js';
export type { Agent, Declared, Observed, Project } from './model/resource.js';
export type { Why } from './model/why.js';
/** Masks values that must not be shown. A session fills it; pass every result through `value` before you print it. */
export { Redactor } from './redact/redactor.js';
export type { Sandbox, SandboxOptions } from './sandbox/index.js';
/** Sends operations, with retries, paging and a limit on concurrent requests (interface §1). `session.client` is one. */
export { type Client, type ClientSettings, createClient } from './service/client.js';
export { ServiceFailure } from './service/failure.js';
/** The operations of the service: each returns a request as a value, with the parser of its answer (interface §4). */
export * as agents from './service/operations/agents.js';
/** Agent groups (interface §2, §4). */
export * as groups from './service/operations/groups.js';
/** API keys (interface §2, §5). */
export * as keys from './service/operations/keys.js';
/** Pipelines (interface §2, §4). */
export * as pipelines from './service/operations/pipelines.js';
/** Schedules and previews of their runs (interface §2, §4). */
export * as schedules from './service/operations/schedules.js';
/** The URL of a service, checked: only https, or http on this machine. */
export { serviceUrl } from './service/url.js';
/** `plan --format json` and `apply --format json`. */
export { planJson, reportJson } from './view/json/plan-json.js';
/** Text for people. `width` is in columns. Pass redacted values only. */
export { planMarkdown } from './view/markdown/plan-markdown.js';
export { diagnosticsText } from './view/text/diagnostics-text.js';
export { driftText } from './view/text/drift-text.js';
export { planText } from './view/text/plan-text.js';
export { reportText } from './view/text/report-text.js';
export { whyText } from './view/text/why-text.js';

/** Starts a local instance of the whole service. Its server is loaded with the first call, not with this library. */
export async function startSandbox(options?: SandboxOptions): Promise<Sandbox> {
  const sandbox = await import('./sandbox/index.js');
  return sandbox.startSandbox(options);
}
