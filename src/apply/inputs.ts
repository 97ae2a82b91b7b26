import type { Inventory, Lock } from '../model/inventory.js';
import type { Step } from '../model/plan.js';
import type { Address } from '../model/resource.js';
import type { PlannedState } from './inventory-update.js';
import type { StepState } from './run-steps.js';
import type { KeyKeeping, Writer } from './writer.js';

export interface ApplyInputs extends PlannedState {
  readonly inventory: Inventory;
  readonly lock: Lock;
  readonly writer: Writer;
  readonly keys: KeyKeeping;
  readonly control: RunControl;
  /** Changes that are left out, and why. */
  readonly withheld: ReadonlyMap<Address, string>;
  /** It was accepted as the rest of the plan that the inventory says was begun. */
  readonly isRest: boolean;
}

export interface RunControl {
  readonly concurrency: number;
  /** Asked before each step; true after an interrupt. */
  interrupted(): boolean;
  onStep(event: StepEvent): void;
  now(): Date;
  sleep(milliseconds: number): Promise<void>;
}

export type StepEvent =
  | { readonly type: 'begun'; readonly step: Step }
  | { readonly type: 'ended'; readonly step: Step; readonly state: StepState };
