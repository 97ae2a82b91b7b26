import { onTestFinished, TestRunner } from 'vitest';
import {
  defaultSeed,
  type Sandbox,
  type SandboxOptions,
  type Seed,
  startSandbox as startPlain,
  worldFromLog,
  worldToLog,
} from '../../src/sandbox/index.js';
import { behaviourOf } from './variants/behaviour.js';
import type { Variant } from './variants/names.js';

export { isVariant, VARIANTS, type Variant } from './variants/names.js';

export interface VariantOptions extends SandboxOptions {
  /** How the service behaves where interface.md leaves it open. */
  variants?: readonly Variant[];
}

/**
 * Starts a sandbox that behaves as some variants say; without them it is the shipped one. It is closed when the test has
 * finished. Who starts one for several tests, or very many in one, closes it.
 */
export async function startSandbox(options: VariantOptions = {}): Promise<Sandbox> {
  const sandbox = await startWith(options);
  let closed: Promise<void> | null = null;
  const close = () => {
    closed ??= sandbox.close();
    return closed;
  };
  if (TestRunner.getCurrentTest() !== undefined) onTestFinished(close);
  return { ...sandbox, close };
}

/** Saves what the service has. The function that is returned restores it, as often as it is called, and ends all faults. */
export function saveWorld({ world, faults }: Sandbox): () => void {
  const saved = worldToLog(world);
  return () => {
    Object.assign(world, worldFromLog(saved));
    Object.assign(faults, { faults: [], lagMs: 0, intercept: null });
  };
}

function startWith({ variants = [], ...options }: VariantOptions): Promise<Sandbox> {
  if (variants.length === 0) return startPlain(options);
  const seed = variants.includes('numeric-schedule-ids')
    ? numbered(options.seed ?? defaultSeed())
    : options.seed;
  return startPlain({
    ...options,
    ...(seed === undefined ? {} : { seed }),
    behaviour: behaviourOf(variants),
    ...(variants.includes('uneven-latency') ? { faults: { intercept: uneven(), ...options.faults } } : {}),
  });
}

/** Every fourth response takes a little longer. */
function uneven(): (request: unknown, next: () => Promise<void>) => Promise<void> {
  let count = 0;
  return async (_, next) => {
    count += 1;
    const ms = count % 4 === 1 ? 4 : count % 3;
    await next();
    if (ms > 0) await new Promise((done) => setTimeout(done, ms));
  };
}

/** Gives the schedules of a seed numbers as ids, except those that have an id. */
function numbered(seed: Seed): Seed {
  const taken = new Set(seed.schedules?.map(({ id }) => String(id)));
  let next = 1;
  const schedules = seed.schedules?.map((schedule) => {
    if (schedule.id !== undefined) return schedule;
    while (taken.has(String(next))) next += 1;
    return { ...schedule, id: next++ };
  });
  return schedules === undefined ? seed : { ...seed, schedules };
}
