import type { Json } from '../model/json.js';
import { escaped, joined, unescapedName } from '../model/template.js';
import type { Span } from '../yaml/source.js';
import type { Node, ScalarNode } from '../yaml/tree.js';
import type { ValuePath } from './value-path.js';
import { bareObject } from './values.js';

/** A piece of a text: literal text, a variable, the item of `each`, or a `${` that is neither. */
export type Piece =
  | { readonly type: 'text'; readonly text: string }
  | (Written & { readonly type: 'var'; readonly name: string; readonly path: ValuePath })
  | (Written & { readonly type: 'env'; readonly name: string })
  | (Written & { readonly type: 'each'; readonly of: 'key' | 'value'; readonly path: ValuePath })
  | (Written & { readonly type: 'unknown' });

/** A use of a variable, or what looks like one. */
export type Use = Exclude<Piece, { type: 'text' }>;

/** `written` is the text in the file; `opening` is its number among all openings, escaped ones included, from 0. */
interface Written {
  readonly written: string;
  readonly opening: number;
}

/**
 * An escaped opening, a closed expression, also one with the two braces of other programs, or an opening that is never closed.
 * Linear: `{` ends an attempt.
 */
const opening = /\$\$\{|\$\{[^{}]*\}|\$\{\{[^{}]*\}\}|\$\{/g;
const inside = '(?:\\.[A-Za-z0-9_-]+)*';
const variable = new RegExp(
  `^\\$\\{(?:${[
    `var\\.([A-Za-z_][A-Za-z0-9_-]*)(${inside})`,
    'env\\.([A-Za-z_][A-Za-z0-9_]*)',
    '(roster\\.(?:environment|project))',
    `each\\.(key|value${inside})`,
  ].join('|')})\\}$`,
);

/**
 * Splits a text (contract §2 and §14): `${var.NAME}` and `${each.value}`, both also with a path (`${var.NAME.a.b}`),
 * `${each.key}`, `${env.NAME}`, the built-in `${roster.environment}` and `${roster.project}`, and `$${` for `${`. There is
 * no other form.
 */
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

/** Everything that looks like a use of a variable, in order. */
function openings(text: string): RegExpExecArray[] {
  return [...text.matchAll(opening)];
}

function piece(written: string, opening: number): Piece {
  if (written === '$${') return { type: 'text', text: '${' };
  const [, own, path = '', environment, builtIn, each] = variable.exec(written) ?? [];
  const name = own ?? builtIn;
  if (name !== undefined) return { type: 'var', name, path: path.split('.').slice(1), written, opening };
  if (environment !== undefined) return { type: 'env', name: environment, written, opening };
  if (each === undefined) return { type: 'unknown', written, opening };
  const [of, ...names] = each.split('.');
  return { type: 'each', of: of === 'key' ? 'key' : 'value', path: names, written, opening };
}

/**
 * A text in which the item of `each` has replaced its uses. Not a text again: a `$` of the item before a variable would be
 * an escape.
 */
export interface SplitText extends ScalarNode {
  readonly pieces: readonly Piece[];
}

export function piecesOf(node: ScalarNode | SplitText, text: string): readonly Piece[] {
  return 'pieces' in node ? node.pieces : pieces(text);
}

export class UsePlaces {
  /** What was found in the last text: often several problems are reported for it. */
  private last: readonly [ScalarNode | null, readonly RegExpExecArray[]] = [null, []];

  /** The expression alone where the file contains it literally, as most do; else the whole value. */
  within(node: ScalarNode, { written, opening }: Use): Span {
    const { source, start } = node;
    if (this.last[0] !== node) this.last = [node, openingsIn(node)];
    const found = this.last[1][opening];
    return found?.[0] === written
      ? { source, start: start + found.index, end: start + found.index + written.length }
      : node;
  }
}

/** As the file has them; none where an escape or a folded line makes them differ from those of the value. */
function openingsIn({ source, start, end, value }: ScalarNode): readonly RegExpExecArray[] {
  const written = openings(source.text.slice(start, end));
  return written.length === openings(String(value)).length ? written : [];
}

/** The template of a variable's value (model/template.ts). */
export type VariableTemplate = (name: string, path: ValuePath) => Json;

/** Whether a text of this length may be built; reports it if not. */
export type Afford = (node: ScalarNode, length: number) => boolean;

/** Values as templates: variables are replaced, and environment variables are not. */
export class TemplateReader {
  constructor(
    private readonly variable: VariableTemplate,
    private readonly afford: Afford,
  ) {}

  read(node: Node): Json {
    if (node.type === 'scalar')
      return typeof node.value === 'string' ? this.text(node, node.value) : node.value;
    if (node.type === 'list') return node.items.map((item) => this.read(item));
    const value = bareObject();
    for (const [key, entry] of node.entries) value[unescapedName(key)] = this.read(entry.value);
    return value;
  }

  private text(node: ScalarNode, text: string): Json {
    if (!text.includes('${')) return text;
    const parts = piecesOf(node, text);
    const [only] = parts;
    if (parts.length === 1 && only?.type === 'var') return this.variable(only.name, only.path);
    const texts = parts.map((piece) => this.part(piece));
    const length = texts.reduce((sum, each) => sum + each.length, 0);
    return this.afford(node, length) ? joined(texts) : '';
  }

  private part(piece: Piece): string {
    if (piece.type === 'text') return escaped(piece.text);
    return piece.type === 'var' ? String(this.variable(piece.name, piece.path)) : piece.written;
  }
}
