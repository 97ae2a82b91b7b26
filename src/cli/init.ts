import type { CiHost } from '../engine/init/ci-host.js';
import { type InitResult, init, type SkippedFile } from '../engine/init/init.js';
import { escapeControls } from '../view/escape.js';
import { jsonText } from '../view/json/json-text.js';
import type { CommonFlags } from './command/flags.js';
import { runCommand } from './command/run-command.js';
import type { CommandContext } from './host/host.js';

type InitFlags = CommonFlags & { readonly ci?: string };

/** `roster init`: a first project with what a team needs around it. Asks nothing, and never changes a file. */
export function initCommand(flags: InitFlags, context: CommandContext): Promise<number> {
  return runCommand(flags, ['text', 'json'], context, async () => {
    const made = await init({ cwd: context.host.cwd, env: context.host.env, url: flags.url, ci: flags.ci });
    const result = { ...made, next: nextSteps(made.ci.host, made.remote) };
    return { render: { text: () => initText(result), json: () => initJson(result) } };
  });
}

type Shown = InitResult & { readonly next: readonly string[] };

function initJson({ written, leftAlone, ci, next }: Shown): string {
  return jsonText({ formatVersion: 1, written, leftAlone, ci, next });
}

function nextSteps(host: CiHost | null, remote: string | null): readonly string[] {
  const shared =
    'Before CI applies changes, set `inventory: { git: {} }` in roster.yaml, so that all runs share one inventory on the git remote.';
  return [
    'Declare resources in roster.yaml, then check them with `roster validate`.',
    'Set `ROSTER_URL` and `ROSTER_API_KEY`, then run `roster plan` to see what would change.',
    ...(host !== null && remote === null ? [shared] : []),
    ...(host === null ? [] : [hostSteps[host]]),
  ];
}

const hostSteps: Readonly<Record<CiHost, string>> = {
  github:
    'On GitHub, add the variable ROSTER_URL, the secret ROSTER_API_KEY and an environment named `production`.',
  gitlab:
    'On GitLab, add the CI/CD variables ROSTER_URL, ROSTER_API_KEY and ROSTER_GITLAB_TOKEN, and allow job tokens to push. See .gitlab/roster.yml for details.',
};

const reasons: Readonly<Record<SkippedFile['why'], string>> = {
  file: 'exists',
  link: 'is a symbolic link, or in a linked folder',
  other: 'is not a regular file',
};

function initText({ written, leftAlone, ci, next }: Shown): string {
  const lines = [
    ...written.map((path) => `written     ${escapeControls(path)}`),
    ...leftAlone.map(({ path, why, add }) => {
      const advice = add === null ? '' : `; ${escapeControls(add)}`;
      return `skipped     ${escapeControls(path)} (${reasons[why]}${advice})`;
    }),
    '',
    `CI: ${ci.host ?? 'none'}. ${escapeControls(ci.why)}`,
    '',
    'Next:',
    ...next.map((step, index) => `  ${index + 1}. ${step}`),
  ];
  return `${lines.join('\n')}\n`;
}
