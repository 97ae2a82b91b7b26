import { escapeControls } from '../escape.js';

/** Text that is HTML already. Only `html` makes it, so that no value becomes markup by mistake. */
export class Html {
  constructor(readonly text: string) {}
}

type Part = string | number | Html | null | readonly Part[];

/** HTML in which every value is text: `html`<b>${name}</b>``. Lists are joined, null is nothing. */
export function html(strings: TemplateStringsArray, ...values: readonly Part[]): Html {
  return new Html(strings.map((each, index) => each + textOf(values[index] ?? null)).join(''));
}

/** For the page's own files, which are not values. */
export function trusted(text: string): Html {
  return new Html(text);
}

function textOf(part: Part): string {
  if (part === null) return '';
  if (part instanceof Html) return part.text;
  if (typeof part === 'object') return part.map(textOf).join('');
  return escapeControls(String(part)).replace(/[<>&"'`]/g, (each) => `&#${each.charCodeAt(0)};`);
}

/** A value for the script of the page: text that cannot end the element it is in. */
export function jsonForPage(value: unknown): Html {
  const escaped = (_: string, each: unknown) => (typeof each === 'string' ? escapeControls(each) : each);
  return new Html(JSON.stringify(value, escaped).replace(/</g, '\\u003c'));
}
