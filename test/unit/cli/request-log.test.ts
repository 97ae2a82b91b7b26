import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { requestLog } from '../../../src/cli/command/progress.js';
import { Output } from '../../../src/cli/host/output.js';
import { Workspace } from '../../support/roster.js';
import { startSandbox } from '../../support/sandbox.js';

const manifest = 'project: p\ngroups:\n  shops: { members: [acme-shop] }\n';
const LINE = /^(GET|POST) \/api\/[\w/-]+(\?\S*)? \d{3} \d+ ms \(attempt \d\)$/;

async function inWorkspace(work: (workspace: Workspace, requests: () => number) => Promise<void>) {
  const sandbox = await startSandbox();
  const workspace = new Workspace({ 'roster.yaml': manifest }, sandbox);
  try {
    await work(workspace, () => sandbox.requests.length);
  } finally {
    await sandbox.close();
  }
}

test('-v: each request is a line on stderr with method, path, status, time and attempt, and nothing else of it', () =>
  inWorkspace(async (workspace, requests) => {
    const { exit, stdout, stderr } = await workspace.command(['apply', '--yes', '-v']);
    const lines = stderr.split('\n').filter((each) => /^[A-Z]+ \//.test(each));
    expect([exit, lines.length]).toEqual([0, requests()]);
    for (const each of lines) expect(each).toMatch(LINE);
    expect(lines.filter((each) => /^POST \/api\/search-groups 20[01] /.test(each))).toHaveLength(1);
    expect(stdout).not.toMatch(/\(attempt/);
    expect(stderr).not.toMatch(/x-api-key|acme-shop/i);
  }));

test('without -v no request is shown, and reads show no progress where there is no terminal', () =>
  inWorkspace(async (workspace) => {
    expect((await workspace.command(['plan'])).stderr).toBe('');
  }));

class Recorded extends Output {
  readonly lines: string[] = [];
  quiet = 5_000;
  override get quietMs(): number {
    return this.quiet;
  }
  override err(text: string): void {
    this.lines.push(text);
  }
  override status(line: string): void {
    this.lines.push(`status: ${line}`);
  }
}

function logOn(terminal: boolean, env: Record<string, string> = {}, verbose = false) {
  const output = new Recorded();
  const log = requestLog({ verbose }, { host: { stderrIsTerminal: terminal, env }, output });
  return { output, lines: output.lines, ...log };
}

const attempt = { method: 'GET', path: '/api/x', status: 200, milliseconds: 35.4, attempt: 1 };

describe('with a clock', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'], now: 0 }));
  afterEach(() => void vi.useRealTimers());

  test('a long wait for a rate limit is a line a minute in a log, and short waits are not shown', () => {
    for (const env of [{}, { CI: 'true' }]) {
      const { lines, onPause } = logOn(env.CI === 'true', env);
      vi.advanceTimersByTime(60_000);
      onPause?.(2_000);
      for (let n = 0; n < 13; n += 1) {
        onPause?.(9_400);
        vi.advanceTimersByTime(10_000);
      }
      expect(lines).toEqual(Array(3).fill('The service is limiting requests; waiting 10 s.\n'));
    }
  });

  test('a terminal shows waits and long reads on a line that the next output replaces', () => {
    const { output, lines, onPause, onAttempt } = logOn(true);
    onPause?.(12_000);
    vi.advanceTimersByTime(50);
    onAttempt?.(attempt);
    vi.advanceTimersByTime(100);
    for (let n = 0; n < 1_500; n += 1) onAttempt?.(attempt);
    vi.advanceTimersByTime(100);
    output.quiet = 0;
    onAttempt?.(attempt);
    expect(lines).toEqual([
      'status: The service is limiting requests; waiting 12 s',
      'status: Reading from the service … 2 responses',
    ]);
    output.quiet = 2_000;
    onAttempt?.(attempt);
    expect(lines.at(-1)).toBe('status: Reading from the service … 1,503 responses');
  });
});

test('control characters in a path never reach the terminal', () => {
  const { lines, onAttempt } = logOn(false, {}, true);
  onAttempt?.({ ...attempt, path: '/api/x?cursor=\u001b[2J', status: null, attempt: 2 });
  expect(lines).toEqual(['GET /api/x?cursor=\\u{1b}[2J no response 35 ms (attempt 2)\n']);
});
