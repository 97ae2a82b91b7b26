/**
 * A new element. Children are nodes or plain text: nothing that a plan holds is ever parsed as HTML.
 *
 * @template {keyof HTMLElementTagNameMap} N
 * @param {N} name
 * @param {Readonly<Record<string, string | number | boolean | undefined>>} attributes
 * @param {...(Node | string | undefined)} children
 * @returns {HTMLElementTagNameMap[N]}
 */
export function make(name, attributes, ...children) {
  const made = document.createElement(name);
  setAttributes(made, attributes);
  for (const child of children) if (child !== undefined) made.append(child);
  return made;
}

/**
 * The same for SVG.
 *
 * @param {string} name
 * @param {Readonly<Record<string, string | number | boolean | undefined>>} attributes
 * @param {...(Node | string)} children
 */
export function makeSvg(name, attributes, ...children) {
  const made = document.createElementNS('http://www.w3.org/2000/svg', name);
  setAttributes(made, attributes);
  made.append(...children);
  return made;
}

/**
 * True is an attribute without a value; false and undefined are none.
 *
 * @param {Element} element
 * @param {Readonly<Record<string, string | number | boolean | undefined>>} attributes
 */
function setAttributes(element, attributes) {
  for (const [name, value] of Object.entries(attributes))
    if (value !== undefined && value !== false)
      element.setAttribute(name, value === true ? '' : String(value));
}

/**
 * @template {HTMLElement} [T=HTMLElement]
 * @param {string} id
 * @returns {T}
 */
export function byId(id) {
  const found = document.getElementById(id);
  if (found === null) throw new Error(`the page has no #${id}`);
  return /** @type {T} */ (found);
}

/**
 * Prose in which code is between backticks.
 *
 * @param {string} text
 * @returns {Node}
 */
export function prose(text) {
  const parts = text.split('`');
  const fragment = document.createDocumentFragment();
  if (parts.length % 2 === 0) fragment.append(text);
  else fragment.append(...parts.map((part, index) => (index % 2 === 1 ? make('code', {}, part) : part)));
  return fragment;
}

/**
 * A line of a manifest, as a link if its commit is known.
 *
 * @param {import('../page-data.js').PagePlace | undefined} place
 * @returns {HTMLElement | undefined}
 */
export function placeNode(place) {
  if (place === undefined) return undefined;
  const text = `${place.file}:${place.line}`;
  if (place.url === undefined || !/^https?:\/\//.test(place.url))
    return make('code', { class: 'place' }, text);
  return make('a', { class: 'place', href: place.url, rel: 'noreferrer noopener' }, text);
}
