import type { Verdict } from '../../apply/writer.js';
import { ServiceFailure } from '../../service/failure.js';

/** What a failure of the client means for the change. Any other failure is a bug, and is thrown. */
export function verdictOf(failure: unknown): Verdict {
  if (!(failure instanceof ServiceFailure)) throw failure;
  const message = failure.diagnostics.map((each) => each.message).join('; ');
  return {
    certainty: failure.certainty,
    gone: failure.status === 404,
    unauthorized: failure.status === 401,
    message,
  };
}
