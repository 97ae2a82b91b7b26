import type { Session } from '../engine/session.js';
import type { BatchResult, ItemResult } from '../model/batch.js';
import { type Diagnostic, Problem } from '../model/diagnostic.js';
import { ServiceFailure } from '../service/failure.js';
import { fateOf } from '../service/operation.js';

/** What commands that change things one after another have in common. Each has a function for one item. */
export interface Batch<T> {
  readonly items: readonly T[];
  /**
   * Changes one item: each write is sent once, and what a lost answer leaves open is looked at. Returns other items for one
   * that consists of them. A ServiceFailure that it throws ends the batch, and says what became of the item; any other
   * Problem ends only this item, and means that nothing was sent for it.
   */
  change(item: T): Promise<ItemResult<T> | readonly T[]>;
  /** Looks at the end what became of items that one look shows together. */
  settle?(results: readonly ItemResult<T>[]): Promise<readonly ItemResult<T>[]>;
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
  { items, change, settle, interruption, begin }: Batch<T>,
): Promise<BatchEnd<T>> {
  const results: ItemResult<T>[] = [];
  const failures: Diagnostic[] = [];
  const queue = [...items];
  const note = (result: ItemResult<T>) => {
    if (result.result === 'done' || result.result === 'unknown') begin();
    results.push(result);
  };
  for (let item = queue.shift(); item !== undefined; item = queue.shift()) {
    if (session.interrupted()) {
      queue.unshift(item);
      failures.push(...interruption(queue.length));
      break;
    }
    try {
      const changed = await change(item);
      if ('result' in changed) note(changed);
      else queue.unshift(...changed);
    } catch (failure) {
      if (!(failure instanceof Problem)) throw failure;
      failures.push(...failure.diagnostics);
      const isOver = failure instanceof ServiceFailure;
      note(itemResult(item, isOver ? fateOf(failure) : 'notSent'));
      if (isOver || session.interrupted()) break;
    }
  }
  results.push(...queue.map((item) => itemResult(item, 'notSent')));
  return { results: settle === undefined ? results : await settle(results), failures };
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
