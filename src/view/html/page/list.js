import { make } from './dom.js';

const CHUNK_ITEMS = 40;
/** Only until a chunk was shown once. */
const ITEM_PIXELS = 64;

/**
 * A list that makes only the items near the window, so that any number of them opens at once.
 *
 * @template T
 */
export class ChunkedList {
  /** @type {readonly T[]} */
  items = [];
  /** @type {HTMLElement[]} */
  #chunks = [];

  /**
   * @param {HTMLElement} container Has the role `list`.
   * @param {(item: T, index: number) => HTMLElement} makeItem
   */
  constructor(container, makeItem) {
    this.container = container;
    this.makeItem = makeItem;
    this.observer = new IntersectionObserver((seen) => this.#onSeen(seen), { rootMargin: '1000px 0px' });
  }

  /** @param {readonly T[]} items */
  show(items) {
    this.items = items;
    this.observer.disconnect();
    this.#chunks = Array.from({ length: Math.ceil(items.length / CHUNK_ITEMS) }, (_, index) => {
      const size = Math.min(CHUNK_ITEMS, items.length - index * CHUNK_ITEMS);
      const chunk = make('div', { role: 'none', 'data-chunk': index });
      chunk.style.height = `${size * ITEM_PIXELS}px`;
      return chunk;
    });
    this.container.replaceChildren(...this.#chunks);
    const [first] = this.#chunks;
    if (first !== undefined) this.#fill(first);
    for (const chunk of this.#chunks) this.observer.observe(chunk);
  }

  /**
   * The element of an item, made if it is not there.
   *
   * @param {number} index
   * @returns {HTMLElement | undefined}
   */
  elementAt(index) {
    const chunk = this.#chunks[Math.floor(index / CHUNK_ITEMS)];
    if (chunk === undefined) return undefined;
    this.#fill(chunk);
    return /** @type {HTMLElement | undefined} */ (chunk.children[index % CHUNK_ITEMS]);
  }

  /** For printing, where nothing comes into view. */
  fillAll() {
    for (const chunk of this.#chunks) this.#fill(chunk);
  }

  /** @param {readonly IntersectionObserverEntry[]} seen */
  #onSeen(seen) {
    for (const { target, isIntersecting } of seen) {
      const chunk = /** @type {HTMLElement} */ (target);
      if (isIntersecting) this.#fill(chunk);
      else this.#empty(chunk);
    }
  }

  /** @param {HTMLElement} chunk */
  #fill(chunk) {
    if (chunk.firstChild !== null) return;
    const start = Number(chunk.dataset['chunk']) * CHUNK_ITEMS;
    const items = this.items.slice(start, start + CHUNK_ITEMS);
    chunk.append(...items.map((item, index) => this.#numbered(item, start + index)));
    chunk.style.height = '';
  }

  /**
   * Screen readers count the whole list, not what is in the document.
   *
   * @param {T} item
   * @param {number} index
   */
  #numbered(item, index) {
    const element = this.makeItem(item, index);
    element.setAttribute('role', 'listitem');
    element.setAttribute('aria-setsize', String(this.items.length));
    element.setAttribute('aria-posinset', String(index + 1));
    element.dataset['index'] = String(index);
    return element;
  }

  /** @param {HTMLElement} chunk */
  #empty(chunk) {
    if (chunk.firstChild === null || chunk.contains(document.activeElement)) return;
    chunk.style.height = `${chunk.getBoundingClientRect().height}px`;
    chunk.replaceChildren();
  }
}

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

  /** @param {ChunkedList<T>} list */
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
