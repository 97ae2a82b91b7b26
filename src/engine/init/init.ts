import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { readRegular } from '../../files/atomic.js';
import {
  type CiFacts,
  type CiHost,
  deploymentsOf,
  type Install,
  otherFolderIn,
  workflowOf,
} from '../../init/ci-facts.js';
import { ciFiles } from '../../init/ci-files.js';
import { inventoryRef, type NewFile, projectFiles } from '../../init/project-files.js';
import { type Problem, problem } from '../../model/diagnostic.js';
import { serviceUrl } from '../../service/url.js';
import { jsonText } from '../../view/json/diagnostics-json.js';
import { refusePastedKey } from '../api-key.js';
import type { ProjectOptions } from '../project.js';
import { schemas } from '../schemas.js';
import { packageName } from '../version.js';
import { chooseHost, type HostChoice } from './ci-host.js';
import { installSource } from './install-source.js';
import { createAll, type Occupant, occupantOf, replaceFile } from './new-files.js';
import { checkOwner, nameInFiles, type ProjectFacts, projectFacts } from './project-facts.js';
import { type RepositoryFacts, repositoryFacts } from './repository-facts.js';

/** `cwd` is where the project is created. */
export interface InitOptions extends Pick<ProjectOptions, 'cwd' | 'env'> {
  /** The service. Default: ROSTER_URL, else each run reads it from ROSTER_URL. */
  readonly url?: string | undefined;
  /** `github`, `gitlab` or `none`. Default: where the git remote is. */
  readonly ci?: string | undefined;
  /**
   * What pipelines install, with its hash: a tarball in the repository, `https://…#sha512-…`, `npm:rosterctl@1.2.3`
   * or `image@sha256:…`. Without it, no pipelines are written.
   */
  readonly install?: string | undefined;
  /** What pull requests are planned with: `snapshot` (default) or `key`. */
  readonly planWith?: string | undefined;
  /** Whether CI checks after an apply that what was applied is healthy; `start` starts it first. Default: not at all. */
  readonly verify?: boolean | string | undefined;
  /** Environments that CI applies in this order, such as `staging,production`. */
  readonly promote?: string | undefined;
}

/** A file that exists already, and what to add to it manually. */
export interface SkippedFile {
  readonly path: string;
  readonly why: Exclude<Occupant, 'nothing'>;
  readonly add: string | null;
}

export interface InitResult {
  readonly written: readonly string[];
  /** Files of an earlier run that nobody had changed. */
  readonly replaced: readonly string[];
  readonly leftAlone: readonly SkippedFile[];
  /** Files of earlier versions that can be removed. */
  readonly obsolete: readonly string[];
  readonly ci: HostChoice;
  /** The git remote that the inventory is kept on; null for an inventory in a file. */
  readonly remote: string | null;
  /** The branch that pipelines apply from. */
  readonly branch: string;
  /** Whether pipelines know what to install. */
  readonly installs: boolean;
  readonly install: Install;
  /** The name of the workflow that applies, on GitHub. */
  readonly workflow: string;
  /** The deployment environments of the host that pipelines use, with the variables of their jobs. */
  readonly deployments: { readonly reading: readonly string[]; readonly applying: readonly string[] };
}

/** Writes a first project with what a team needs around it. Files that somebody has changed are left alone. Throws a Problem. */
export async function init(options: InitOptions): Promise<InitResult> {
  const { cwd } = options;
  const url = urlOf(options);
  const repository = await repositoryFacts(options);
  const root = repository?.root ?? cwd;
  const ci = chooseHost(options.ci, repository, root, options.install !== undefined);
  const project = projectFacts(cwd, repository, options.promote);
  // A user who passes --ci is going to add a remote.
  const remote = repository?.remote?.name ?? (options.ci === undefined || ci.host === null ? null : 'origin');
  checkVerify(options, project.usesGit ?? remote !== null);
  const named = ci.host === null ? null : nameInFiles(project.name, ci.host, repository);
  const facts = { ...ciFacts(options, repository, { root, url }), ...project, project: named };
  const files = [
    ...firstFiles({ cwd, url, remote, project }, repository),
    ...pipelines(ci, facts, repository),
  ];
  const { install, branch } = facts;
  const installs = install.from !== 'nowhere';
  const deployments = deploymentsOf(facts);
  const obsolete = installs && ci.host !== null ? obsoleteFiles(ci.host, { root, files, repository }) : [];
  const made = { ...write(files, root, cwd), obsolete };
  return { ...made, ci, remote, branch, install, installs, deployments, workflow: workflowOf(facts) };
}

function pipelines(
  { host }: HostChoice,
  facts: CiFacts,
  repository: RepositoryFacts | null,
): readonly NewFile[] {
  if (host === null) return [];
  for (const [what, name] of [
    ['branch', facts.branch],
    ['folder', facts.folder],
    ...facts.environments.map((each) => ['environment', each] as const),
  ] as const) {
    if (special.test(name)) throw unusableName(what, name);
  }
  if (host === 'github') checkCase(facts.environments);
  const files = ciFiles(host, facts);
  if (repository !== null && facts.project !== null)
    for (const { path } of files) checkOwner(path, facts.project, repository);
  return files;
}

/** Two names for one environment of GitHub: the reviewers and the key of one would be those of the other. */
function checkCase(environments: readonly string[]): void {
  const known = new Map<string, string>();
  for (const each of environments) {
    const same = known.get(each.toLowerCase());
    if (same !== undefined)
      throw problem(
        'usage',
        `GitHub does not distinguish the environments "${same}" and "${each}": it ignores the case of their names`,
        'Rename one of them, or pass `--ci none`.',
      );
    known.set(each.toLowerCase(), each);
  }
}

