/** A piece of a text: words as they are, a variable, or a `${` that is neither. */
export type Piece =
  | { readonly type: 'text'; readonly text: string }
  | (Written & { readonly type: 'var' | 'env'; readonly name: string })
  | (Written & { readonly type: 'unknown' });

/** A use of a variable, or what looks like one. */
export type Use = Exclude<Piece, { type: 'text' }>;

/** `written` is what stands in the file, as the opening with that number, from 0 and with those that are escaped. */
interface Written {
  readonly written: string;
  readonly opening: number;
}

/** An escaped opening, a closed expression, or an opening that is never closed. Linear: `{` ends an attempt. */
const opening = /\$\$\{|\$\{[^{}]*\}|\$\{/g;
const variable = /^\$\{(?:var\.([A-Za-z_][A-Za-z0-9_-]*)|env\.([A-Za-z_][A-Za-z0-9_]*))\}$/;

/** Takes a text apart (contract §2): `${var.NAME}`, `${env.NAME}`, and `$${` for `${`. There is no other form. */
export function pieces(text: string): Piece[] {
  const list: Piece[] = [];
  let from = 0;
  for (const [index, match] of openings(text).entries()) {
    if (match.index > from) list.push({ type: 'text', text: text.slice(from, match.index) });
    list.push(piece(match[0], index));
    from = match.index + match[0].length;
  }
  if (from < text.length) list.push({ type: 'text', text: text.slice(from) });
  return list;
}

/** Everything that looks like a use of a variable, in the order in which it stands. */
export function openings(text: string): RegExpExecArray[] {
  return [...text.matchAll(opening)];
}

/** The text that stands for itself, whatever it holds. */
export function escaped(text: string): string {
  // A function, because `$$` means one `$` in a replacement text.
  return text.replaceAll('${', () => '$${');
}

function piece(written: string, opening: number): Piece {
  if (written === '$${') return { type: 'text', text: '${' };
  const [, name, environment] = variable.exec(written) ?? [];
  if (name !== undefined) return { type: 'var', name, written, opening };
  if (environment !== undefined) return { type: 'env', name: environment, written, opening };
  return { type: 'unknown', written, opening };
}
