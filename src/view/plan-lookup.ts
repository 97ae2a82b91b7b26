import type { Diagnostic, Place } from '../model/diagnostic.js';
import type { Change, Plan, Step } from '../model/plan.js';

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

/** The objections as errors, at the places of the entries that they are about. */
export function objectionDiagnostics({ changes, objections }: Plan): Diagnostic[] {
  const sources = new Map(changes.map((change) => [change.address, change.source]));
  return objections.map(({ code, message, help, address }) => {
    const place = sources.get(address ?? '') ?? null;
    const error = { severity: 'error', code, message } as const;
    return { ...error, ...(help === '' ? {} : { help }), ...(place === null ? {} : { place }) };
  });
}
