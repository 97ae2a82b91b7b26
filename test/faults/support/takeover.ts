import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { defaultSeed, type Sandbox } from '../../../src/sandbox/index.js';
import { command } from '../../support/command.js';
import { type Ended, start } from '../../support/program.js';
import { startSandbox } from '../../support/sandbox.js';
import { environment, foreign, type Scenario } from './scenarios.js';

const keyOf = (side: 'first' | 'second') => `svc_live_the_${side}_run_0000000000000000`;

export interface Stop {
  /** The request of the first run at which its process is stopped, from 1; `write`: its first one that is not a read. */
  readonly nth: number | 'write';
  /** `lost`: the request takes no effect, and its connection is reset. `late`: it takes effect after the take-over. */
  readonly act: 'lost' | 'late';
  /** The command of the run that is stopped, and of the one that takes its lock. Default: an apply. */
  readonly commands?: Readonly<Record<'first' | 'second', readonly string[]>>;
}

const applies = { first: ['apply', '--yes'], second: ['apply', '--yes'] };

export interface TakeOver {
  readonly sandbox: Sandbox;
  /** The folder of the project. */
  readonly root: string;
  readonly first: Ended;
  /** Requests of the first run after another one took its lock, as `METHOD path`. */
  readonly after: readonly string[];
  /** Whether the process was stopped at all. */
  readonly stopped: boolean;
  apply(): Promise<Ended>;
}

/**
 * Before a run is stopped, the requests that it sends at the same time arrive: no run can notice that it was stopped after
 * its last look at the lock, while the system sends its request.
 */
const QUIET_MS = 50;

/** A run is stopped at a request, another one takes its lock and finishes, and the first one wakes up. */
export async function withTakeOver(
  scenario: Scenario,
  stop: Stop,
  work: (seen: TakeOver) => Promise<void>,
): Promise<void> {
  const keys = (['first', 'second'] as const).map((side) => ({ name: side, key: keyOf(side), scopes: [] }));
  const sandbox = await startSandbox({ seed: { ...defaultSeed(), ...foreign, keys } });
  const cwd = mkdtempSync(join(tmpdir(), 'roster-takeover-'));
  const options = (side: 'first' | 'second') => ({
    cwd,
    env: { ROSTER_URL: sandbox.url, ROSTER_API_KEY: keyOf(side), ...environment },
  });
  const commands = stop.commands ?? applies;
  const apply = () => command(['apply', '--yes'], options('second'));
  try {
    if (scenario.before !== null) {
      writeFileSync(join(cwd, 'roster.yaml'), scenario.before);
      await apply();
    }
    writeFileSync(join(cwd, 'roster.yaml'), scenario.manifest);
    const after: string[] = [];
    let [count, taken, pid] = [0, false, 0];
    let over: Promise<void> | null = null;
    const takeOver = async () => {
      await wait(QUIET_MS);
      process.kill(pid, 'SIGSTOP');
      await command(['unlock', '--yes'], options('second'));
      await command(commands.second, options('second'));
      taken = true;
      process.kill(pid, 'SIGCONT');
    };
    sandbox.faults.intercept = async (request, next) => {
      if (request.apiKey !== keyOf('first')) return next();
      if (taken) after.push(`${request.method} ${request.path}`);
      count += 1;
      if (stop.nth === 'write' ? over === null && request.method !== 'GET' : count === stop.nth) {
        over = takeOver();
        await over;
        return stop.act === 'late' ? next() : request.reset();
      }
      await next();
      // Requests that were sent at the same time take effect, and are answered after the take-over.
      await over;
    };
    const running = start(commands.first, options('first'));
    pid = running.pid ?? 0;
    const first = await running.ended;
    await work({ sandbox, root: cwd, first, after, stopped: taken, apply });
  } finally {
    rmSync(cwd, { recursive: true, force: true });
    await sandbox.close();
  }
}
