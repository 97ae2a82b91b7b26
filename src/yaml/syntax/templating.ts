import type { Words } from './syntax-messages.js';

/** `{{ x }}` and `{% if x %}` of Jinja, Helm and the like, at an offset or the character before: where it begins; else null. */
export function templatingAt(text: string, at: number): number | null {
  for (const from of [at, at - 1]) if (/^\{[{%]/.test(text.slice(Math.max(0, from), from + 2))) return from;
  return null;
}

export const noTemplating: Words = {
  message: 'there are no templates with `{{` or `{%` here',
  help: 'There are variables: write `${var.name}`, and declare it under `vars:`.',
};
