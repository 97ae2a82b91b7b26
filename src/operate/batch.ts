import type { Confirmation } from '../engine/reviewed-run.js';
import type { Session } from '../engine/session.js';
import type { BatchResult, ItemResult } from '../model/batch.js';
import { type Diagnostic, Problem, problem } from '../model/diagnostic.js';
import type { Call } from '../model/request.js';
import { ServiceFailure } from '../service/failure.js';
import { attempt, fateOf, orElse } from '../service/operation.js';

/** What commands that change things have in common. Each has a function for one item, or for those that go into one request. */
export interface Batch<T> {
  readonly items: readonly T[];
  /** How many items `change` is given at once. Default: 1. */
  readonly atOnce?: number;
  /**
   * Changes items: each write is sent once, and what a lost answer leaves open is looked at. Returns the parts of an item
   * that consists of others. A ServiceFailure that it throws ends the batch, and says what became of the items; any other
   * Problem ends only these items, and means that nothing was sent for them.
   */
  change(...items: readonly [T, ...T[]]): Promise<Changed<T>>;
  /** Looks at the end what became of items that one look shows together. */
  settle?(results: readonly ItemResult<T>[]): Promise<readonly ItemResult<T>[]>;
  /** What is said when an interrupt leaves some of them. */
  interruption(left: number): readonly Diagnostic[];
  /** Something may have been changed from now on. */
  begin(): void;
}

export type Changed<T> = ItemResult<T> | readonly ItemResult<T>[] | { readonly parts: readonly T[] };

export interface BatchEnd<T> {
  readonly results: readonly ItemResult<T>[];
  /** Why some of them were not changed, as far as the results do not say it. */
  readonly failures: readonly Diagnostic[];
}

/** Changes items in their order. Those that are left after an interrupt or a failure are `notSent`. */
export async function runBatch<T>(session: Session, batch: Batch<T>): Promise<BatchEnd<T>> {
  const { atOnce = 1, settle } = batch;
  const results: ItemResult<T>[] = [];
  const failures: Diagnostic[] = [];
  const queue = [...batch.items];
  const note = (result: ItemResult<T>) => {
    if (result.result === 'done' || result.result === 'unknown') batch.begin();
    results.push(result);
  };
  while (queue.length > 0) {
    if (session.interrupted()) {
      failures.push(...batch.interruption(queue.length));
      break;
    }
    const [item, ...others] = queue.splice(0, atOnce);
    if (item === undefined) break;
    try {
      const changed = await batch.change(item, ...others);
      if ('parts' in changed) queue.unshift(...changed.parts);
      else for (const each of [changed].flat()) note(each);
    } catch (failure) {
      if (!(failure instanceof Problem)) throw failure;
      failures.push(...failure.diagnostics);
      const isOver = failure instanceof ServiceFailure;
      for (const each of [item, ...others]) note(itemResult(each, isOver ? fateOf(failure) : 'notSent'));
      if (isOver || session.interrupted()) break;
    }
  }
  results.push(...queue.map((item) => itemResult(item, 'notSent')));
  return { results: settle === undefined ? results : await settle(results), failures };
}

/** A batch whose results need no further look. */
export async function changeAll<T>(session: Session, batch: Batch<T>): Promise<BatchResult<T>> {
  const { results, failures } = await runBatch(session, batch);
  return batchResult(session, results, failures);
}

/** What an interrupt leaves of so many items. */
export function leftUndone(done: string, all: number): (left: number) => readonly Diagnostic[] {
  return (left) => {
    const which = left === all ? 'nothing was' : `${left} of ${all} were not`;
    return problem('interrupted', `interrupted: ${which} ${done}`).diagnostics;
  };
}

/** The one thing that a command has changed. Any error about it is thrown. */
export interface ChangedItem<T> {
  readonly item: T;
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * A batch of one thing, which may not exist before.
 * @param done what is done to it, such as `deleted`.
 * @throws Problem when it was not changed, or when that is unknown.
 */
export async function changeOne<T>(
  session: Session,
  done: string,
  begin: () => void,
  change: () => Promise<ItemResult<T | null>>,
): Promise<ChangedItem<T>> {
  const { results, failures } = await runBatch<T | null>(session, {
    items: [null],
    change,
    interruption: leftUndone(done, 1),
    begin,
  });
  const item = results[0]?.item ?? null;
  const errors = [...results.flatMap(({ reasons }) => reasons), ...failures];
  if (item === null || errors.length > 0) throw new Problem(errors);
  return { item, diagnostics: [] };
}

/** Throws a Problem unless it is confirmed. `done`: what would be done, such as `deleted`. */
export function requireYes(session: Session, answer: Confirmation, done: string): void {
  if (answer === 'interrupted' || session.interrupted())
    throw problem('interrupted', `interrupted: nothing was ${done}`);
  if (answer === 'no') throw problem('not-confirmed', `Cancelled. Nothing was ${done}.`);
}

/** To a repeated request, a 404 means that an earlier one was carried out. After a lost answer, `isThere` looks. */
export async function deleteItem<T>(
  { client }: Session,
  item: T,
  call: Call<null>,
  isThere: () => Promise<boolean>,
): Promise<ItemResult<T>> {
  const sent = await attempt(client, call);
  if (sent.type === 'done' || sent.failure.status === 404) return itemResult(item, 'done');
  if (sent.type === 'unknown' && !(await orElse(isThere(), () => true))) return itemResult(item, 'done');
  throw sent.failure;
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
