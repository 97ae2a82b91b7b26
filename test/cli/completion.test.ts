import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { program, roster } from '../support/program.js';
import { sampleOf } from '../support/size.js';

/** What people type in a real shell on a terminal, with Tab, and the words that the command then gets. */

const manifest = `project: pricing
environments: { staging: {}, production: {} }
include: [teams/*.yaml]
groups:
  shops: { members: [globex], description: "\${env.NOT_SET}" }
`;
const team = `schedules:
  nightly: { target: group/shops, every: 6 hours, startTime: 2099-12-01T06:00:00 }
  "$(touch hacked)": {}
`;

const folder = mkdtempSync(join(tmpdir(), 'roster-completion-'));
beforeAll(() => {
  for (const name of ['bin', 'teams', 'home']) mkdirSync(join(folder, name));
  symlinkSync(program, join(folder, 'bin/roster'));
  writeFileSync(join(folder, 'roster.yaml'), manifest);
  writeFileSync(join(folder, 'teams/prices.yaml'), team);
  writeFileSync(join(folder, 'two words.yaml'), 'project: other\n');
});
afterAll(() => rmSync(folder, { recursive: true }));

interface Shell {
  readonly command: string;
  /** Loads the script, and shows the words of a line instead of running it. */
  readonly setup: string;
}

const shells: Readonly<Record<string, Shell>> = {
  bash: {
    command: 'bash --norc --noprofile -i',
    setup: "source <(command roster completion bash); roster() { printf '<%s>' \"$@\"; echo '|'; }",
  },
  zsh: {
    command: 'zsh -f -i',
    setup:
      "autoload -U compinit; compinit -u -D; source <(command roster completion zsh); roster() { printf '<%s>' \"$@\"; echo '|'; }",
  },
  fish: {
    command: 'fish --no-config -i',
    setup: "command roster completion fish | source; function roster; printf '<%s>' $argv; echo '|'; end",
  },
};

/** `script` of util-linux gives the shell a terminal. */
const hasTerminal = spawnSync('script', ['--version'], { encoding: 'utf8' }).stdout?.includes('util-linux');

function missing(name: string): string | null {
  if (hasTerminal !== true) return 'util-linux is not installed';
  return spawnSync(name, ['--version']).error === undefined ? null : `${name} is not installed`;
}

/** The words that each line becomes. */
async function typed(shell: Shell, lines: readonly string[]): Promise<string[]> {
  const { PATH = '' } = process.env;
  const child = spawn('script', ['-qec', shell.command, '/dev/null'], {
    cwd: folder,
    signal: AbortSignal.timeout(300_000),
    env: {
      PATH: `${join(folder, 'bin')}:${PATH}`,
      HOME: join(folder, 'home'),
      TERM: 'xterm',
      COLUMNS: '200',
    },
  });
  let shown = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    shown += text;
  });
  const until = async (count: number) => {
    while ((shown.match(/<[^\n]*>\|/g) ?? []).length < count && child.exitCode === null)
      await new Promise((resolve) => setTimeout(resolve, 20));
  };
  const ended = new Promise((resolve, reject) => child.on('close', resolve).on('error', reject));
  child.stdin.write(`${shell.setup}\nroster ready\n`);
  await until(1);
  for (const [index, line] of lines.entries()) {
    child.stdin.write(`${line}\n`);
    await until(index + 2);
  }
  child.stdin.end('exit\n');
  await ended;
  return (shown.match(/<[^\n]*>\|/g) ?? []).slice(1).map((each) => each.slice(0, -1));
}

const lines = [
  ['roster valid\t', '<validate>'],
  ['roster plan sched\tni\t-v', '<plan><schedule/nightly><-v>'],
  ['roster plan --detail\t-v', '<plan><--detailed-exitcode><-v>'],
  ['roster plan -e stag\t-v', '<plan><-e><staging><-v>'],
  ['roster plan --env=prod\t-v', '<plan><--env=production><-v>'],
  ['roster plan --format=mark\t-v', '<plan><--format=markdown><-v>'],
  ['roster plan --write js\tx.json -v', '<plan><--write><json=x.json><-v>'],
  ['roster plan --write json=team\tx', '<plan><--write><json=teams/x>'],
  ['roster plan --out=team\tx', '<plan><--out=teams/x>'],
  ['roster plan -f two\t-v', '<plan><-f><two words.yaml><-v>'],
  ['roster calendar --zone Europe/Berl\t-v', '<calendar><--zone><Europe/Berlin><-v>'],
  ['roster help comp\t', '<help><completion>'],
  ['roster schema inv\t', '<schema><inventory>'],
  // A flag, and a place, for which there is nothing to offer.
  ['roster validate two\tx', '<validate><twox>'],
] as const;

describe.each(Object.keys(shells))('%s', (name) => {
  const shell = shells[name] as Shell;
  const reason = missing(name);
  const title = reason === null ? 'completes what is typed' : `is skipped: ${reason}`;

  test.skipIf(reason !== null)(title, async () => {
    const some = sampleOf(lines, 6);
    const words = await typed(
      shell,
      some.map(([line]) => line),
    );
    expect(words).toEqual(some.map(([, expected]) => expected));
  });
});

test('Tab runs nothing that a manifest contains, and completes without a key, a service or a valid project', async () => {
  const { exit, stdout, stderr } = await roster(['__complete', '--', 'why', 'schedule/'], { cwd: folder });
  expect([exit, stdout, stderr]).toEqual([0, 'schedule/nightly\t\n:end\n', '']);
});
