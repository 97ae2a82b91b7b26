import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Meter, Subject } from './measure.js';
import { agents, type Project, projectOf } from './project.js';
import type { Report } from './report.js';
import { type Service, startService } from './service.js';

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
export interface World<W extends Way = Way> {
  readonly cwdOf: ReadonlyMap<Build, string>;
  readonly way: W;
  close(): Promise<void>;
}

/** How to reach a service. */
export type Way = Pick<Service, 'env' | 'close'>;

/** `through` puts something between. An inventory belongs to the URL of its service, so it is there from the start. */
export async function startWorld<W extends Way = Service>(
  bench: Bench,
  resources: number,
  through?: (service: Service) => Promise<W>,
): Promise<World<W>> {
  const { files, seed } = projectOf(resources);
  const base = mkdtempSync(join(bench.folder, `world-${resources}-`));
  write(base, { 'seed.json': JSON.stringify(seed) });
  const service = await startService(bench.now.program, join(base, 'seed.json'));
  const way = (await through?.(service)) ?? (service as Way as W);
  const cwdOf = new Map<Build, string>();
  for (const build of bench.builds) {
    const cwd = join(base, build.name);
    // With another value of a variable, which changes every group and most schedules.
    const changed = (files['roster.yaml'] ?? '').replace('country: DE', 'country: FR');
    write(cwd, { ...files, 'changed.yaml': changed });
    // The objects exist: this only writes the inventory.
    await bench.meter.run({ ...rosterSubject(bench, build, ['apply', '--yes']), cwd, env: way.env });
    cwdOf.set(build, cwd);
  }
  const close = async () => {
    if (through !== undefined) await way.close();
    await service.close();
  };
  return { cwdOf, way, close };
}

export function rosterSubject(bench: Bench, build: Build, words: readonly string[]): Subject {
  return {
    name: build.name,
    command: bench.meter.node(build.program, ...words),
    cwd: bench.folder,
  };
}

/** Every run creates the whole project, in a folder and a sandbox of its own. `through` puts something in between. */
export function createSubject(
  bench: Bench,
  build: Build,
  {
    project,
    through = async (service) => service,
  }: { project: Project; through?: (service: Service) => Promise<Way> },
): Subject {
  return {
    ...rosterSubject(bench, build, ['apply', '--yes']),
    prepare: async () => {
      const cwd = mkdtempSync(join(bench.folder, 'creates-'));
      write(cwd, { ...project.files, 'agents.json': JSON.stringify(agents) });
      const service = await startService(build.program, join(cwd, 'agents.json'));
      const way = await through(service);
      const end = async () => {
        if (way !== service) await way.close();
        await service.close();
      };
      return { cwd, env: way.env, end };
    },
  };
}

export function write(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
}
