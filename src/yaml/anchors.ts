import { type ReadLimits, tooDeep, yamlLimits } from './limits.js';
import type { ProblemList, SuggestWord, YamlProblem } from './problem.js';
import type { Span } from './source.js';
import { quoted } from './text.js';
import { type Entry, heightOf, type Node, scalarNode, sizeOf } from './tree.js';

/** The anchored values of one document, for aliases and merge keys. What these add is counted. */
export class Anchors {
  /** Null for a value that is being read. */
  private readonly values = new Map<string, Node | null>();

  constructor(
    private readonly limits: ReadLimits,
    private readonly problems: ProblemList,
    private readonly suggest: SuggestWord,
  ) {}

  set(name: string, value: Node): void {
    this.values.set(name, value);
  }

  /** An alias inside the value must not find an older anchor of the same name. */
  open(name: string): void {
    this.values.set(name, null);
  }

  /** From now on, the name refers to the value, unless something inside the value has reused it. */
  close(name: string, value: Node): void {
    if (this.values.get(name) === null) this.values.set(name, value);
  }

  /** The value that an alias repeats, `depth` levels below the document. */
  alias(name: string, span: Span, depth: number): Node {
    const target = this.values.get(name);
    if (target === undefined) return this.unknown(name, span);
    if (target === null)
      return this.refuse({ code: 'syntax', span, message: 'this alias is inside the value that it repeats' });
    if (depth + heightOf(target) > yamlLimits.depth)
      return this.refuse({ code: 'limit-exceeded', span, message: tooDeep });
    return this.afford(sizeOf(target), span) ? target : scalarNode(span, null, true);
  }

  /** Entries of the map itself take precedence, then those of the earlier of several merged maps. */
  merge(value: Node, around: Span, entries: Map<string, Entry>): void {
    if (value.type === 'scalar') {
      if (!value.broken) this.refuse({ code: 'syntax', span: value, message: mergeMessage });
      return;
    }
    if (value.type === 'list') {
      for (const item of value.items) {
        if (item.type === 'list') this.refuse({ code: 'syntax', span: item, message: mergeMessage });
        else this.merge(item, around, entries);
      }
      return;
    }
    if (!this.afford(value.entries.size, around)) return;
    for (const [text, entry] of value.entries) if (!entries.has(text)) entries.set(text, entry);
  }

  private unknown(name: string, span: Span): Node {
    const near = this.suggest(name, this.values.keys(), this.values.size);
    const help =
      near === null
        ? 'Define the anchor, written `&name`, before the aliases that use it.'
        : `Did you mean \`*${near}\`?`;
    const message = `there is no anchor ${quoted(name)} before this alias`;
    return this.refuse({ code: 'syntax', span, message, help });
  }

  private afford(size: number, span: Span): boolean {
    return this.limits.afford(size, span, (problem) => this.problems.add(problem));
  }

  private refuse(problem: YamlProblem): Node {
    this.problems.add(problem);
    return scalarNode(problem.span, null, true);
  }
}

const mergeMessage = '`<<` must be a map or a list of maps, usually an alias';
