import type { Loaded } from '../manifest/load.js';
import { readOutline } from '../manifest/outline.js';
import { SharedReading } from '../manifest/reading.js';
import { type Diagnostic, hasErrors, problem } from '../model/diagnostic.js';
import { breachDiagnostics, countedAt } from '../model/policy.js';
import type { Project } from '../model/resource.js';
import { environmentsText } from '../model/words.js';
import { clockOf } from './clock.js';
import { inFileOrder } from './diagnostics.js';
import { type PolicyRuns, runPolicies } from './policies.js';
import { environmentOf, fileOf, type ProjectOptions, readProjectWith } from './project.js';

export interface ValidateOptions extends ProjectOptions {
  /** Checks the project once with the settings of each environment that it declares. Default: false. */
  readonly allEnvironments?: boolean | undefined;
}

export interface Validated {
  readonly valid: boolean;
  /** All diagnostics. Those of only some environments name the environments. */
  readonly diagnostics: readonly Diagnostic[];
  /** The projects that could be read, one for each checked environment. */
  readonly projects: readonly Project[];
}

/** Each of them checks all entries again, and a pull request chooses how many there are. */
const MOST_ENVIRONMENTS = 50;

interface Check {
  readonly environment: string | null;
  readonly project: Project | null;
  readonly diagnostics: readonly Diagnostic[];
}

/** Checks the manifests offline. */
export async function validate(options: ValidateOptions): Promise<Validated> {
  const reading = options.allEnvironments === true ? new SharedReading() : undefined;
  const runs: PolicyRuns = {};
  const read = environmentsOf(options, reading).map((environment) => {
    const own = { ...options, environment: environment ?? '' };
    return { environment, own, loaded: readProjectWith(reading, own) };
  });
  const checks: Check[] = [];
  for (const { environment, own, loaded } of read) {
    const { check, diagnostics } = await runPolicies(loaded, own, runs);
    const broken = check.broken.flatMap((each) => {
      const { counting, excepted } = countedAt(each, clockOf(options).now());
      return counting === null ? excepted : [...excepted, ...breachDiagnostics(counting)];
    });
    const { project } = loaded;
    checks.push({ environment, project, diagnostics: together(loaded, [...diagnostics, ...broken]) });
  }
  const projects = checks.flatMap(({ project }) => project ?? []);
  const diagnostics = merged(checks);
  return { valid: projects.length === checks.length && !hasErrors(diagnostics), diagnostics, projects };
}

/** What policies say is among what is said of the same files. */
function together({ project, diagnostics }: Loaded, found: readonly Diagnostic[]): readonly Diagnostic[] {
  if (found.length === 0) return diagnostics;
  return project === null ? [...diagnostics, ...found] : inFileOrder(project, diagnostics, found);
}

/** Without environments, the settings of the project itself. */
function environmentsOf(
  options: ValidateOptions,
  reading: SharedReading | undefined,
): readonly (string | null)[] {
  if (options.allEnvironments !== true) return [environmentOf(options)];
  if (options.environment !== undefined) throw problem('usage', 'pass either --env or --all-environments');
  const { environments } = readOutline(fileOf(options), options.cwd, reading);
  if (environments.length > MOST_ENVIRONMENTS)
    throw problem(
      'limit-exceeded',
      `--all-environments: the project declares more than ${MOST_ENVIRONMENTS} environments`,
    );
  return environments.length === 0 ? [null] : environments;
}

/** Each diagnostic once, in the order of the first environment that has it. */
function merged(checks: readonly Check[]): readonly Diagnostic[] {
  const [first] = checks;
  if (first !== undefined && checks.length === 1) return first.diagnostics;
  const found = new Map<string, { readonly diagnostic: Diagnostic; readonly environments: string[] }>();
  for (const { environment, diagnostics } of checks) {
    for (const diagnostic of diagnostics) {
      const key = JSON.stringify(diagnostic, withoutLines);
      const known = found.get(key) ?? { diagnostic, environments: [] };
      known.environments.push(environment ?? '');
      found.set(key, known);
    }
  }
  return [...found.values()].map(({ diagnostic, environments }) =>
    environments.length === checks.length
      ? diagnostic
      : { ...diagnostic, environments, message: `${diagnostic.message} (${environmentsText(environments)})` },
  );
}

/** Many diagnostics may be about one line of 1 MB, and its place identifies it. */
function withoutLines(name: string, value: unknown): unknown {
  return name === 'lineText' ? undefined : value;
}
