import type { Risk } from '../model/risk.js';
import { defaultSafeguards, type Safeguards, weakerSafeguards } from '../model/safeguards.js';

/** Settings that allow more than at the last apply; before the first apply, more than their defaults. */
export function safeguardRisks(now: Safeguards, lastApplied: Safeguards | null): Risk[] {
  const than = lastApplied === null ? 'the default' : 'at the last apply';
  return weakerSafeguards(now, lastApplied ?? defaultSafeguards).map(({ name, value, before }) => ({
    code: 'safeguard',
    message: `\`${name}\` is ${value}, which allows more than ${than} (${before})`,
  }));
}
