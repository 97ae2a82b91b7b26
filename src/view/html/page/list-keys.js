/** Steps of the keys that move between rows; the ends are far enough for any list. */
/** @type {Readonly<Record<string, number>>} */
const moves = {
  ArrowDown: 1,
  ArrowUp: -1,
  PageDown: 10,
  PageUp: -10,
  Home: Number.NEGATIVE_INFINITY,
  End: Number.POSITIVE_INFINITY,
};

/**
 * Moves between the rows of a list with the arrow keys. One row at a time is in the tab order.
 *
 * @template T
 */
export class ListKeys {
  #current = 0;

  /** @param {import('./chunked-list.js').ChunkedList<T>} list */
  constructor(list) {
    this.list = list;
    list.container.addEventListener('keydown', (event) => this.#onKey(event));
    list.container.addEventListener('focusin', (event) => this.#onFocus(event));
  }

  /** After the items of the list have changed. */
  reset() {
    this.#current = 0;
    this.#row(0)?.setAttribute('tabindex', '0');
  }

  /**
   * @param {number} index
   * @param {ScrollLogicalPosition} where
   */
  focus(index, where = 'nearest') {
    const row = this.#row(index);
    row?.focus({ preventScroll: true });
    row?.scrollIntoView({ block: where });
  }

  /** @param {KeyboardEvent} event */
  #onKey(event) {
    const move = moves[event.key];
    const isRow = event.target instanceof HTMLElement && event.target.localName === 'summary';
    if (move === undefined || !isRow || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    this.focus(Math.max(0, Math.min(this.list.items.length - 1, this.#current + move)));
  }

  /** @param {FocusEvent} event */
  #onFocus(event) {
    const item = event.target instanceof HTMLElement ? event.target.closest('[role=listitem]') : null;
    if (!(item instanceof HTMLElement)) return;
    this.#row(this.#current)?.setAttribute('tabindex', '-1');
    this.#current = Number(item.dataset['index']);
    this.#row(this.#current)?.setAttribute('tabindex', '0');
  }

  /** @param {number} index */
  #row(index) {
    return this.list.elementAt(index)?.querySelector('summary');
  }
}
