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
}

/** What lets a refused plan pass. A plan with too many deletes passes with a higher limit. */
export type Allowance = Exclude<keyof Allowances, 'deletes' | 'policies'>;

interface Said {
  readonly message: string;
  /** What to do about it, as imperative sentences. Null where there is nothing to do. */
  readonly help: string | null;
  /** The change that it is about; null for the plan as a whole. */
  readonly address: Address | null;
  /** Where the manifests say it. */
  readonly place: Place | null;
  /** The policy that is broken. Missing where it is about none. */
  readonly policy?: string;
}

/**
 * What is said about a plan beyond the difference itself. A `note` and a `risk` belong to a change, or to the plan. An
 * `error` prevents a plan; a `refusal` prevents its apply.
 */
export type Finding =
  | (Said & { readonly level: 'note'; readonly address: Address })
  | (Said & Risk & { readonly level: 'risk' })
  | (Said & { readonly level: 'info' | 'warning' | 'error'; readonly code: DiagnosticCode })
  | (Said & Refused & { readonly level: 'refusal'; readonly code: DiagnosticCode });

interface Refused {
  readonly help: string;
  /** Null where no option lets it pass. */
  readonly allowedBy: Allowance | null;
}

export function note(address: Address, message: string): Finding {
  return { level: 'note', message, help: null, address, place: null };
}

export function risk(address: Address | null, { code, message, besideCadence }: Risk): Finding {
  const said = { level: 'risk', code, message, help: null, address, place: null } as const;
  return besideCadence === undefined ? said : { ...said, besideCadence };
}

export function refusal(
  code: DiagnosticCode,
  address: Address | null,
  message: string,
  help: string,
  allowedBy: Allowance | null = null,
): Finding {
  return { level: 'refusal', code, message, help, address, place: null, allowedBy };
}

/** A diagnostic as a finding. `address` is that of the change, which a diagnostic need not have. */
export function finding(diagnostic: Diagnostic, address: Address | null = null): Finding {
  const { severity, code, message, help, place, policy } = diagnostic;
  const found = { level: severity, code, message, help: help ?? null, address, place: place ?? null };
  return policy === undefined ? found : { ...found, policy };
}

/**
 * Why a change, or a plan as a whole, is risky, for a reviewer to read first. A sentence without a subject, shown next to the resource. It may
 * contain what changes with time (when a key was last used), so that it is not part of the digest.
 */
export interface Risk {
  /**
   * `delete`: an object is deleted. `key`: a key stops working. `scopes`: a key may do more. `schedule`: it runs more
   * often, or at other hours. `adopt`: an object that this project did not create is changed, or one is renamed that
   * only the inventory ties to its entry. `protection`: it may be
   * deleted from now on. `safeguard`: a setting of the project allows more than at the last apply, or the inventory
   * is in another place. `look-alike`: a name is easily taken for another. `possible-duplicate`: what is created may
   * exist already, and is not managed here. `breaks-unmanaged`: something that is not managed here needs what is deleted.
   * `policy`: a policy of the last apply is gone, or demands less, or something else.
   * `too-frequent`: it starts more often than `limits.shortestInterval` allows, or it is not known how often.
   */
  readonly code:
    | 'delete'
    | 'key'
    | 'scopes'
    | 'schedule'
    | 'adopt'
    | 'protection'
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
