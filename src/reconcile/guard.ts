import type { Checkout } from '../model/checkout.js';
import { numberText } from '../model/frequency.js';
import type { Inventory } from '../model/inventory.js';
import { isExpired } from '../model/kind.js';
import type { Objection, Plan, Step } from '../model/plan.js';
import type { Address, Project } from '../model/resource.js';
import type { ResourceDiff } from './diff.js';
import type { Match } from './match.js';
import { mismatch } from './recorded.js';
import { staleCheckoutObjections } from './stale-checkout.js';
import type { WeeklyStarts } from './starts.js';
import { isUnseen } from './unseen.js';

/** What the user allows explicitly on the command line. */
export interface Allowances {
  /** `--allow-deletes N`: allows plans with at most N deletes, whatever the project says; null when it is not given. */
  readonly deletes: number | null;
  readonly selfRevoke: boolean;
  readonly empty: boolean;
  readonly accountChange: boolean;
  readonly staleCheckout: boolean;
}

export interface GuardInputs {
  readonly project: Project;
  readonly service: string;
  readonly inventory: Inventory;
  readonly matches: readonly Match[];
  readonly diffs: readonly ResourceDiff[];
  readonly steps: readonly Step[];
  readonly allow: Allowances;
  readonly destroy?: boolean | undefined;
  readonly checkout?: Checkout | null;
  readonly now: Date;
  readonly ownNow?: Date;
  readonly weeklyStarts: WeeklyStarts;
  /** Why a new key of an entry could not be delivered; entries whose keys can be delivered are missing. */
  readonly undeliverable: ReadonlyMap<Address, string>;
  /** Keys of earlier runs that this plan delivers. */
  readonly undelivered?: Plan['undelivered'];
}

type AccountInputs = Pick<
  GuardInputs,
  'service' | 'inventory' | 'matches' | 'allow' | 'destroy' | 'now' | 'ownNow'
>;

type Guard = (inputs: GuardInputs) => readonly Objection[];
type AccountGuard = (inputs: AccountInputs) => readonly Objection[];

/** Every reason why apply refuses a plan. The plan is shown first, then refused. */
export function objections(inputs: GuardInputs): Objection[] {
  return guards.flatMap((guard) => guard(inputs));
}

const emptyProject: Guard = ({ project, allow }) => {
  if (project.entries.length > 0 || allow.empty) return [];
  const { elsewhere = [] } = project;
  const message =
    elsewhere.length === 0
      ? 'the project declares no resources'
      : `the project declares no resources in this environment: \`environments:\` leaves out all ${elsewhere.length}`;
  const help =
    'To write entries for existing objects, run `roster pull`. If the project is to be empty, use `--allow-empty`.';
  return [{ code: 'empty-project', message, help, address: null }];
};

/** Why what the inventory says cannot be about this service and account. */
export function accountObjections(inputs: AccountInputs): Objection[] {
  return accountGuards.flatMap((guard) => guard(inputs));
}

/** Ids mean nothing on another service, even where all names are the same. */
const otherService: AccountGuard = ({ service, inventory, allow }) => {
  if (inventory.service === null || inventory.service === service || allow.accountChange) return [];
  const message = `the inventory belongs to the service ${inventory.service}, and this plan is for ${service}`;
  const help =
    'Check `--url`, ROSTER_URL and `service.url`. If the service has moved, use `--allow-account-change`: the inventory then belongs to the new one.';
  return [{ code: 'inventory-mismatch', message, help, address: null }];
};

/** Most of what we own does not exist: another account's key is a more likely cause than that many deletes. */
const inventoryMismatch: AccountGuard = ({
  matches,
  inventory,
  allow,
  now,
  ownNow = now,
  destroy = false,
}) => {
  // What an interrupted run has destroyed is missing.
  if (destroy && inventory.intent?.destroy === true) return [];
  // A key ends when another one is created, a `once` schedule when it has run, and an object that is no longer declared
  // is only forgotten, unless everything is to be destroyed.
  const known = matches.filter(
    ({ known: each, entry, kind }) =>
      each?.id != null &&
      kind.secret === undefined &&
      (entry === null ? destroy : !isExpired(kind, entry.declared, now)),
  );
  const missing = known.filter((each) => each.observed === null && !isUnseen(each, ownNow)).length;
  if (allow.accountChange || missing * 2 <= known.length) return [];
  const message = `${missing} of the ${known.length} objects in the inventory are not visible to this API key`;
  const help =
    'Check that `--url` and `ROSTER_API_KEY` belong to the right account. If the objects were deleted, use `--allow-account-change`.';
  return [{ code: 'inventory-mismatch', message, help, address: null }];
};

const tooManyDeletes: Guard = ({ project, diffs, allow }) => {
  const count = diffs.filter((each) => each.change.action === 'delete').length;
  const limit = allow.deletes ?? project.limits.deletes;
  if (count <= limit) return [];
  const message = `the plan deletes ${count} ${count === 1 ? 'object' : 'objects'}, more than the limit of ${limit}`;
  const help = `Review the deletes. If all of them are intended, use \`--allow-deletes ${count}\`.`;
  return [{ code: 'too-many-deletes', message, help, address: null }];
};

