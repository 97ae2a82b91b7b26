import { isExpired } from '../model/kind.js';
import type { Objection, Step } from '../model/plan.js';
import type { Delivery, Project } from '../model/resource.js';
import type { ResourceDiff } from './diff.js';
import type { Match } from './match/match.js';

/** What a person has said outright on the command line. */
export interface Allowances {
  /** `--allow-deletes N`: covers plans with at most N deletes; null when not said. */
  readonly deletes: number | null;
  readonly selfRevoke: boolean;
  readonly empty: boolean;
  readonly accountChange: boolean;
}

export interface GuardInputs {
  readonly project: Project;
  readonly matches: readonly Match[];
  readonly diffs: readonly ResourceDiff[];
  readonly steps: readonly Step[];
  readonly allow: Allowances;
  readonly now: Date;
  /** Why a new key could not be delivered there; null when it can. */
  undeliverable(delivery: Delivery): string | null;
}

type Guard = (inputs: GuardInputs) => readonly Objection[];

/** Every reason for which apply refuses a plan. The plan is shown first, then refused. */
export function objections(inputs: GuardInputs): Objection[] {
  return guards.flatMap((guard) => guard(inputs));
}

const emptyProject: Guard = ({ project, allow }) => {
  if (project.entries.length > 0 || allow.empty) return [];
  const message = 'the project declares nothing';
  return [{ code: 'empty-project', message, help: 'If that is meant, say --allow-empty.', address: null }];
};

/** Most of what we own is not there: more likely another account's key than that many deletes. */
const inventoryMismatch: Guard = ({ matches, allow, now }) => {
  // Keys end by themselves when another is created, a `once` when it has fired, and what is not declared any more is
  // only forgotten.
  const known = matches.filter(
    ({ known: each, entry, kind }) =>
      each?.id != null &&
      entry !== null &&
      kind.secret === undefined &&
      !isExpired(kind, entry.declared, now),
  );
  const missing = known.filter((each) => each.observed === null).length;
  if (allow.accountChange || missing * 2 <= known.length) return [];
  const message = `${missing} of the ${known.length} objects in the inventory do not exist for this key`;
  const help =
    'Check --url and ROSTER_API_KEY: is it another account? If they are really gone, say --allow-account-change.';
  return [{ code: 'inventory-mismatch', message, help, address: null }];
};

const tooManyDeletes: Guard = ({ project, diffs, allow }) => {
  const count = diffs.filter((each) => each.change.action === 'delete').length;
  const limit = Math.max(project.limits.deletes, allow.deletes ?? 0);
  if (count <= limit) return [];
  const message = `the plan deletes ${count} objects, the limit is ${limit}`;
  const help = `Read the deletes; if all of them are meant, say --allow-deletes ${count}.`;
  return [{ code: 'too-many-deletes', message, help, address: null }];
};

const protectedObjects: Guard = ({ diffs }) =>
  diffs
    .filter(({ change, match }) => change.action === 'delete' && match.known?.protect === true)
    .map(({ change }) => ({
      code: 'protected',
      message: `${change.address} is protected and would be deleted`,
      help: 'Put the entry back with `protect: false`, apply that, and then take the entry out.',
      address: change.address,
    }));

const selfRevoke: Guard = ({ diffs, allow }) =>
  allow.selfRevoke
    ? []
    : diffs
        .filter((each) => each.revokesCaller)
        .map(({ change }) => ({
          code: 'not-allowed',
          message: `${change.address}: to ${change.action} it ends the access of the key that roster calls with`,
          help: 'Make sure the new key reaches whoever needs it, then say --allow-self-revoke.',
          address: change.address,
        }));

/** Each creation revokes the key before it (interface §5.5): two of them never both last. */
const severalNewKeys: Guard = ({ steps }) => {
  const creating = steps.filter((step) => step.delivery !== null).flatMap((step) => step.addresses);
  if (creating.length < 2) return [];
  const message = `${creating.join(' and ')} would be created, and each new key revokes the one before`;
  return [
    { code: 'several-new-keys', message, help: 'Leave one of them in the manifests for now.', address: null },
  ];
};

const undeliverableKey: Guard = ({ steps, diffs, undeliverable }) =>
  steps.flatMap((step) => {
    const reason = step.delivery === null ? null : undeliverable(step.delivery);
    if (reason === null) return [];
    const address = step.addresses[0] ?? null;
    const entry = diffs.find(({ change }) => change.address === address)?.match.entry;
    // The reason names the file or the command, which may come from the environment.
    const shown = entry?.sensitive.includes('deliver') ? 'its `deliver:` cannot be used' : reason;
    const message = `${address}: the new key could not be delivered: ${shown}`;
    const help =
      'A key is shown once: give the entry a `deliver:` with a file that can be written or a command that exists.';
    return [{ code: 'undeliverable-key', message, help, address }];
  });

const guards: readonly Guard[] = [
  emptyProject,
  inventoryMismatch,
  tooManyDeletes,
  protectedObjects,
  selfRevoke,
  severalNewKeys,
  undeliverableKey,
];
