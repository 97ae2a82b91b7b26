import { basename, dirname } from 'node:path';
import { errorsIn } from '../model/diagnostic.js';
import type { ProjectSettings } from '../model/resource.js';
import { Diagnostics } from './diagnostics.js';
import { ProjectFiles } from './files.js';
import { nameInText } from './outline.js';
import { type ProjectReading, reading, yamlRules } from './reading.js';
import { readSettings } from './settings.js';
import { readTopLevel } from './top-level.js';

/** A project file that is not the one of this run: where its inventories are. Its entries are not read. */
export interface OtherProject {
  /** As far as it can be read: anything may be in the file. */
  readonly name: string;
  /** Its own settings, and those in each of its environments. */
  readonly variants: readonly OtherVariant[];
  /** Files below its folder may be a part of it. */
  readonly hasInclude: boolean;
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
  const folder = basename(dirname(path));
  if (source === null) return unreadable(folder, diagnostics);
  const usage = { values: 0, collections: 0, expanded: 0 };
  const { documents, problems, omitted } = how.yaml(source, { usage, suggest: () => null, rules: yamlRules });
  const named = nameInText(source.text);
  if (documents === null) {
    diagnostics.yaml(problems, omitted);
    return named === null ? null : unreadable(named, diagnostics);
  }
  const top = { ...readTopLevel(documents, true, diagnostics), source };
  const hasInclude = top.settings.has('include');
  if (!top.settings.has('project')) {
    const isManifest = top.settings.size + top.sections.length > 0;
    return isManifest ? { ...withProblem(folder, 'it has no `project:`'), hasInclude } : null;
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
  const name = variants.find(({ settings }) => settings !== null)?.settings?.name ?? named ?? folder;
  return { name, variants, hasInclude };
}

function unreadable(name: string, diagnostics: Diagnostics): OtherProject {
  return withProblem(name, firstError(diagnostics));
}

function withProblem(name: string, problem: string): OtherProject {
  return { name, variants: [{ environment: null, settings: null, problem }], hasInclude: false };
}

function firstError(diagnostics: Diagnostics): string {
  const [first] = errorsIn(diagnostics.sorted());
  return first?.message ?? 'it has errors';
}
