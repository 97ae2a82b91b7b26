import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Cost, Meter, Subject } from './measure.js';
import { agents, type Project, projectOf } from './project.js';
import type { Report, Row } from './report.js';
import { startService } from './service.js';

/** A built `roster.cjs`. */
export interface Build {
  readonly name: string;
  readonly program: string;
}

/** What every part of the bench gets. */
export interface Bench {
  /** The build of this checkout is the first; the other one, if any, is that of `--against`. */
  readonly builds: readonly Build[];
  readonly now: Build;
  /** Numbers of resources, from few to many. */
  readonly sizes: readonly number[];
  readonly creates: readonly number[];
  /** How often to measure work on so many resources: the larger the work, the less noise matters. */
  readonly roundsOf: (resources: number) => number;
  /** Its version; null where it is not installed. */
  readonly terraform: string | null;
  /** A temporary folder. */
  readonly folder: string;
  readonly meter: Meter;
  readonly report: Report;
}

/** A service that holds a project, and a folder for each build in which it has been applied. */
export interface World {
  readonly env: Readonly<Record<string, string>>;
  readonly cwdOf: ReadonlyMap<Build, string>;
  close(): Promise<void>;
}

export async function startWorld(bench: Bench, resources: number): Promise<World> {
  const { files, seed } = projectOf(resources);
  const base = join(bench.folder, `world-${resources}`);
  write(base, { 'seed.json': JSON.stringify(seed) });
  const { env, close } = await startService(bench.now.program, join(base, 'seed.json'));
  const cwdOf = new Map<Build, string>();
  for (const build of bench.builds) {
    const cwd = join(base, build.name);
    write(cwd, files);
    // The objects exist: this only writes the inventory.
    await bench.meter.run({ ...rosterSubject(bench, build, ['apply', '--yes']), cwd, env });
    cwdOf.set(build, cwd);
  }
  return { env, cwdOf, close };
}

export function rosterSubject(bench: Bench, build: Build, words: readonly string[]): Subject {
  return {
    name: build.name,
    command: bench.meter.node(build.program, ...words),
    cwd: bench.folder,
  };
}

/** Every run creates the whole project, in a folder and a sandbox of its own. */
export function createSubject(bench: Bench, build: Build, project: Project): Subject {
  return {
    ...rosterSubject(bench, build, ['apply', '--yes']),
    prepare: async () => {
      const cwd = mkdtempSync(join(bench.folder, 'creates-'));
      write(cwd, { ...project.files, 'agents.json': JSON.stringify(agents) });
      const { env, close } = await startService(build.program, join(cwd, 'agents.json'));
      return { cwd, env, end: close };
    },
  };
}

/** One row for each subject. */
export async function rowsOf(
  bench: Bench,
  size: number,
  subjects: readonly Subject[],
  rounds: number,
): Promise<Row[]> {
  const costs: readonly Cost[] = await bench.meter.inTurns(subjects, rounds);
  return subjects.flatMap(({ name }, index) => {
    const cost = costs[index];
    return cost === undefined ? [] : [{ size, name, cost }];
  });
}

export function write(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
}
