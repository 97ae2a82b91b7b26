import type { DataOutcome } from '../../model/data.js';
import type { Diagnostic } from '../../model/diagnostic.js';
import { ServiceFailure } from '../../service/failure.js';

type NoData = Exclude<DataOutcome, 'saved' | 'failed'>;

/** The service's answers by which it has no data (interface §7); null for any other failure. */
export function noDataOutcome(failure: unknown): NoData | null {
  if (!(failure instanceof ServiceFailure) || failure.facts.isPage === true) return null;
  if (failure.status === 402) return 'unpaid';
  if (failure.status === 404) return 'notFound';
  if (failure.status === 410) return 'expired';
  return failure.status === 400 && failure.errorCode === 'NO_FILE_EXPORT' ? 'noFile' : null;
}

const reasons: Readonly<Record<NoData, string>> = {
  unpaid: 'the final payment has not settled',
  notFound: 'it does not exist, or is not shared with this account',
  expired: 'retention has removed the file',
  noFile: 'it has no file',
};

const hints: Readonly<Partial<Record<NoData, string>>> = {
  unpaid: 'The data exists. Try again when the payment has settled.',
};

/** `what`: `dataset 3f…`, or `agent/acme-shop`. */
export function unavailable(what: string, outcome: NoData): Diagnostic {
  return noData(`${what} cannot be read: ${reasons[outcome]}`, hints[outcome]);
}

export function noData(message: string, help?: string): Diagnostic {
  const base = { severity: 'error', code: 'data-unavailable', message } as const;
  return help === undefined ? base : { ...base, help };
}