/** What pipelines and templates do not read as plain text: expressions, the end of a string, line breaks. */
const special = /\$\{\{|\$\[\[|__[A-Z]|["\p{Cc}]/u;

function unusableName(what: string, name: string): Problem {
  return problem(
    'usage',
    `pipelines cannot use the ${what} ${JSON.stringify(name)}: its name has special characters`,
    `Rename the ${what}, or pass \`--ci none\`.`,
  );
}

function ciFacts(
  options: InitOptions,
  repository: RepositoryFacts | null,
  { root, url }: { readonly root: string; readonly url: string | null },
): Omit<CiFacts, 'project' | 'environments' | 'promote'> {
  return {
    install: installSource(options.install, { cwd: options.cwd, root }),
    planWith: planWithOf(options.planWith),
    verify: verifyOf(options.verify),
    branch: repository?.defaultBranch ?? 'main',
    folder: repository?.folder ?? '.',
    url,
  };
}

function planWithOf(flag = 'snapshot'): CiFacts['planWith'] {
  if (flag === 'snapshot' || flag === 'key') return flag;
  throw problem('usage', `--plan-with: unknown value "${flag}"`, 'One of: snapshot, key.');
}

function verifyOf(flag: InitOptions['verify'] = false): CiFacts['verify'] {
  if (typeof flag === 'boolean') return flag ? 'status' : null;
  if (flag === 'status' || flag === 'start') return flag;
  throw problem('usage', `--verify: unknown value "${flag}"`, 'One of: status, start.');
}

/** Only an inventory in git records when it was applied. */
function checkVerify({ verify, env }: InitOptions, usesGit: boolean): void {
  if (verifyOf(verify) === null || usesGit || env['ROSTER_INVENTORY']?.startsWith('git:')) return;
  throw problem(
    'usage',
    '--verify: the inventory is a file, which does not record when it was applied',
    'Set `inventory: { git: {} }` in roster.yaml. A new project gets it if the repository has a git remote.',
  );
}

/** As the manifest has it. */
function urlOf({ url: option, env }: InitOptions): string | null {
  const url = option ?? env['ROSTER_URL'] ?? '';
  if (url === '') return null;
  refusePastedKey(option === undefined ? 'ROSTER_URL' : '--url', url);
  const { origin, pathname } = serviceUrl(url, env, option === undefined ? 'ROSTER_URL' : '--url');
  return `${origin}${pathname.replace(/\/+$/, '')}`;
}

interface FirstProject {
  readonly cwd: string;
  readonly url: string | null;
  readonly remote: string | null;
  readonly project: ProjectFacts;
}

function firstFiles(
  { cwd, url, remote, project: { name, environments } }: FirstProject,
  repository: RepositoryFacts | null,
): readonly NewFile[] {
  const installed = `node_modules/${packageName}/schemas`;
  const isInstalled = existsSync(join(cwd, installed, 'project.schema.json'));
  const text = (schema: 'project' | 'manifest') => jsonText(schemas.get(schema));
  return projectFiles({
    project: name,
    environments,
    ref: inventoryRef(name, repository?.hasOtherProject !== true),
    url,
    remote,
    schemaFolder: isInstalled ? installed : 'schemas',
    schemas: isInstalled ? null : { project: text('project'), manifest: text('manifest') },
  });
}

function write(
  files: readonly NewFile[],
  top: string,
  cwd: string,
): Pick<InitResult, 'written' | 'replaced' | 'leftAlone'> {
  const placed = files.map((file) => {
    const root = file.at === 'repository' ? top : cwd;
    const [path, occupant] = [join(root, file.path), occupantOf(root, file.path)];
    const existing = occupant === 'file' ? (readRegular(path, file.path) ?? '') : '';
    const isOld = occupant === 'file' && existing !== file.text && file.isOwn?.(existing) === true;
    return { file, path, occupant, existing, isOld };
  });
  const free = placed.filter(({ occupant }) => occupant === 'nothing');
  const old = placed.filter(({ isOld }) => isOld);
  createAll(free.map(({ path, file: { text } }) => ({ path, text })));
  for (const { path, file } of old) replaceFile(path, file.text);
  return {
    written: free.map(({ file }) => file.path),
    replaced: old.map(({ file }) => file.path),
    leftAlone: placed.flatMap(({ file, occupant, existing, isOld }) =>
      occupant === 'nothing' || isOld
        ? []
        : [{ path: file.path, why: occupant, add: file.missingFrom(existing) }],
    ),
  };
}

/** Files of earlier versions, which nothing uses any more. */
const OBSOLETE: Readonly<Record<CiHost, readonly string[]>> = {
  github: [
    ...['validate', 'plan', 'apply', 'drift'].map((name) => `.github/workflows/roster-${name}.yml`),
    ...['roster', 'roster-drift', 'roster-host', 'roster-request'].map((name) => `.github/${name}.mjs`),
  ],
  gitlab: ['.gitlab/roster.mjs', '.gitlab/roster-request.mjs'],
};

interface WrittenFiles {
  readonly root: string;
  readonly files: readonly NewFile[];
  readonly repository: RepositoryFacts | null;
}

/**
 * Those that exist, and that no new file has replaced. A file that is for another project is its own: a current workflow
 * can have the name of an old one. Scripts were shared.
 */
function obsoleteFiles(host: CiHost, { root, files, repository }: WrittenFiles): readonly string[] {
  const current = new Set(files.map(({ path }) => path));
  const folder = repository?.folder ?? '.';
  return OBSOLETE[host].filter((path) => {
    if (current.has(path) || occupantOf(root, path) !== 'file') return false;
    if (path.endsWith('.mjs')) return repository?.hasOtherProject !== true;
    return otherFolderIn(readRegular(join(root, path), path) ?? '', folder) === null;
  });
}
