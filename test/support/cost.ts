import { type Profiler, Session } from 'node:inspector';

/**
 * How often functions, branches and loops run during `work`. It grows as the time does, and is the same on every machine.
 * What the engine itself does, such as matching a regular expression, counts as one step. For each count, V8 drops all that it
 * has compiled, so only the long run counts, with processes for these tests alone.
 */
export function stepsOf(work: () => unknown): number {
  const session = new Session();
  session.connect();
  let steps = 0;
  // These commands are answered before `post` returns.
  session.post('Profiler.enable');
  session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
  try {
    work();
    session.post('Profiler.takePreciseCoverage', (_, { result }) => {
      steps = sumOf(result);
    });
  } finally {
    session.post('Profiler.stopPreciseCoverage');
    session.disconnect();
  }
  return steps;
}

function sumOf(scripts: readonly Profiler.ScriptCoverage[]): number {
  const ranges = scripts.flatMap(({ functions }) => functions).flatMap((each) => each.ranges);
  return ranges.reduce((sum, { count }) => sum + count, 0);
}
