import type { CiHost } from '../engine/init/ci-host.js';
import { type InitResult, init, type SkippedFile } from '../engine/init/init.js';
import { packageName } from '../engine/version.js';
import { wordList } from '../model/words.js';
import { escapeControls } from '../view/escape.js';
import { jsonText } from '../view/json/diagnostics-json.js';
import type { Implementation } from './command/command.js';
import type { initCommand } from './commands/project.js';
import { pageAddress } from './help/page-address.js';

/** `roster init`: a first project with what a team needs around it. Asks nothing, and never changes a file. */
export const runInit: Implementation<typeof initCommand> = async (flags, context) => {
  const { cwd, env } = context.host;
  const { url, ci, install, planWith, promote, verify } = flags;
  const made = await init({ cwd, env, url, ci, install, planWith, promote, verify });
  const settings = [
    isEmpty(url) && isEmpty(env.ROSTER_URL) ? '`ROSTER_URL`' : '',
    isEmpty(env.ROSTER_API_KEY) && isEmpty(env.ROSTER_API_KEY_FILE) ? '`ROSTER_API_KEY`' : '',
  ].filter((name) => name !== '');
  const result = { ...made, next: nextSteps(made, settings) };
  return { render: { text: () => initText(result), json: () => initJson(result) } };
};

const isEmpty = (value: string | null | undefined) => (value ?? '') === '';

type Shown = InitResult & { readonly next: readonly string[] };

function initJson(made: Shown): string {
  const { written, replaced, leftAlone, obsolete, ci, branch, install, next } = made;
  const hasFiles = ci.host !== null && made.installs;
  return jsonText({
    formatVersion: 1,
    written,
    replaced,
    leftAlone,
    obsolete,
    ci,
    branch: hasFiles ? branch : null,
    install: hasFiles ? install : null,
    next,
  });
}

/** `unset` are the settings that the next commands need and nothing has set yet. */
function nextSteps(made: InitResult, unset: readonly string[]): readonly string[] {
  const { host } = made.ci;
  const install =
    'CI is not set up yet. Choose what it installs: `roster init --install SOURCE`, with a tarball in this repository, a version on npm, or an image. Until roster is on npm, run `npm pack` in its source, and commit the tarball here.';
  return [
    ...(unset.length === 0 ? [] : [`Set ${wordList(unset, 'and')}.`]),
    'Run `roster pull` to write entries for the objects that exist already, or declare resources in roster.yaml.',
    'Check them with `roster validate`, then run `roster plan` to see what would change.',
    ...(host === null ? [] : made.installs ? [hostStep(host, made), firstRun(host, made)] : [install]),
  ];
}

function hostStep(host: CiHost, { deployments: { reading, applying } }: InitResult): string {
  const names = [...reading, ...applying].map((each) => `\`${each}\``);
  const all = wordList(names, 'and');
  if (host === 'github')
    return `On GitHub, add the environments ${all}, ${names.length > 2 ? 'all' : 'both'} restricted to the default branch, each with the variable ROSTER_URL and the secret ROSTER_API_KEY, and protect the branches. The checklist: ${pageAddress('docs/ci.md')}#github`;
  return `On GitLab, add the masked and protected CI/CD variables ROSTER_URL and ROSTER_API_KEY (environment scopes ${all}) and ROSTER_GITLAB_TOKEN (scope \`roster-*\`), protect the branches, add the webhook, and schedule a nightly pipeline. The checklist: ${pageAddress('docs/ci.md')}#gitlab`;
}

function firstRun(host: CiHost, { remote, workflow }: InitResult): string {
  const shared =
    remote === null
      ? 'Set `inventory: { git: {} }` in roster.yaml, so that all commands share one inventory. '
      : '';
  const what = host === 'github' ? `run the workflow "${workflow}" once` : 'run the scheduled pipeline once';
  return `${shared}Commit and push, and ${what}: it saves the first snapshot. Anyone who can read the repository can read that snapshot.`;
}

const reasons: Readonly<Record<SkippedFile['why'], string>> = {
  file: 'exists',
  link: 'is a symbolic link, or in a linked folder',
  other: 'is not a regular file',
};

function fileLines(branch: string, install: InitResult['install']): string[] {
  return [
    ...installed(install),
    `Changes are applied from the branch ${escapeControls(branch)}.`,
    'The CI files contain this name. If it is not your default branch, change it in all of them.',
  ];
}

/** What a person compares, before the files are committed. */
function installed(install: InitResult['install']): string[] {
  switch (install.from) {
    case 'nowhere':
      return [];
    case 'image':
      return [`Jobs run in the image ${install.image}.`];
    default:
      return [`Jobs install ${packageName} ${install.version} with the hash ${install.integrity}.`];
  }
}

function initText(made: Shown): string {
  const { written, replaced, leftAlone, obsolete, ci, branch, install, next } = made;
  const hosted = made.installs || ci.host === null ? (ci.host ?? 'none') : `${ci.host}, no files yet`;
  const lines = [
    ...written.map((path) => `written     ${escapeControls(path)}`),
    ...replaced.map((path) => `replaced    ${escapeControls(path)}`),
    ...leftAlone.map(({ path, why, add }) => {
      const advice = add === null ? '' : `; ${escapeControls(add)}`;
      return `skipped     ${escapeControls(path)} (${reasons[why]}${advice})`;
    }),
    ...obsolete.map((path) => `obsolete    ${escapeControls(path)} (of an earlier version: remove it)`),
    '',
    `CI: ${hosted}. ${escapeControls(ci.why)}`,
    ...(ci.host === null || !made.installs ? [] : fileLines(branch, install)),
    '',
    'Next:',
    ...next.map((step, index) => `  ${index + 1}. ${step}`),
  ];
  return `${lines.join('\n')}\n`;
}
