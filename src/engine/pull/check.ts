import { expandInclude } from '../../manifest/include.js';
import type { ProjectReading } from '../../manifest/reading.js';
import { type Diagnostic, errorsIn } from '../../model/diagnostic.js';
import { canonical } from '../../model/json.js';
import type { Project } from '../../model/resource.js';
import { compare } from '../../reconcile/plan.js';
import type { Comparison } from '../../reconcile/world.js';
import { readYaml } from '../../yaml/read.js';
import { Source } from '../../yaml/source.js';
import { keptKeys } from '../keys.js';
import { planBasis } from '../lookup.js';
import { goneEntries, type Observation } from '../observe.js';
import { type ProjectOptions, readProjectWith } from '../project.js';
import type { ReadSession } from '../session.js';

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
  const comparison = compare(planBasis(known, {}, { kept, siblings: observation.comparison.basis.siblings }));
  const gone = new Set(goneEntries(comparison));
  // Those of entries that are not meant are there before.
  const before = new Set(errorsIn(observation.comparison.diagnostics).map(errorKey));
  const errors = errorsIn(comparison.diagnostics).filter(
    (each) => !gone.has(each) && !before.has(errorKey(each)),
  );
  return { errors, project, comparison, patterns };
}

/** By which an error is known again. Lines move. */
export function errorKey({ code, message, address, place }: Diagnostic): string {
  return canonical([code, message, address ?? null, place?.file ?? null]);
}

/** What a project would be with other files, which are not written yet. */
export interface Overlay {
  /** The new texts of files that it has, by their names as shown. */
  readonly changed: ReadonlyMap<string, string>;
  /** Further texts, with the names to report them under. */
  readonly added: readonly { readonly file: string; readonly text: string }[];
  /** Patterns of `include` that match only what is not written yet. */
  readonly ahead: ReadonlySet<string>;
}

export const noOverlay: Overlay = { changed: new Map(), added: [], ahead: new Set() };

/** Reads a project as it would be. `projectFile` is roster.yaml, as shown: what is added is read as a part of it. */
export class OverlayReading implements ProjectReading {
  /** What `include` says, with its variables replaced. */
  patterns: readonly string[] = [];

  constructor(
    private readonly overlay: Overlay,
    private readonly projectFile: string,
  ) {}

  readonly yaml: ProjectReading['yaml'] = (source, options) => {
    const { changed, added } = this.overlay;
    const text = changed.get(source.file) ?? source.text;
    const own = text === source.text ? source : new Source(source.file, text, source.order);
    const read = { source: own, ...readYaml(own, options) };
    if (source.file !== this.projectFile || read.documents === null) return read;
    // The documents of a file are read as one.
    const others = added.map(({ file, text }, index) =>
      readYaml(new Source(file, text, MAX_FILES + index), options),
    );
    const documents = others.some((each) => each.documents === null)
      ? null
      : [...read.documents, ...others.flatMap((each) => each.documents ?? [])];
    const problems = [...read.problems, ...others.flatMap((each) => each.problems)];
    return { source: own, documents, problems, omitted: read.omitted };
  };

  readonly include: ProjectReading['include'] = (items, root, diagnostics) => {
    this.patterns = items.map(({ pattern }) => pattern);
    const present = items.filter(({ pattern }) => !this.overlay.ahead.has(pattern));
    return expandInclude(present, root, diagnostics);
  };
}

/** More than a project has: the order of those that are added comes after. */
const MAX_FILES = 1_000_000;
