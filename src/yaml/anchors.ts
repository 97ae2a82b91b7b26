import type { Diagnostics } from '../manifest/diagnostics.js';
import { limits } from '../manifest/limits.js';
import type { DiagnosticCode } from '../model/diagnostic.js';
import type { Span } from './source.js';
import type { Cut } from './streaming.js';
import { quoted } from './text.js';
import { type Entry, heightOf, type Node, type Spent, scalarNode, sizeOf } from './tree.js';

/** The anchored values of one document, for aliases and merge keys. What these add is counted. */
export class Anchors {
  /** Null while the anchored value is being read. */
  private readonly values = new Map<string, Node | null>();
  private readonly opened = new WeakSet<Cut['around'][number]>();

  constructor(
    private readonly spent: Spent,
    private readonly told: Diagnostics,
  ) {}

  /** An alias must not find an older anchor of the same name than that of the value which it stands in. */
  open(around: Cut['around']): void {
    for (const token of around) {
      if (this.opened.has(token)) continue;
      this.opened.add(token);
      this.begin(token.source.slice(1));
    }
  }

  begin(name: string): void {
    this.values.set(name, null);
  }

  set(name: string, value: Node): void {
    this.values.set(name, value);
  }

  /** The value that an alias stands for, `depth` levels below the document. */
  alias(name: string, span: Span, depth: number): Node {
    const target = this.values.get(name);
    if (target === undefined) return this.unknown(name, span);
    if (target === null)
      return this.refuse('yaml-syntax', span, 'this alias stands inside the value that it repeats');
    if (depth + heightOf(target) > limits.depth)
      return this.refuse('limit-exceeded', span, `values are nested more than ${limits.depth} levels deep`);
    return this.afford(sizeOf(target), span) ? target : scalarNode(span, null, true);
  }

  /** What stands in the map itself wins, then the earlier of several merged maps. */
  merge(value: Node, around: Span, entries: Map<string, Entry>): void {
    if (value.type === 'scalar') {
      if (!value.broken)
        this.told.error('yaml-syntax', value, '`<<` takes a map or a list of maps, mostly an alias');
      return;
    }
    if (value.type === 'list') {
      for (const item of value.items) {
        if (item.type === 'list') this.told.error('yaml-syntax', item, '`<<` takes a map or a list of maps');
        else this.merge(item, around, entries);
      }
      return;
    }
    if (!this.afford(value.entries.size, around)) return;
    for (const [text, entry] of value.entries) if (!entries.has(text)) entries.set(text, entry);
  }

  private unknown(name: string, span: Span): Node {
    const near = this.told.near(name, this.values.keys(), this.values.size);
    const help =
      near === null
        ? 'An anchor is written `&name` and stands before its aliases.'
        : `Did you mean \`*${near}\`?`;
    return this.refuse('yaml-syntax', span, `there is no anchor ${quoted(name)} before this alias`, help);
  }

  /** Told once, where the limit is passed. */
  private afford(size: number, span: Span): boolean {
    if (this.spent.expanded > limits.expanded) return false;
    this.spent.expanded += size;
    if (this.spent.expanded <= limits.expanded) return true;
    const message = `aliases and merge keys add more than ${limits.expanded} values to the project`;
    this.told.error('limit-exceeded', span, message);
    return false;
  }

  private refuse(code: DiagnosticCode, span: Span, message: string, help?: string): Node {
    this.told.error(code, span, message, { help });
    return scalarNode(span, null, true);
  }
}
