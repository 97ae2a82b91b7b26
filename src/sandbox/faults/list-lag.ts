import type { World } from '../world.js';
import type { FaultPlan } from './faults.js';

/** The state that lists show: that of `lagMs` ago. Copies are made only while lists lag. */
export class ListLag {
  private readonly states: { readonly from: number; readonly world: World }[] = [];

  constructor(
    private readonly world: World,
    private readonly plan: FaultPlan,
  ) {}

  beforeRequest(): void {
    if (this.plan.lagMs > 0 && this.states.length === 0) this.keep(0);
  }

  afterChange(): void {
    if (this.plan.lagMs > 0) this.keep(Date.now());
  }

  listed(): World {
    if (this.plan.lagMs === 0) return this.world;
    const instant = Date.now() - this.plan.lagMs;
    return this.states.findLast((each) => each.from <= instant)?.world ?? this.world;
  }

  private keep(from: number): void {
    this.states.push({ from, world: structuredClone(this.world) });
  }
}
