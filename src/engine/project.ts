import { resolve } from 'node:path';
import { kinds } from '../kinds/index.js';
import { type Loaded, loadProject } from '../manifest/load.js';
import type { OutsidePlace } from '../manifest/policy-files.js';
import type { ProjectReading } from '../manifest/reading.js';
import { parseInventory, type WrittenInventory } from '../manifest/settings.js';
import { type Diagnostic, Problem, problem } from '../model/diagnostic.js';
import type { Project, Without } from '../model/resource.js';
import type { Redactor } from '../redact/redactor.js';
import { type ClockOptions, clockOf } from './clock.js';
import { noProject } from './no-project.js';
import { checkOutputs, type OutputFile } from './output-files.js';
import { version } from './version.js';

/** Which project is meant, and what of the process it may use. Nothing else of the process is read. */
export interface ProjectOptions extends ClockOptions {
  /** Absolute. Relative paths start here, and the search for roster.yaml. */
  readonly cwd: string;
  /** Where manifests find `${env.NAME}`, and roster its ROSTER_* variables. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The project file. Default: ROSTER_FILE, else roster.yaml in `cwd` or its nearest parent that has one. */
  readonly file?: string | undefined;
  /** The name of the environment. Default: ROSTER_ENV, else the settings of the project itself. */
  readonly environment?: string | undefined;
  /** Values of variables, by name, in place of those under `vars`. Default: none. */
  readonly vars?: Readonly<Record<string, string>> | undefined;
  /** Where the inventory is, as with `--inventory`. Default: ROSTER_INVENTORY, else `inventory` of the project. */
  readonly inventory?: string | undefined;
  /** Files and globs with policies from outside the project, in addition to those of ROSTER_POLICIES. Default: none. */
  readonly policies?: readonly string[] | undefined;
  /** Where the policies from outside are looked for. Default: relative to `cwd`, and anywhere. */
  readonly policiesFrom?: OutsidePlace | undefined;
  /** Reports a missing `${env.NAME}` as a warning: for runs that only check the manifests. Default: false. */
  readonly allowMissingEnv?: boolean | undefined;
  /**
   * Parts that the command may do without, if only they have errors. The command must report what it left out. Default: any
   * error stops it.
   */
  readonly without?: Without | undefined;
  /** Files that the caller will write. They must not be files of the project. */
  readonly outputs?: readonly OutputFile[];
  /** Whether a folder without a project is read as a project that declares nothing. Default: false. */
  readonly orNone?: boolean | undefined;
  /** Learns the API keys of the run. */
  readonly redactor?: Redactor;
}

/** A valid project with the warnings about it. */
export interface OpenedProject extends Pick<Loaded, 'written' | 'policies'> {
  readonly project: Project;
  readonly warnings: readonly Diagnostic[];
  /** Absolute paths of the manifests. */
  readonly manifests: readonly string[];
}

/** Reads the manifests, offline. Errors are returned with everything that could be read. */
export function readProject(options: ProjectOptions): Loaded {
  return readProjectWith(undefined, options);
}

/** The same; runs for several environments may share what they read. */
export function readProjectWith(reading: ProjectReading | undefined, options: ProjectOptions): Loaded {
  const { cwd, env, outputs = [] } = options;
  const loaded = loadProject({
    file: fileOf(options),
    cwd,
    env,
    environment: environmentOf(options),
    allowMissingEnv: options.allowMissingEnv,
    without: options.without,
    vars: options.vars,
    version,
    inventory: inventoryOf(options),
    now: clockOf(options).now(),
    kinds,
    reading,
  });
  checkOutputs(outputs, loaded.paths, cwd);
  return loaded;
}

/** Undefined for roster.yaml here or in a parent folder. */
export function fileOf({ file, env }: Pick<ProjectOptions, 'file' | 'env'>): string | undefined {
  return file ?? (env['ROSTER_FILE'] || undefined);
}

/** Null for the settings of the project itself. */
export function environmentOf({ environment, env }: ProjectOptions): string | null {
  const name = environment ?? env['ROSTER_ENV'] ?? '';
  return name === '' ? null : name;
}

/** Whether the outputs can be written although the run has failed: none of them is a file of the project. */
export function mayWrite(options: ProjectOptions): boolean {
  try {
    readProject(options);
    return true;
  } catch (failure) {
    if (failure instanceof Problem) return false;
    throw failure;
  }
}

/** Undefined for that of the project. */
function inventoryOf({ inventory, env }: ProjectOptions): WrittenInventory | undefined {
  const name = inventory === undefined ? '`ROSTER_INVENTORY`' : '`--inventory`';
  const text = inventory ?? env['ROSTER_INVENTORY'];
  if (text === undefined) return undefined;
  const found = text === '' ? null : parseInventory(text);
  if (found !== null) return found;
  const help = 'Use a path in the project folder, such as roster.inventory.json, or `git:REF@REMOTE`.';
  const message = text === '' ? `${name} is empty` : `${name}: "${text}" does not name an inventory`;
  throw problem('usage', message, help);
}

/** Throws a Problem with everything that is wrong with the manifests. */
export function openProject(options: ProjectOptions): OpenedProject {
  const { project, diagnostics, files, paths, written, policies } = readProject(options);
  if (project === null && paths.length === 0 && options.orNone === true)
    return { project: noProject(options.cwd), warnings: [], manifests: [], written, policies };
  const manifests = files.map(({ file }) => resolve(options.cwd, file));
  if (project === null) throw new Problem(diagnostics);
  const warnings = [...(project.unreadSettings ?? []), ...diagnostics];
  return { project, warnings, manifests, written, policies };
}
