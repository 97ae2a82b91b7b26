import { basename, join } from 'node:path';
import { readRegular } from '../files/atomic.js';
import { type CiHost, ciFiles } from '../init/ci-files.js';
import type { NewFile } from '../init/new-file.js';
import { projectFiles } from '../init/project-files.js';
import { serviceUrl } from '../service/url.js';
import { escapeControls } from '../view/escape.js';
import { jsonText } from '../view/json/json-text.js';
import { chooseHost, type HostChoice } from './ci-host.js';
import { exitCode } from './exit.js';
import { createAll, type Occupant, occupantOf } from './new-files.js';
import type { Output } from './output.js';
import { type RepositoryFacts, readRemoteUrl, repositoryFacts } from './repository-facts.js';
import { runCommand } from './run-command.js';
import { schemas } from './schema.js';
import type { CommonFlags, Host } from './settings.js';
import { version } from './version.js';

export interface InitFlags extends CommonFlags {
  readonly ci?: string;
}

/** A file that is there already, and what to add to it by hand. */
interface LeftAlone {
  readonly path: string;
  readonly why: Exclude<Occupant, 'nothing'>;
  readonly add: string | null;
}

interface Made {
  readonly written: readonly string[];
  readonly leftAlone: readonly LeftAlone[];
  readonly ci: HostChoice;
  readonly next: readonly string[];
}

/** `roster init`: a first project with what a team needs around it. Asks nothing, and never changes a file. */
export function init(flags: InitFlags, host: Host, output: Output): Promise<number> {
  return runCommand({ flags, formats: ['text', 'json'], host, output }, async () => {
    const url = urlOf(flags, host);
    const repository = await repositoryFacts(host);
    const root = repository?.root ?? host.cwd;
    const ci = chooseHost(flags.ci, repository, root);
    // Named by hand, pipelines are meant for a remote that is yet to come.
    const remote = repository?.remote?.name ?? (flags.ci === undefined || ci.host === null ? null : 'origin');
    const next = nextSteps(ci.host, remote);
    const made = { ...write(filesOf({ url, repository, ci, remote }, host), root, host), ci, next };
    return {
      exit: exitCode.fine,
      diagnostics: [],
      began: false,
      render: (format) => (format === 'json' ? jsonText({ formatVersion: 1, ...made }) : said(made)),
    };
  });
}

/** Of --url or ROSTER_URL, as a manifest would say it. */
function urlOf(flags: InitFlags, { env }: Host): string | null {
  const url = flags.url ?? env['ROSTER_URL'] ?? '';
  if (url === '') return null;
  const { origin, pathname } = serviceUrl(url, env, flags.url === undefined ? 'ROSTER_URL' : '--url');
  return `${origin}${pathname.replace(/\/+$/, '')}`;
}

interface Facts {
  readonly url: string | null;
  readonly repository: RepositoryFacts | null;
  readonly ci: HostChoice;
  readonly remote: string | null;
}

function filesOf({ url, repository, ci, remote }: Facts, host: Host): readonly NewFile[] {
  const folder = repository?.folder ?? '.';
  const branch = repository?.defaultBranch ?? 'main';
  return [
    ...projectFiles({
      project: projectName(repository, host.cwd),
      url,
      remote,
      schemas: { project: jsonText(schemas.get('project')), manifest: jsonText(schemas.get('manifest')) },
    }),
    ...(ci.host === null ? [] : ciFiles(ci.host, { version, branch, folder })),
  ];
}

/** The repository's name for its root, else that of the folder, in the letters that a project's name may have. */
function projectName(repository: RepositoryFacts | null, cwd: string): string {
  const { remote = null, folder } = repository ?? { folder: '.' };
  const name = remote !== null && folder === '.' ? readRemoteUrl(remote.url).name : basename(cwd);
  const usable = name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 63)
    .replace(/^-|-$/g, '');
  return usable === '' ? 'project' : usable;
}

function write(files: readonly NewFile[], top: string, { cwd }: Host): Pick<Made, 'written' | 'leftAlone'> {
  const placed = files.map((file) => {
    const root = file.at === 'repository' ? top : cwd;
    return { file, path: join(root, file.path), occupant: occupantOf(root, file.path) };
  });
  createAll(
    placed
      .filter(({ occupant }) => occupant === 'nothing')
      .map(({ path, file: { text } }) => ({ path, text })),
  );
  return {
    written: placed.filter(({ occupant }) => occupant === 'nothing').map(({ file }) => file.path),
    leftAlone: placed.flatMap(({ file, path, occupant }) =>
      occupant === 'nothing' ? [] : [leftAlone(file, path, occupant)],
    ),
  };
}

function leftAlone(file: NewFile, path: string, why: LeftAlone['why']): LeftAlone {
  const existing = why === 'file' ? (readRegular(path, file.path) ?? '') : '';
  return { path: file.path, why, add: file.missingFrom(existing) };
}

function nextSteps(host: CiHost | null, remote: string | null): readonly string[] {
  const shared =
    'Before a pipeline applies: `inventory: { git: {} }` in roster.yaml, which all who apply share through the git remote.';
  return [
    'Declare something in roster.yaml, and `roster validate` it.',
    'Set ROSTER_URL and ROSTER_API_KEY, and see what would change: `roster plan`.',
    ...(host !== null && remote === null ? [shared] : []),
    ...(host === 'github'
      ? ['On GitHub: the variable ROSTER_URL, the secret ROSTER_API_KEY, an environment `production`.']
      : []),
    ...(host === 'gitlab'
      ? [
          'On GitLab: the CI/CD variables ROSTER_URL, ROSTER_API_KEY and ROSTER_GITLAB_TOKEN, and pushes by job tokens; .gitlab/roster.yml says more.',
        ]
      : []),
  ];
}

const reasons: Readonly<Record<LeftAlone['why'], string>> = {
  file: 'exists',
  link: 'a link, or behind one',
  other: 'something else is there',
};

function said({ written, leftAlone: left, ci, next }: Made): string {
  const lines = [
    ...written.map((path) => `written     ${escapeControls(path)}`),
    ...left.map(({ path, why, add }) => {
      const advice = add === null ? '' : `; ${escapeControls(add)}`;
      return `left alone  ${escapeControls(path)} (${reasons[why]}${advice})`;
    }),
    '',
    `CI: ${ci.host ?? 'none'}. ${escapeControls(ci.why)}`,
    '',
    'Next:',
    ...next.map((step, index) => `  ${index + 1}. ${step}`),
  ];
  return `${lines.join('\n')}\n`;
}
