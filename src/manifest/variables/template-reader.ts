import type { Json } from '../../model/json.js';
import { escaped } from '../../model/template.js';
import type { Node, ScalarNode } from '../../yaml/tree.js';
import { bareObject } from '../values.js';
import { type Piece, pieces } from './template.js';

/** The template of a variable's value (model/template.ts). */
export type VariableTemplate = (name: string) => Json;

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
    for (const [key, entry] of node.entries) value[key] = this.read(entry.value);
    return value;
  }

  private text(node: ScalarNode, text: string): Json {
    if (!text.includes('${')) return text;
    const parts = pieces(text);
    const [only] = parts;
    if (parts.length === 1 && only?.type === 'var') return this.variable(only.name);
    const texts = parts.map((piece) => this.part(piece));
    const length = texts.reduce((sum, each) => sum + each.length, 0);
    return this.afford(node, length) ? texts.join('') : '';
  }

  private part(piece: Piece): string {
    if (piece.type === 'text') return escaped(piece.text);
    return piece.type === 'var' ? String(this.variable(piece.name)) : piece.written;
  }
}
