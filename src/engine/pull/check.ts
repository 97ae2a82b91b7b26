import { type Diagnostic, errorsIn } from '../../model/diagnostic.js';
import type { Project } from '../../model/resource.js';
import { compare } from '../../reconcile/plan.js';
import type { Comparison } from '../../reconcile/world.js';
import { keptKeys } from '../kept-keys.js';
import { type Observation, planBasis } from '../observe.js';
import { type ProjectOptions, readProjectWith } from '../project.js';
import type { ReadSession } from '../session.js';
import { type Overlay, OverlayReading } from './overlay.js';

/** What a project would mean with other files, compared with the same state of the service. */
export interface Checked {
  readonly errors: readonly Diagnostic[];
  /** Null when there are errors in the manifests. */
  readonly project: Project | null;
  readonly comparison: Comparison | null;
  /** What `include` says. */
  readonly patterns: readonly string[];
}

export interface CheckContext {
  readonly session: ReadSession;
  readonly options: ProjectOptions;
  readonly observation: Observation;
}

export function check({ session, options, observation }: CheckContext, overlay: Overlay): Checked {
  const { project: now, service, redactor } = session;
  const reading = new OverlayReading(overlay, now.file);
  const { project: read, diagnostics } = readProjectWith(reading, { ...options, outputs: [] });
  const { patterns } = reading;
  if (read === null) return { errors: errorsIn(diagnostics), project: null, comparison: null, patterns };
  const project = { ...read, prune: now.prune };
  const { state, inventory } = observation;
  const kept = keptKeys(project, state.objects, redactor);
  const known = { project, service, state, inventory, now: session.serviceNow() };
  const comparison = compare(planBasis(known, {}, { kept }));
  return { errors: errorsIn(comparison.diagnostics), project, comparison, patterns };
}
