import type { HoldReport } from '../../model/hold-plan.js';
import { diagnosticJson, jsonHeader } from './plan-json.js';

/** `hold --format json` and `resume --format json`. */
export function holdJson({ made, outcomes, converged, diagnostics }: HoldReport) {
  const results = new Map(outcomes.map((each) => [each.address, each]));
  const { action, hold, resources, plan } = made;
  return {
    ...jsonHeader(plan),
    action,
    hold,
    resources: resources.map(({ address, kind, id, effect, why }) => {
      const { outcome = null, error = null } = results.get(address) ?? {};
      return { address, kind, id, effect, why, outcome, error };
    }),
    converged,
    diagnostics: diagnostics.map(diagnosticJson),
  };
}
