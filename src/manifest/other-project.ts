import { basename, dirname } from 'node:path';
import { errorsIn } from '../model/diagnostic.js';
import type { ProjectSettings } from '../model/resource.js';
import type { Entry } from '../yaml/tree.js';
import { Diagnostics } from './diagnostics.js';
import { ProjectFiles } from './files.js';
import { nameIn, nameInText } from './outline.js';
import { type ProjectReading, reading, yamlRules } from './reading.js';
import { readSettings } from './settings.js';
import { readTopLevel } from './top-level.js';

/** A project file that is not the one of this run: where its inventories are. Its entries are not read. */
export interface OtherProject {
  /** Null where the file says none, or none that can be read: anything may be in it. */
  readonly name: string | null;
  /** Its own settings, and those in each of its environments. */
  readonly variants: readonly OtherVariant[];
  /** The patterns of its `include`, as written. */
  readonly include: readonly string[];
  /** Nothing in it says `project`, so it may be a part of another project. */
  readonly mayBePart: boolean;
}

interface OtherVariant {
  readonly environment: string | null;
  /** Null where something is wrong with them. */
  readonly settings: ProjectSettings | null;
  /** What is wrong. Null where they can be read. */
  readonly problem: string | null;
}

/**
 * Null for a file that is no manifest. Nothing of the environment of this process is read, so a file learns nothing of it.
 * `path` is absolute.
 */
export function readOtherProject(
  path: string,
  cwd: string,
  how: ProjectReading = reading,
): OtherProject | null {
  const diagnostics = new Diagnostics();
  const source = new ProjectFiles(dirname(path), cwd, diagnostics).read(basename(path), null);
  if (source === null) return withProblem(null, firstError(diagnostics));
  const usage = { values: 0, collections: 0, expanded: 0 };
  const { documents, problems, omitted } = how.yaml(source, { usage, suggest: () => null, rules: yamlRules });
  if (documents === null) {
    diagnostics.yaml(problems, omitted);
    const saysProject = /\bproject["']?\s*:/.test(source.text);
    return saysProject ? withProblem(nameInText(source.text), firstError(diagnostics)) : null;
  }
  const top = { ...readTopLevel(documents, true, diagnostics), source };
  const include = patternsOf(top.settings.get('include'));
  if (!top.settings.has('project')) {
    const isManifest = top.settings.size + top.sections.length > 0;
    return isManifest ? { ...withProblem(null, 'it has no `project:`'), include, mayBePart: true } : null;
  }
  const variantOf = (environment: string | null) => {
    const found = new Diagnostics();
    const options = { environment, env: {}, allowMissingEnv: true };
    const read = readSettings(top, options, found);
    return { environment, read, problem: read.settings === null ? firstError(found) : null };
  };
  const own = variantOf(null);
  const others = [...own.read.environments.declared].map(variantOf);
  const variants = [own, ...others].map(({ environment, read, problem }) => ({
    environment,
    settings: read.settings,
    problem,
  }));
  const sound = variants.find(({ settings }) => settings !== null);
  const name = sound?.settings?.name ?? safeName(nameIn([...top.settings.values()]));
  return { name, variants, include, mayBePart: false };
}

function withProblem(name: string | null, problem: string): OtherProject {
  const variants = [{ environment: null, settings: null, problem }];
  return { name, variants, include: [], mayBePart: false };
}

/** What may be shown: it has not been checked. */
function safeName(text: string | null): string | null {
  return text !== null && /^[\w.-]+$/.test(text) ? text : null;
}

function patternsOf(include: Entry | undefined): readonly string[] {
  if (include?.value.type !== 'list') return [];
  return include.value.items.flatMap((item) =>
    item.type === 'scalar' && typeof item.value === 'string' ? [item.value] : [],
  );
}

function firstError(diagnostics: Diagnostics): string {
  const [first] = errorsIn(diagnostics.sorted());
  return first?.message ?? 'it has errors';
}
