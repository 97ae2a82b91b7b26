import { canonical } from '../model/json.js';
import { exists, type Kind, referencesOf } from '../model/kind.js';
import type { Step } from '../model/plan.js';
import type { ListCall } from '../model/request.js';
import type { KindName, Observed } from '../model/resource.js';
import type { ApplyInputs } from './run-state.js';
import { valuesOf } from './sent.js';

/**
 * Reads objects again right before a request that deletes or replaces them: the plan may be minutes old, and the service
 * has no compare-and-swap. Steps that start together share one read of a list.
 */
export class Recheck {
  private readonly reading = new Map<string, Promise<readonly Observed[]>>();

  constructor(private readonly inputs: ApplyInputs) {}

  /** Why the object is not what the plan showed; null when it is, or when the request can do no harm. */
  async conflictOf(step: Step, kind: Kind, id: string): Promise<string | null> {
    if (kind.reread?.before.includes(step.request.method) !== true) return null;
    const planned = this.inputs.observed.get(kind.name)?.find((each) => each.id === id);
    if (planned === undefined) return null;
    const difference = differenceOf(kind, planned, await this.readAgain(kind, planned));
    if (difference !== null || step.request.method !== 'DELETE') return difference;
    return this.newReferrer(kind.name, id);
  }

  private async readAgain(kind: Kind, planned: Observed): Promise<Observed | undefined> {
    const { reader } = this.inputs.writer;
    if (kind.detail !== undefined && planned.id !== null) return reader.read(kind.detail(planned.id));
    const listed = await this.shared(kind.reread?.list?.(planned.spec) ?? kind.list());
    return listed.find((each) => each.id === planned.id && exists(kind, each));
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
      const found = (await this.shared(list({ kind: kindName, id }))).find(
        (each) => refers(kind, each) && !known.has(each.id),
      );
      if (found !== undefined)
        return `${kind.name} ${found.id} started to refer to it after the plan was made`;
    }
    return null;
  }

  private shared(call: ListCall<Observed>): Promise<readonly Observed[]> {
    const key = canonical({ path: call.request.path, query: { ...call.request.query } });
    const begun = this.reading.get(key);
    if (begun !== undefined) return begun;
    const reading = this.inputs.writer.reader.readAll(call).finally(() => this.reading.delete(key));
    this.reading.set(key, reading);
    return reading;
  }
}

function differenceOf(kind: Kind, planned: Observed, now: Observed | undefined): string | null {
  if (now === undefined) return 'it has been deleted, or refers to another object, since the plan was made';
  if (planned.spec === null || now.spec === null) return null;
  const [before, after] = [valuesOf(kind, planned.spec), valuesOf(kind, now.spec)];
  const changed = Object.keys(before).filter(
    (field) => canonical(before[field] ?? null) !== canonical(after[field] ?? null),
  );
  return changed.length === 0 ? null : `it has changed since the plan was made (${changed.join(', ')})`;
}
