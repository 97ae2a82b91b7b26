import type { World } from './world.js';

/** Earlier states of a world: what lists show that lag behind. Copies are made only where there is a lag. */
export class History {
  private readonly states: { readonly from: number; readonly world: World }[] = [];

  constructor(private readonly world: World) {}

  /** Call before a change: the state that held until now. */
  begin(): void {
    if (this.states.length === 0) this.states.push({ from: 0, world: structuredClone(this.world) });
  }

  /** Call after a change: the state that holds from now on. */
  note(now: number): void {
    this.states.push({ from: now, world: structuredClone(this.world) });
  }

  /** The state at an instant. */
  at(instant: number): World {
    return this.states.findLast((each) => each.from <= instant)?.world ?? this.world;
  }
}
