import { type DiagnosticCode, Problem } from '../model/diagnostic.js';

/**
 * What is known of a request that failed. `not-sent`: no byte of it can have reached the service. `refused`: the
 * service said no (4xx). `unknown`: it may have taken effect, so a create must be looked for, never repeated.
 */
export type Certainty = 'not-sent' | 'refused' | 'unknown';

export interface FailureFacts {
  readonly code: DiagnosticCode;
  /** One line, without secrets. */
  readonly message: string;
  readonly help?: string;
  /** HTTP status; null when there was no answer. */
  readonly status: number | null;
  /** `errorCode` of the answer (interface §7). */
  readonly errorCode: string | null;
  readonly certainty: Certainty;
  /** Might go well a moment later: says nothing of whether it may be sent again. */
  readonly transient: boolean;
  /** How long the service asked to be left alone, in ms; null when it did not. */
  readonly retryAfterMs: number | null;
}

/** A request that failed, for good: what could be retried was. */
export class ServiceFailure extends Problem {
  readonly facts: FailureFacts;
  readonly status: number | null;
  readonly errorCode: string | null;
  readonly certainty: Certainty;
  /** How often it was sent: after more than one, a 404 to a DELETE may be the echo of an earlier success. */
  readonly attempts: number;

  constructor(facts: FailureFacts, attempts = 1) {
    const help = facts.help === undefined ? {} : { help: facts.help };
    super({ severity: 'error', code: facts.code, message: facts.message, ...help });
    this.name = 'ServiceFailure';
    this.facts = facts;
    this.status = facts.status;
    this.errorCode = facts.errorCode;
    this.certainty = facts.certainty;
    this.attempts = attempts;
  }
}
