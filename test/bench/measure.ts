import { type SpawnOptions, spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** What one run of a process cost. NaN: this system cannot tell. */
export interface Cost {
  readonly wall: number;
  /** Processor time in seconds. Other work on the machine changes it far less than wall time. */
  readonly cpu: number;
  readonly megabytes: number;
}

/** A process to measure. */
export interface Subject {
  readonly name: string;
  readonly command: readonly string[];
  readonly cwd: string;
  /** Variables besides those of all processes; undefined removes one. */
  readonly env?: Readonly<NodeJS.ProcessEnv>;
  /** It takes so long that one round must do. */
  readonly isSlow?: boolean;
  /** It may end with any exit code. */
  readonly mayFail?: boolean;
  /** What to do before each run. */
  readonly prepare?: () => Promise<Prepared> | Prepared;
}

/** What a preparation changes, and how to end it. */
export interface Prepared {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly end?: () => Promise<void>;
}

/**
 * Loaded into each Node process: reports its cost when it ends. On Linux, the peak comes from /proc: `maxRSS` of a child
 * begins with the memory of its parent.
 */
const METER = `process.on('exit', () => {
  const fs = require('node:fs');
  const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
  let peak = maxRSS;
  try { peak = Number(/VmHWM:\\s+(\\d+)/.exec(fs.readFileSync('/proc/self/status', 'utf8'))[1]); } catch {}
  fs.writeSync(3, JSON.stringify([(userCPUTime + systemCPUTime) / 1e6, peak / 1024]));
});`;

/** Measures processes, each with a home folder of the bench's own. */
export class Meter {
  private readonly preload: string;
  private readonly usage: string;
  private readonly env: Readonly<Record<string, string>>;
  private readonly hasTime = isGnuTime();

  constructor(folder: string) {
    this.preload = join(folder, 'meter.cjs');
    this.usage = join(folder, 'usage.txt');
    writeFileSync(this.preload, METER);
    // Without NODE_EXTRA_CA_CERTS: Node 20 reads that file at every start, which can take longer than all the rest.
    this.env = { PATH: process.env['PATH'] ?? '', HOME: folder, NODE_DISABLE_COMPILE_CACHE: '1' };
  }

  /** The command line of a Node process that reports its cost. */
  node(...parameters: readonly string[]): readonly string[] {
    return [process.execPath, '--require', this.preload, ...parameters];
  }

  /** The command line of any other program. Only GNU time can tell what it costs, except for wall time. */
  other(...command: readonly string[]): readonly string[] {
    return this.hasTime ? [TIME, '-o', this.usage, '-f', '%U %S %M', ...command] : command;
  }

  async run(subject: Subject): Promise<Cost> {
    const { cwd, env, end } = (await subject.prepare?.()) ?? {};
    try {
      const begin = performance.now();
      const said = await ended(subject, {
        cwd: cwd ?? subject.cwd,
        env: { ...this.env, ...subject.env, ...env },
      });
      return { wall: (performance.now() - begin) / 1000, ...this.costOf(subject, said) };
    } finally {
      await end?.();
    }
  }

  /** The medians of the subjects, in their order. Says on a terminal what it is doing. */
  async inTurns(subjects: readonly Subject[], rounds: number): Promise<Cost[]> {
    const costs = await inTurns(subjects, rounds, (subject, round) => {
      if (subject.isSlow && round > 0) return null;
      if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${subject.name} (${round + 1}/${rounds})`);
      return this.run(subject);
    });
    if (process.stderr.isTTY) process.stderr.write('\r\x1b[K');
    return costs.map(medians);
  }

  private costOf({ command }: Subject, said: string): Omit<Cost, 'wall'> {
    if (command[0] === TIME) {
      const [user = Number.NaN, system = 0, kilobytes = Number.NaN] = readFileSync(this.usage, 'utf8')
        .trim()
        .split(' ')
        .map(Number);
      return { cpu: user + system, megabytes: kilobytes / 1024 };
    }
    const [cpu, megabytes] = said === '' ? [] : (JSON.parse(said) as number[]);
    return { cpu: cpu ?? Number.NaN, megabytes: megabytes ?? Number.NaN };
  }
}

const TIME = '/usr/bin/time';

function isGnuTime(): boolean {
  return existsSync(TIME) && spawnSync(TIME, ['-f', '%M', 'true']).status === 0;
}

/** Resolves with what the process wrote to its fourth stream. */
function ended({ name, command, mayFail }: Subject, options: SpawnOptions): Promise<string> {
  return new Promise((resolve, reject) => {
    const [file = '', ...parameters] = command;
    const child = spawn(file, parameters, { ...options, stdio: ['ignore', 'ignore', 'pipe', 'pipe'] });
    const texts = ['', ''];
    for (const index of [0, 1])
      child.stdio[index + 2]?.on('data', (text: Buffer) => {
        texts[index] += text.toString();
      });
    child.on('error', reject);
    child.on('close', (status) => {
      const [stderr = '', said = ''] = texts;
      if (status === 0 || mayFail === true) resolve(said);
      else reject(new Error(`${name} ended with ${status}: ${stderr.slice(-2000)}`));
    });
  });
}

/**
 * Measures the subjects in turns, so that other work on the machine affects all of them alike. Returns the measurements
 * in the order of the subjects. Null is not a measurement.
 */
export async function inTurns<S, M>(
  subjects: readonly S[],
  rounds: number,
  measure: (subject: S, round: number) => M | null | Promise<M>,
): Promise<M[][]> {
  const found: M[][] = subjects.map(() => []);
  for (let round = 0; round < rounds; round += 1) {
    for (const [index, subject] of subjects.entries()) {
      const one = await measure(subject, round);
      if (one !== null) found[index]?.push(one);
    }
  }
  return found;
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? Number.NaN;
}

function medians(costs: readonly Cost[]): Cost {
  return each(costs, median);
}

/** Of work that is the same each time, the rest is noise. */
export function fastest(costs: readonly Cost[]): Cost {
  return each(costs, (numbers) => Math.min(...numbers));
}

function each(costs: readonly Cost[], of: (numbers: readonly number[]) => number): Cost {
  return {
    wall: of(costs.map(({ wall }) => wall)),
    cpu: of(costs.map(({ cpu }) => cpu)),
    megabytes: of(costs.map(({ megabytes }) => megabytes)),
  };
}

/** The exponent with which a quantity grows: 1 is in proportion, 2 with the square. */
export function exponent(
  small: { size: number; value: number },
  large: { size: number; value: number },
): number {
  return Math.log(large.value / small.value) / Math.log(large.size / small.size);
}