/** A plan that starts fewer agents than before is a way back under the limit, so it passes. */
const tooManyRuns: Guard = ({ project, weeklyStarts: { startsPerWeek, isMore } }) => {
  const { before, after } = startsPerWeek;
  const limit = project.limits.runsPerWeek;
  if (limit === 'none' || after <= limit || !isMore) return [];
  const message = `${numberText(after)} agents would start in an average week (${numberText(before)} before), more than the ${numberText(limit)} that limits.runsPerWeek allows`;
  const help =
    'Start fewer agents, or less often. If all of these starts are intended, raise `limits.runsPerWeek` in roster.yaml.';
  return [{ code: 'too-many-runs', message, help, address: null }];
};

const staleCheckout: Guard = ({ checkout, diffs, allow }) =>
  checkout == null ? [] : staleCheckoutObjections(checkout, diffs, allow.staleCheckout);

/** Nothing is changed or deleted that the inventory describes wrongly: a pull request may have written the inventory. */
const misdescribed: Guard = ({ diffs }) =>
  diffs
    .filter(({ change, match }) => match.misdescribed && (change.action === 'delete' || match.entry !== null))
    .flatMap(({ change: { address }, match: { known, observed, entry } }) =>
      known === null || observed === null
        ? []
        : {
            code: 'inventory-mismatch',
            message: mismatch(address, known, observed),
            help: `Restore the inventory. If it is the right object, ${entry === null ? 'declare it with' : 'bind the entry:'} \`id: ${observed.id}\`${entry === null ? ', apply, and then remove the entry' : ''}.`,
            address,
          },
    );

const protectedObjects: Guard = ({ diffs, destroy = false }) =>
  diffs
    .filter(({ change, match }) => change.action === 'delete' && match.wasProtected)
    .map(({ change }) => ({
      code: 'protected',
      message: `${change.address} is protected and would be deleted`,
      help: destroy
        ? 'Set `protect: false` in its entry, run `roster apply`, and then destroy it.'
        : 'Restore the entry with `protect: false`, run `roster apply`, and then remove the entry.',
      address: change.address,
    }));

const selfRevoke: Guard = ({ diffs, allow }) =>
  allow.selfRevoke
    ? []
    : diffs
        .filter((each) => each.revokesCaller)
        .map(({ change }) => ({
          code: 'not-allowed',
          message: `${change.address}: this ${change.action} revokes the API key that roster uses`,
          help:
            change.action === 'delete'
              ? 'Set `ROSTER_API_KEY` to another key. If nobody needs this one, use `--allow-self-revoke`.'
              : 'Make sure that everyone who needs the new key gets it, then use `--allow-self-revoke`.',
          address: change.address,
        }));

/** Each new key revokes the previous one (interface §5.5): of two, only the second would remain. */
const severalNewKeys: Guard = ({ steps }) => {
  const creating = steps.filter((step) => step.delivery !== null).flatMap((step) => step.addresses);
  if (creating.length < 2) return [];
  const message = `${creating.join(' and ')} would be created, and each new key revokes the previous one`;
  const help =
    'Remove all but one of them from the manifests: each user has one active key. For a second key, use a separate project with the API key of another user.';
  return [{ code: 'several-new-keys', message, help, address: null }];
};

const undeliverableKey: Guard = ({ steps, undeliverable, undelivered = {} }) => {
  const creating = steps.filter((step) => step.delivery !== null).flatMap((step) => step.addresses);
  return [...creating, ...Object.keys(undelivered)].flatMap((address) => {
    const reason = undeliverable.get(address);
    if (reason === undefined) return [];
    const message = `${address}: the new key could not be delivered: ${reason}`;
    const help =
      'The service shows a key only once: set `deliver:` to a file that can be written, or to a command that exists.';
    return [{ code: 'undeliverable-key', message, help, address }];
  });
};

/** Whether it must be replaced depends on its age. */
const unknownAge: Guard = ({ diffs }) =>
  diffs.flatMap(({ change: { address }, match: { kind, entry, observed } }) => {
    const why = entry && observed && (kind.ageUnknown?.(entry, observed) ?? null);
    if (why === null) return [];
    const help = 'Remove `rotateAfter` until the service gives a valid `createdDate`.';
    return { code: 'unexpected-response', message: `${address}: ${why}`, help, address };
  });

const accountGuards: readonly AccountGuard[] = [otherService, inventoryMismatch];

const guards: readonly Guard[] = [
  emptyProject,
  ...accountGuards,
  tooManyDeletes,
  tooManyRuns,
  staleCheckout,
  misdescribed,
  protectedObjects,
  selfRevoke,
  severalNewKeys,
  undeliverableKey,
  unknownAge,
];
