import type { Session } from '../engine/session.js';
import type { BatchResult, ItemResult } from '../model/batch.js';
import { type Diagnostic, Problem } from '../model/diagnostic.js';
import { ServiceFailure } from '../service/failure.js';

/** What commands that change things one after another have in common. Each has a function for one item. */
export interface Batch<T> {
  readonly items: readonly T[];
  /**
   * Changes one item: each write is sent once, and what a lost answer leaves open is looked at. Returns other items for one
   * that consists of them. A ServiceFailure that it throws ends the batch, any other Problem only this item. It must call
   * `begin` before it throws one after which the item may have been changed.
   */
  change(item: T): Promise<ItemResult<T> | readonly T[]>;
  /** What is said when an interrupt leaves some of them. */
  interruption(left: number): readonly Diagnostic[];
  /** Something may have been changed from now on. */
  begin(): void;
}

export interface BatchEnd<T> {
  readonly results: readonly ItemResult<T>[];
  /** Why some of them were not changed, as far as the results do not say it. */
  readonly failures: readonly Diagnostic[];
}

/** Changes items in their order. Those that are left after an interrupt or a failure are `notSent`. */
export async function runBatch<T>(
  session: Session,
  { items, change, interruption, begin }: Batch<T>,
): Promise<BatchEnd<T>> {
  const results: ItemResult<T>[] = [];
  const failures: Diagnostic[] = [];
  const queue = [...items];
  for (let item = queue.shift(); item !== undefined; item = queue.shift()) {
    if (session.interrupted()) {
      queue.unshift(item);
      failures.push(...interruption(queue.length));
      break;
    }
    try {
      const changed = await change(item);
      if ('result' in changed) {
        if (changed.result === 'done' || changed.result === 'unknown') begin();
        results.push(changed);
      } else queue.unshift(...changed);
    } catch (failure) {
      if (!(failure instanceof Problem)) throw failure;
      failures.push(...failure.diagnostics);
      results.push(itemResult(item, 'notSent'));
      if (failure instanceof ServiceFailure || session.interrupted()) break;
    }
  }
  return { results: [...results, ...queue.map((item) => itemResult(item, 'notSent'))], failures };
}

export function itemResult<T>(
  item: T,
  result: ItemResult<T>['result'],
  message: string | null = null,
  error: Problem | null = null,
): ItemResult<T> {
  return { item, result, message, reasons: error?.diagnostics ?? [] };
}

/** What is wrong with the items first, and then why the others were left. */
export function batchResult<T>(
  { warnings }: Session,
  results: readonly ItemResult<T>[],
  failures: readonly Diagnostic[],
): BatchResult<T> {
  return { results, diagnostics: [...warnings, ...results.flatMap(({ reasons }) => reasons), ...failures] };
}
