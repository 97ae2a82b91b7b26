import type { Loaded } from '../manifest/load.js';
import type { OutsidePolicies } from '../manifest/policy-files.js';
import { type Diagnostic, hasErrors, Problem } from '../model/diagnostic.js';
import { appliesIn, noPolicies, type PolicyCheck, recordOfPolicy } from '../model/policy.js';
import type { Address } from '../model/resource.js';
import type { JudgedEntry, PolicyJudge, UnneededException } from '../policy/judge.js';
import { checkOutputs } from './output-files.js';
import { environmentOf, type ProjectOptions } from './project.js';

export type Judged = Pick<Loaded, 'project' | 'written' | 'policies'>;

export interface PolicyResult {
  readonly check: PolicyCheck;
  /** About the policies themselves, not about what breaks them. */
  readonly diagnostics: readonly Diagnostic[];
}

/** Keeps what several runs have in common, such as those for several environments. */
export interface PolicyRuns {
  judge?: PolicyJudge;
}

/**
 * Reads the policies and judges what is declared, as `roster render --format json` prints it. What that needs is loaded only
 * if there are policies. A project with errors is not judged.
 */
export async function runPolicies(
  judged: Judged,
  options: ProjectOptions,
  runs: PolicyRuns = {},
): Promise<PolicyResult> {
  const { cwd, outputs = [] } = options;
  const outside = outsidePolicies(options);
  if (judged.policies.items.length + outside.length === 0) return { check: noPolicies, diagnostics: [] };
  const { readPolicies } = await import('../manifest/policy-files.js');
  const addresses = addressesOf(judged);
  const read = readPolicies({ ...judged.policies, outside, cwd, addresses });
  checkOutputs(outputs, read.paths, cwd);
  const { PolicyJudge } = await import('../policy/judge.js');
  runs.judge ??= new PolicyJudge();
  const environment = environmentOf(options);
  const found = runs.judge.judge(read.policies, entriesOf(judged), environment);
  // An exception may be for an entry of another environment, or for one with an error.
  const isWhole = judged.policies.environments.size === 0 && judged.project?.unread === undefined;
  const unneeded = isWhole && judged.project !== null ? found.unneeded : [];
  // An address that no entry has is a warning of its own.
  const canMatch = (pattern: string) => pattern.includes('*') || addresses?.has(pattern) === true;
  const reported = unneeded.filter(
    ({ policy, exception }) => !policy.isOutside && exception.match.some(canMatch),
  );
  const diagnostics = [...read.diagnostics, ...found.diagnostics, ...reported.map(notNeeded)];
  const checked = read.policies.filter((each) => appliesIn(each, environment)).map(recordOfPolicy);
  const warnings = diagnostics.filter(({ severity }) => severity !== 'error');
  return { check: { declared: read.policies, checked, broken: found.broken, warnings }, diagnostics };
}

function notNeeded({ policy: { name }, exception: { match, place } }: UnneededException): Diagnostic {
  const message = `the exception for ${match.join(', ')} is not needed: no entry that it matches breaks the policy \`${name}\``;
  const help = 'Remove the exception, or it will also allow breaches that are added later.';
  return { severity: 'warning', code: 'policy-exception', policy: name, message, help, place };
}

/** The same, where errors in the policies end the run. */
export async function checkPolicies(judged: Judged, options: ProjectOptions): Promise<PolicyCheck> {
  const { check, diagnostics } = await runPolicies(judged, options);
  if (hasErrors(diagnostics)) throw new Problem(diagnostics);
  return check;
}

/** Those that the variable names are checked besides those of the flag: neither switches the other off. */
function outsidePolicies(options: ProjectOptions): readonly OutsidePolicies[] {
  const { cwd, env, policies = [], policiesFrom: place = { cwd, notIn: null } } = options;
  const text = env['ROSTER_POLICIES'] ?? '';
  return [
    ...policies.map((pattern) => ({ ...place, setBy: '--policies', pattern }) as const),
    ...(text === '' ? [] : [{ ...place, setBy: 'ROSTER_POLICIES', pattern: text } as const]),
  ];
}

function addressesOf({ project }: Judged): ReadonlySet<Address> | null {
  // An address that is not among them may be one with an error.
  if (project === null || project.unread !== undefined) return null;
  return new Set([...project.entries.map(({ address }) => address), ...(project.elsewhere ?? [])]);
}

function entriesOf({ project, written }: Judged): readonly JudgedEntry[] {
  if (project === null || written === null) return [];
  const declared = new Map(project.entries.map((each) => [each.address, each]));
  return written().entries.flatMap(({ address, properties }) => {
    const entry = declared.get(address);
    return entry === undefined ? [] : [{ address, properties, placeOf: entry.placeOf }];
  });
}
