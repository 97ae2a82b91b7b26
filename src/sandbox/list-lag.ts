import { Digits } from './digits.js';
import type { FaultPlan } from './faults.js';
import type { World } from './world.js';

/** The most copies kept for one period of `lagMs`. Lists lag by up to 5% more. */
const COPIES = 20;

interface State {
  readonly from: number;
  readonly world: World;
}

/**
 * The state that lists show: that of `lagMs` ago. Copies are made only while lists lag, before a change, and kept only
 * while a list can show them.
 */
export class ListLag {
  /** Oldest first. */
  private readonly states: State[] = [];
  /** Since then, the world is as it is now: real time, 0 for always. */
  private changedAt = 0;

  constructor(
    private readonly world: World,
    private readonly plan: FaultPlan,
  ) {}

  get kept(): number {
    return this.states.length;
  }

  beforeChange(): void {
    const { lagMs } = this.plan;
    this.forget(Date.now() - lagMs);
    const last = this.states.at(-1)?.from ?? Number.NEGATIVE_INFINITY;
    if (lagMs > 0 && this.changedAt - last > lagMs / COPIES)
      this.states.push({ from: this.changedAt, world: copied({ ...this.world, changes: null }) });
  }

  afterChange(): void {
    this.changedAt = this.plan.lagMs > 0 ? Date.now() : 0;
  }

  listed(): World {
    const instant = Date.now() - this.plan.lagMs;
    this.forget(instant);
    return this.states[0]?.world ?? this.world;
  }

  /** Keeps the state at the instant and later ones; none if the current state is that old. */
  private forget(instant: number): void {
    if (this.changedAt <= instant) this.states.length = 0;
    const first = this.states.findLastIndex(({ from }) => from <= instant);
    this.states.splice(0, first);
  }
}

/** A copy of plain data. Several times as fast as `structuredClone`. */
function copied<T>(value: T): T {
  if (typeof value !== 'object' || value === null || value instanceof Digits) return value;
  if (value instanceof Map) return new Map([...value].map(([key, each]) => [key, copied(each)])) as T;
  if (Array.isArray(value)) return value.map(copied) as T;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, copied(each)])) as T;
}
