import { canonical } from '../model/json.js';
import { exists, type Kind, referencesOf } from '../model/kind.js';
import type { ListCall, Request } from '../model/request.js';
import type { KindName, Observed } from '../model/resource.js';
import type { ApplyInputs } from './run-state.js';
import { valuesOf } from './sent.js';

type ById = ReadonlyMap<string, Observed>;

/**
 * Reads objects again right before a request that deletes or replaces them: the plan may be minutes old, and the service
 * has no compare-and-swap. Steps that start together share one read of a list.
 */
export class Recheck {
  private readonly reading = new Map<string, Promise<ById>>();
  private readonly planned: ReadonlyMap<KindName, ById>;

  constructor(private readonly inputs: ApplyInputs) {
    this.planned = new Map([...inputs.observed].map(([kind, list]) => [kind, byId(list)]));
  }

  /** Why the object is not what the plan showed; null when it is, or when the request can do no harm. */
  async conflictOf({ method }: Request, kind: Kind, id: string): Promise<string | null> {
    const planned = this.planned.get(kind.name)?.get(id);
    if (planned === undefined || kind.reread?.before.includes(method) !== true) return null;
    if (method !== 'DELETE') {
      const now = await this.readAgain(kind, planned, kind.reread.list?.(planned.spec) ?? kind.list());
      return now === undefined ? GONE : differenceOf(kind, planned, now);
    }
    const now = await this.readAgain(kind, planned, kind.list());
    // What is gone already is what a delete asks for.
    if (now === undefined) return null;
    return differenceOf(kind, planned, now) ?? this.newReferrer(kind.name, id);
  }

  private async readAgain(kind: Kind, { id }: Observed, list: ListCall<Observed>) {
    if (id === null) return undefined;
    if (kind.detail !== undefined) return this.inputs.writer.reader.read(kind.detail(id));
    const now = (await this.shared(list)).get(id);
    return now !== undefined && exists(kind, now) ? now : undefined;
  }

  /** Objects that started to refer to this one after the plan was made would be left with a dangling reference. */
  private async newReferrer(kindName: KindName, id: string): Promise<string | null> {
    const refers = (kind: Kind, { spec }: Observed) =>
      referencesOf(kind, spec).some((to) => to.kind === kindName && to.id === id);
    for (const kind of this.inputs.kinds) {
      const list = kind.references?.kinds.includes(kindName) ? kind.references.listOf : undefined;
      if (list === undefined) continue;
      const before = this.inputs.observed.get(kind.name)?.filter((each) => refers(kind, each)) ?? [];
      const known = new Set(before.map((each) => each.id));
      const listed = await this.shared(list({ kind: kindName, id }));
      const found = [...listed.values()].find((each) => refers(kind, each) && !known.has(each.id));
      if (found !== undefined)
        return `${kind.name} ${found.id} started to refer to it after the plan was made`;
    }
    return null;
  }

  private shared(call: ListCall<Observed>): Promise<ById> {
    const key = canonical({ path: call.request.path, query: { ...call.request.query } });
    const begun = this.reading.get(key);
    if (begun !== undefined) return begun;
    const { reader } = this.inputs.writer;
    const reading = reader
      .readAll(call)
      .then(byId)
      .finally(() => this.reading.delete(key));
    this.reading.set(key, reading);
    return reading;
  }
}

const GONE = 'it has been deleted, or refers to another object, since the plan was made';

function byId(list: readonly Observed[]): ById {
  return new Map(list.flatMap((each) => (each.id === null ? [] : [[each.id, each] as const])));
}

function differenceOf(kind: Kind, planned: Observed, now: Observed): string | null {
  if (planned.spec === null || now.spec === null) return null;
  const [before, after] = [valuesOf(kind, planned.spec), valuesOf(kind, now.spec)];
  const changed = Object.keys(before).filter(
    (field) => canonical(before[field] ?? null) !== canonical(after[field] ?? null),
  );
  return changed.length === 0 ? null : `it has changed since the plan was made (${changed.join(', ')})`;
}
