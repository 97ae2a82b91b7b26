import { spawnSync } from 'node:child_process';

/** One thing that is measured: a program of Node's with its parameters. */
export interface Subject {
  readonly name: string;
  readonly parameters: readonly string[];
}

/**
 * Measures each subject so many times, in turns, so that whatever else the machine does touches all of them alike.
 * The measurements of a subject stand where the subject does.
 */
export function inTurns<S, M>(subjects: readonly S[], rounds: number, measure: (subject: S) => M): M[][] {
  const found: M[][] = subjects.map(() => []);
  for (let round = 0; round < rounds; round += 1) {
    for (const [index, subject] of subjects.entries()) found[index]?.push(measure(subject));
  }
  return found;
}

export function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? Number.NaN;
}

/** Milliseconds from start to end of a run, and what it said on its fourth stream. */
export function run({ name, parameters }: Subject, cwd: string): { milliseconds: number; said: string } {
  // Node 20 reads NODE_EXTRA_CA_CERTS at every start, which can take longer than all the rest.
  const { NODE_EXTRA_CA_CERTS: _, ...env } = process.env;
  const begin = performance.now();
  const { status, stderr, output } = spawnSync(process.execPath, parameters, {
    cwd,
    env,
    encoding: 'utf8',
    stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
  });
  const milliseconds = performance.now() - begin;
  if (status !== 0) throw new Error(`${name} ended with ${status}: ${stderr}`);
  return { milliseconds, said: output[3] ?? '' };
}
