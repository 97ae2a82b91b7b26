import type { Diagnostic, DiagnosticCode, Place } from './diagnostic.js';
import type { Address } from './resource.js';

/** What the user allows explicitly on the command line, or a caller of the library. */
export interface Allowances {
  /** `--allow-deletes N`: allows plans with at most N deletes, whatever the project says; null when it is not given. */
  readonly deletes: number | null;
  readonly selfRevoke: boolean;
  readonly empty: boolean;
  readonly accountChange: boolean;
  readonly staleCheckout: boolean;
  readonly editedInventory: boolean;
  readonly exposedKey: boolean;
  /** `--allow-policy NAME`: allows what these policies of the project do not. */
  readonly policies: readonly string[];
  /** `--reason TEXT`: why these policies may be broken, for whoever reads the plan. Null without them. */
  readonly policyReason: string | null;
}

/** Without any option. */
export const allowNothing: Allowances = {
  deletes: null,
  selfRevoke: false,
  empty: false,
  accountChange: false,
  staleCheckout: false,
  editedInventory: false,
  exposedKey: false,
  policies: [],
  policyReason: null,
};

/** What lets a refused plan pass. A plan with too many deletes passes with a higher limit. */
export type Allowance = Exclude<keyof Allowances, 'deletes' | 'policies' | 'policyReason'>;

/**
 * What is said about a plan beyond the difference itself: one value from the rule that finds it to the view that prints it.
 * A diagnostic that is an error prevents the plan; a refusal prevents its apply.
 */
export type Finding = Note | FoundRisk | Refusal | Diagnostic;

/** What else a reviewer must read about a change, such as what is left unchanged and why. */
export interface Note {
  readonly severity: 'note';
  readonly message: string;
  readonly address: Address;
}

/** A risk, with the change that has it; null for the plan as a whole. */
export interface FoundRisk extends Risk {
  readonly severity: 'risk';
  readonly address: Address | null;
}

/** Why apply refuses the plan. */
export interface Refusal {
  readonly severity: 'refusal';
  readonly code: DiagnosticCode;
  readonly message: string;
  /** How to allow it, as imperative sentences. */
  readonly help: string;
  /** The change that it is about; null for several, and for the plan as a whole. */
  readonly address: Address | null;
  /** The changes that it is about, where these are several. */
  readonly addresses?: readonly Address[];
  /** Where the manifests say it, if that is not the entry. */
  readonly place?: Place;
  /** The policy that is broken. */
  readonly policy?: string;
  /** Null where no option lets it pass. */
  readonly allowedBy: Allowance | null;
}

export function note(address: Address, message: string): Note {
  return { severity: 'note', message, address };
}

export function risk(address: Address | null, found: Risk): FoundRisk {
  return { ...found, severity: 'risk', address };
}

export function refusal(
  code: DiagnosticCode,
  address: Address | null,
  message: string,
  help: string,
  allowedBy: Allowance | null = null,
): Refusal {
  return { severity: 'refusal', code, message, help, address, allowedBy };
}

export function isNote(found: Finding): found is Note {
  return found.severity === 'note';
}

export function isRisk(found: Finding): found is FoundRisk {
  return found.severity === 'risk';
}

export function isRefusal(found: Finding): found is Refusal {
  return found.severity === 'refusal';
}

export function isDiagnostic(found: Finding): found is Diagnostic {
  return !isNote(found) && !isRisk(found) && !isRefusal(found);
}

/** A refusal as the error that a command reports. `entry` is where the change is declared, if that is to be shown. */
export function refusalError(found: Refusal, entry: Place | null = null): Diagnostic {
  const { allowedBy: _allowedBy, address: _address, addresses: _addresses, ...said } = found;
  const error = { ...said, severity: 'error' } as const;
  return error.place !== undefined || entry === null ? error : { ...error, place: entry };
}

/**
 * Why a change, or a plan as a whole, is risky, for a reviewer to read first. A sentence without a subject, shown next to the resource. It may
 * contain what changes with time (when a key was last used), so that it is not part of the digest.
 */
export interface Risk {
  /**
   * `delete`: an object is deleted. `key`: a key stops working. `scopes`: a key may do more. `schedule`: it runs more
   * often, or at other hours. `gap`: it does not run for unusually long. `load`: the plan starts many more agents.
   * `starts-again`: it was paused outside roster, and is enabled. `starts-held`: it starts agents that a hold stopped. `adopt`: an object that this project did not create is changed, or one is renamed that
   * only the inventory ties to its entry. `owned-elsewhere`: another project of the repository manages it, too. `protection`: it may be
   * deleted from now on. `weaker-expectation`: data that was unmet before is accepted. `safeguard`: a setting of the project allows more than at the last apply, or the inventory
   * is in another place. `look-alike`: a name is easily taken for another. `possible-duplicate`: what is created may
   * exist already, and is not managed here. `breaks-unmanaged`: something that is not managed here needs what is deleted.
   * `policy`: a policy of the last apply is gone, or demands less, or something else, or more is excepted from it.
   * `too-frequent`: it starts more often than `limits.shortestInterval` allows, or it is not known how often.
   */
  readonly code:
    | 'delete'
    | 'key'
    | 'scopes'
    | 'schedule'
    | 'gap'
    | 'load'
    | 'starts-again'
    | 'starts-held'
    | 'adopt'
    | 'owned-elsewhere'
    | 'protection'
    | 'weaker-expectation'
    | 'safeguard'
    | 'look-alike'
    | 'possible-duplicate'
    | 'breaks-unmanaged'
    | 'policy'
    | 'too-frequent';
  readonly message: string;
  /** The same in fewer words, where how often it runs before and after is said beside it. */
  readonly besideCadence?: string;
}
