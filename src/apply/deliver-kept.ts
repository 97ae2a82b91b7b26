import { reasonOf } from '../files/errno.js';
import type { Diagnostic } from '../model/diagnostic.js';
import type { Plan } from '../model/plan.js';
import type { Address } from '../model/resource.js';
import { deliverHeld } from './deliver-key.js';
import type { StepState } from './run-steps.js';
import type { KeyKeeping } from './writer.js';

export interface KeptDeliveries {
  readonly states: ReadonlyMap<Address, StepState>;
  readonly diagnostics: readonly Diagnostic[];
}

/** Delivers the keys that an earlier run kept because it could not deliver them. Needs no request. */
export async function deliverKept(
  { undelivered = {} }: Plan,
  keys: KeyKeeping,
  stopped: () => string | null,
): Promise<KeptDeliveries> {
  const states = new Map<Address, StepState>();
  const diagnostics: Diagnostic[] = [];
  for (const [address, { file, delivery }] of Object.entries(undelivered)) {
    const why = stopped();
    if (why !== null) {
      states.set(address, { outcome: 'skipped', error: why });
      continue;
    }
    try {
      const attempt = await deliverHeld({ keys, delivery }, keys.kept(address, file));
      states.set(address, attempt.state);
      diagnostics.push(...attempt.diagnostics);
    } catch (failure) {
      const error = `the key in ${file} cannot be read: ${reasonOf(failure)}`;
      states.set(address, { outcome: 'failed', error });
    }
  }
  return { states, diagnostics };
}
