import { type Diagnostic, type DiagnosticCode, Problem } from '../model/diagnostic.js';

/**
 * What is known about a failed request. `not-sent`: no byte of it can have reached the service. `refused`: the service
 * rejected it (4xx). `unknown`: it may have taken effect; then look for the object of a create, and never repeat it.
 */
export type Certainty = 'not-sent' | 'refused' | 'unknown';

export interface FailureFacts {
  readonly code: DiagnosticCode;
  /** One line, without secrets. */
  readonly message: string;
  /** What the service itself says, without the request. */
  readonly reason?: string;
  readonly help?: string;
  /** HTTP status; null when there was no answer. */
  readonly status: number | null;
  /** `errorCode` of the answer (interface §7). */
  readonly errorCode: string | null;
  /** The answer is a web page: the status may be that of a proxy, and not a verdict of the service. */
  readonly isPage?: boolean;
  readonly certainty: Certainty;
  /** Might succeed a moment later. Does not say whether the request may be sent again. */
  readonly transient: boolean;
  /** How long the service asks to wait, in ms; null when it does not. */
  readonly retryAfterMs: number | null;
  /** Why roster stopped waiting for a rate limit. Other requests need not be tried. */
  readonly givenUp?: 'deadline' | 'interrupt';
}

const defaults = {
  status: null,
  errorCode: null,
  certainty: 'unknown',
  transient: false,
  retryAfterMs: null,
} as const satisfies Partial<FailureFacts>;

/** A request that failed, after all retries. Facts that are not given are unknown. */
export class ServiceFailure extends Problem {
  readonly facts: FailureFacts;
  readonly diagnostic: Diagnostic;

  /** @param attempts how often it was sent: after the first attempt, a 404 to a DELETE may follow from an earlier success. */
  constructor(
    facts: Pick<FailureFacts, 'code' | 'message'> & Partial<FailureFacts>,
    readonly attempts = 1,
  ) {
    const help = facts.help === undefined ? {} : { help: facts.help };
    const diagnostic = { severity: 'error', code: facts.code, message: facts.message, ...help } as const;
    super(diagnostic);
    this.diagnostic = diagnostic;
    this.name = 'ServiceFailure';
    this.facts = { ...defaults, ...facts };
  }

  get status(): number | null {
    return this.facts.status;
  }

  get errorCode(): string | null {
    return this.facts.errorCode;
  }

  get certainty(): Certainty {
    return this.facts.certainty;
  }

  /** What the service itself says, else what happened. */
  get reason(): string {
    return this.facts.reason ?? this.facts.message;
  }
}
