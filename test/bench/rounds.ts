import { spawnSync } from 'node:child_process';

/** What is measured: Node with these parameters. */
export interface Subject {
  readonly name: string;
  readonly parameters: readonly string[];
}

/**
 * Measures the subjects in turns, so that other work on the machine affects all of them alike. Returns the measurements
 * in the order of the subjects.
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

/** Milliseconds from start to end of a run, and what it wrote to its fourth stream. */
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
