import type { Intent } from '../model/inventory.js';
import type { Json } from '../model/json.js';
import type { Kind } from '../model/kind.js';
import type { Plan } from '../model/plan.js';
import { type Address, objectKey } from '../model/resource.js';
import { type ValueHasher, valueHasher } from '../model/value-hash.js';
import { type DiffContext, diff, type ResourceDiff } from './diff.js';
import { digestPartsOf } from './digest.js';
import { order } from './order.js';

/** What an unfinished apply was to do, and what the rest of it is compared in. */
export interface Unfinished {
  readonly intent: Intent | undefined;
  readonly kinds: readonly Kind[];
  readonly context: DiffContext;
}

type Body = Pick<Plan, 'project' | 'environment' | 'service' | 'account' | 'changes' | 'steps'>;

/**
 * The digest parts of a plan as they were while the unfinished apply had yet to create what changes refer to: for
 * `--resume`. An object counts as created by it if its create, as its entry would have it now, is a part of that apply, and
 * nothing is left to change in it. An address that has become that of another object refers to something else.
 */
export function restParts(
  body: Body,
  diffs: readonly ResourceDiff[],
  { intent, kinds, context }: Unfinished,
): Pick<Plan, 'restParts'> {
  const isReferring = ({ change, match }: ResourceDiff) =>
    change.action !== 'none' && match.kind.references !== undefined;
  if (intent === undefined || !diffs.some(isReferring)) return {};
  const hasher = valueHasher(body);
  const referred = new Set(kinds.flatMap(({ references }) => references?.kinds ?? []));
  const candidates = diffs.filter(({ match }) => referred.has(match.kind.name));
  const intended = new Set(intent.digestParts);
  const created = new Map(
    candidates.flatMap((each): [string, Address][] => {
      const part = createPart(each, hasher, context);
      const { kind, observed, address } = each.match;
      return part !== null && intended.has(part)
        ? [[objectKey(kind.name, observed?.id ?? null), address]]
        : [];
    }),
  );
  if (created.size === 0) return {};
  return {
    restParts: digestPartsOf(body, diffs, { hasher, reference: (value) => asPending(value, created) }),
  };
}

/** The part for the create of an object that exists and is as declared; null for any other. */
function createPart(
  { match, change }: ResourceDiff,
  hasher: ValueHasher,
  context: DiffContext,
): string | null {
  if (change.action !== 'none' || match.entry === null || match.observed?.id == null) return null;
  const nothing = { observed: null, rule: null, known: null, record: null, renamedFrom: null } as const;
  const before = { ...match, ...nothing, createInterrupted: false, misdescribed: false, wasProtected: false };
  const create = diff(before, context);
  if (create === null) return null;
  const { steps, stepsOf } = order([create]);
  const own = { ...create.change, steps: stepsOf.get(match.address) ?? [] };
  return digestPartsOf({ changes: [own], steps }, [create], { hasher })[0] ?? null;
}

/** The canonical form of a reference is its kind with its id. */
function asPending(value: Json, created: ReadonlyMap<string, Address>): Json {
  const [kind, id] = Array.isArray(value) ? value : [];
  if (typeof kind !== 'string' || typeof id !== 'string') return value;
  const address = created.get(objectKey(kind, id));
  return address === undefined ? value : [kind, { pending: address }];
}
