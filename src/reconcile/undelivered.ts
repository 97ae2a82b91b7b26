import type { Diagnostic } from '../model/diagnostic.js';
import type { Kind } from '../model/kind.js';
import { namedIds } from '../model/named-ids.js';
import type { Plan } from '../model/plan.js';
import type { Address, Delivery, Desired, Observed } from '../model/resource.js';
import type { ResourceDiff } from './diff.js';
import { deliveryFields } from './fields.js';
import type { Match } from './match.js';

/** A file that an earlier run kept the key of an object in, because it could not deliver it. */
export interface KeptKeyFile {
  /** Relative to the project. */
  readonly file: string;
  /** The list shows it as active. */
  readonly observed: Observed;
}

type KeptKeys = ReadonlyMap<Address, KeptKeyFile>;

/** Its key can still be read: it need not be replaced, however the run ended that created it. */
export function knowingKept(match: Match, kept: KeptKeys): Match {
  return keptOf(match, kept) === undefined ? match : { ...match, createInterrupted: false };
}

/** Adds the delivery that an earlier run could not finish: it is reviewed like that of a new key. */
export function withDelivery(diff: ResourceDiff, kept: KeptKeys): ResourceDiff {
  const found = keptOf(diff.match, kept);
  const { match, change } = diff;
  if (found === undefined || match.entry === null || deliveryOf(diff, kept) === null) return diff;
  const requests = match.kind.create(match.entry.spec, match.entry);
  const note = `delivers the key in ${found.file}, which an earlier run could not deliver`;
  return {
    ...diff,
    change: {
      ...change,
      action: 'update',
      origin: 'manifest',
      fields: [...change.fields, ...deliveryFields(requests)],
      notes: [...change.notes, note],
    },
  };
}

/** What apply delivers without a request. */
export function undeliveredKeys(diffs: readonly ResourceDiff[], kept: KeptKeys): Pick<Plan, 'undelivered'> {
  const keys = diffs.flatMap((diff) => {
    const [found, delivery] = [keptOf(diff.match, kept), deliveryOf(diff, kept)];
    const { address } = diff.match;
    return found === undefined || delivery === null
      ? []
      : [[address, { file: found.file, delivery }] as const];
  });
  return keys.length === 0 ? {} : { undelivered: Object.fromEntries(keys) };
}

/**
 * Keys with the name of one that was kept: the run that created it may have been about to revoke them. No inventory
 * says so, and thus they stay.
 */
export function namesakesOfKept(matches: readonly Match[], kept: KeptKeys): readonly Diagnostic[] {
  return matches.flatMap((match) => {
    const { kind, entry, address } = match;
    const found = keptOf(match, kept);
    if (found === undefined || entry === null) return [];
    const identity = kind.identity.of(entry.spec);
    const others = matches.flatMap(({ ours, observed }) =>
      !ours && observed?.kind === kind.name && kind.identity.ofObserved(observed) === identity
        ? [observed.id ?? 'a key without an id']
        : [],
    );
    return others.length === 0 ? [] : [namesakes(kind, address, entry, others)];
  });
}

function namesakes(kind: Kind, address: Address, entry: Desired, ids: readonly string[]): Diagnostic {
  return {
    severity: 'warning',
    code: 'duplicate-object',
    message: `${address}: besides the key that an interrupted run created, the service has ${ids.length} ${kind.identity.describe(entry.spec)}: ${namedIds(ids)}`,
    help: 'If the interrupted run was to replace it, revoke it in the dashboard (account menu, API keys).',
    place: entry.source,
  };
}

function keptOf({ address, observed }: Match, kept: KeptKeys): KeptKeyFile | undefined {
  const found = kept.get(address);
  return found !== undefined && found.observed === observed ? found : undefined;
}

/** Null where nothing is delivered: an object that is replaced gets another key. */
function deliveryOf({ match, change, requests }: ResourceDiff, kept: KeptKeys): Delivery | null {
  const { kind, entry } = match;
  if (entry === null || keptOf(match, kept) === undefined) return null;
  if (requests.length > 0 || !['none', 'adopt', 'update'].includes(change.action)) return null;
  return kind.create(entry.spec, entry).find((each) => each.delivery !== undefined)?.delivery ?? null;
}
