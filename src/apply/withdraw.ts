import { exists, type Kind, referencesOf } from '../model/kind.js';
import type { Address, KindName, Observed } from '../model/resource.js';
import { hasValues, valuesOf } from './values.js';
import type { Verdict, Writer } from './writer.js';

export interface ReadBack {
  readonly kinds: readonly Kind[];
  /** Ids that the creates of this run were answered with. */
  readonly created: ReadonlyMap<Address, string>;
  /** What there was before the run. */
  readonly before: ReadonlyMap<KindName, readonly Observed[]>;
  /** What there is after it. */
  readonly after: ReadonlyMap<KindName, readonly Observed[]>;
}

/** An object that this run created and that is there once more than wanted, or that points to such a one. */
export interface Extra {
  readonly address: Address;
  readonly kind: Kind;
  readonly own: Observed;
  /** Why it is one too many, in words. */
  readonly why: string;
}

export interface Withdrawn extends Extra {
  /** Null when it is gone; else why it could not be withdrawn. */
  readonly failure: string | null;
}

/**
 * The service has no way to create only what is not there: two runs at once may both create. What appeared meanwhile
 * and is the same as an object of this run is somebody else's; ours is the one too many. In the order to withdraw them:
 * what points to an object comes before it.
 */
export function extrasOf(inputs: ReadBack): readonly Extra[] {
  const extras = new Map<string, Extra>();
  for (const extra of ownObjects(inputs)) {
    const others = duplicatesOf(extra, inputs);
    if (others.length === 0) continue;
    const duplicate = `${extra.kind.name} ${extra.kind.identity.describe(extra.own.spec)}`;
    extras.set(keyOf(extra), {
      ...extra,
      why: `another run made a ${duplicate} at the same time (${others.join(', ')})`,
    });
  }
  for (const extra of ownObjects(inputs)) {
    const target = referencesOf(extra.kind, extra.own.spec)
      .map(({ kind, id }) => extras.get(`${kind} ${String(id)}`))
      .find((each) => each !== undefined);
    if (target !== undefined && !extras.has(keyOf(extra)))
      extras.set(keyOf(extra), { ...extra, why: `it points to ${target.address}, which was one too many` });
  }
  const rank = (each: Extra) => -inputs.kinds.indexOf(each.kind);
  return [...extras.values()].sort((a, b) => rank(a) - rank(b));
}

/** Withdraws them by their ids alone. An object stays when something that is not withdrawn points to it. */
export async function withdrawExtras(
  extras: readonly Extra[],
  inputs: ReadBack,
  { writer, judge }: { readonly writer: Writer; judge(failure: unknown): Verdict },
): Promise<readonly Withdrawn[]> {
  const gone = new Set<string>();
  const withdrawn: Withdrawn[] = [];
  for (const extra of extras) {
    const holder = pointingTo(extra, inputs, gone);
    const failure =
      holder === null ? await remove(extra, writer, judge) : `${holder} points to it, and stays as it is`;
    if (failure === null) gone.add(keyOf(extra));
    withdrawn.push({ ...extra, failure });
  }
  return withdrawn;
}

function keyOf({ kind, own }: Pick<Extra, 'kind' | 'own'>): string {
  return `${kind.name} ${own.id}`;
}

function ownObjects({ kinds, created, after }: ReadBack): readonly Omit<Extra, 'why'>[] {
  const kindOf = (address: Address) => kinds.find((kind) => address.startsWith(`${kind.name}/`));
  return [...created].flatMap(([address, id]) => {
    const kind = kindOf(address);
    const own = kind === undefined ? undefined : after.get(kind.name)?.find((each) => each.id === id);
    // A new key has ended the others by being made: there is nothing to choose between.
    const comparable =
      kind !== undefined && kind.secret === undefined && own !== undefined && own.spec !== null;
    return comparable ? [{ address, kind, own }] : [];
  });
}

function duplicatesOf(
  { kind, own }: Omit<Extra, 'why'>,
  { created, before, after }: ReadBack,
): readonly string[] {
  const known = new Set([...(before.get(kind.name) ?? []).map((each) => each.id), ...created.values()]);
  const identity = kind.identity.ofObserved(own);
  // Objects of one natural key may stand side by side: only those that are equal in every field are one too many.
  const values = valuesOf(kind, own.spec);
  const isEqual = ({ spec }: Observed) =>
    kind.similarity === undefined || hasValues(kind, spec, values, new Map());
  return (after.get(kind.name) ?? []).flatMap((each) => {
    const isNew = each.id !== null && !known.has(each.id) && exists(kind, each);
    return isNew && kind.identity.ofObserved(each) === identity && isEqual(each) ? [each.id ?? ''] : [];
  });
}

function pointingTo(
  { kind, own }: Extra,
  { kinds, after }: ReadBack,
  gone: ReadonlySet<string>,
): string | null {
  for (const each of kinds) {
    const holder = (after.get(each.name) ?? []).find(
      (object) =>
        object.spec !== null &&
        !gone.has(`${each.name} ${object.id}`) &&
        referencesOf(each, object.spec).some((target) => target.kind === kind.name && target.id === own.id),
    );
    if (holder !== undefined) return `${each.name} ${holder.id}`;
  }
  return null;
}

async function remove(
  { kind, own }: Extra,
  writer: Writer,
  judge: (failure: unknown) => Verdict,
): Promise<string | null> {
  if (own.id === null || own.rawId === null) return 'the service shows no id of it';
  try {
    const target = { id: own.id, rawId: own.rawId, before: own.spec };
    for (const { request } of kind.remove(target)) await writer.send(request);
    return null;
  } catch (failure) {
    const verdict = judge(failure);
    return verdict.gone ? null : verdict.message;
  }
}
