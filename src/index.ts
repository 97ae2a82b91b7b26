import type { Sandbox, SandboxOptions } from './sandbox/index.js';

/** roster as a library: the pieces of the command, to be put together by a program of its own. */
export { type Applied, type ApplyInputs, apply, type StepEvent } from './apply/apply.js';
export type { KeyKeeping, Verdict, Writer } from './apply/writer.js';
export { fileStore } from './inventory/file-store.js';
export { kinds } from './kinds/index.js';
export { type Loaded, type LoadOptions, loadProject } from './manifest/load.js';
export { suggest } from './manifest/suggest.js';
export {
  type Diagnostic,
  type DiagnosticCode,
  diagnosticCodes,
  hasErrors,
  type Place,
  Problem,
} from './model/diagnostic.js';
export {
  emptyInventory,
  type Inventory,
  type InventoryEntry,
  type InventoryStore,
  type Lock,
} from './model/inventory.js';
export { canonical, type Json, type JsonObject } from './model/json.js';
export type { Kind } from './model/kind.js';
export {
  type Action,
  type Change,
  isEmpty,
  type Plan,
  type Step,
  type Summary,
  summarise,
} from './model/plan.js';
export type { ChangeOutcome, Outcome, Report } from './model/report.js';
export type { Call, ListCall, Reader, Request } from './model/request.js';
export type { Agent, Declared, Observed, Project } from './model/resource.js';
export type { Allowances } from './reconcile/guard.js';
export { type Reconciled, type ReconcileInputs, reconcile } from './reconcile/plan.js';
export type { Sandbox, SandboxOptions } from './sandbox/index.js';
export { type Client, type ClientSettings, createClient } from './service/client.js';
export { ServiceFailure } from './service/failure.js';
export { type ObservedState, type ObserveScope, observe } from './service/observe.js';
export { serviceUrl } from './service/url.js';
export { planJson, reportJson } from './view/json/plan-json.js';
export { planMarkdown } from './view/markdown/plan-markdown.js';
export { diagnosticsText } from './view/text/diagnostics-text.js';
export { planText } from './view/text/plan-text.js';

/** A local instance of the whole service. Its server is loaded with the first call, not with this library. */
export async function startSandbox(options?: SandboxOptions): Promise<Sandbox> {
  const sandbox = await import('./sandbox/index.js');
  return sandbox.startSandbox(options);
}
