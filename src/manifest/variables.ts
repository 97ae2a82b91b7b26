import type { DiagnosticCode } from '../model/diagnostic.js';
import type { Json } from '../model/json.js';
import { quoted, type TextRule, unsafe } from '../yaml/text.js';
import type { Entry, MapNode, Node, ScalarNode } from '../yaml/tree.js';
import { bareObject } from './bare.js';
import type { Diagnostics } from './diagnostics.js';
import { limits } from './limits.js';
import { type Piece, pieces, type Use } from './template.js';
import { UsePlaces } from './use-places.js';
import { VariableHints } from './variable-hints.js';

/** What was noticed while values were read. Secrets are values that came from the environment. */
export class Notes {
  /** Values that something was told about: nothing else is told about them. */
  readonly broken = new Set<Node>();
  /** Values that hold a secret. */
  readonly secret = new Set<Node>();
  readonly secrets = new Set<string>();

  /** `mark` is that of the diagnostics when the reading began. */
  constructor(readonly mark = 0) {}
}

interface Resolved {
  readonly value: Json;
  readonly secrets: ReadonlySet<string>;
  readonly measure: Measure;
}

/** Values that a value stands for, and levels of maps and lists in it. */
interface Measure {
  readonly size: number;
  readonly height: number;
}

const unknown: unique symbol = Symbol('unknown');

/** Reads values: variables replaced, null and what cannot be seen refused. */
export class Variables {
  private readonly resolved = new Map<string, Resolved | 'resolving' | 'failed'>();
  private readonly used = new Set<string>();
  /** Names that are declared where they do not hold, which is told; null where they could not be read. */
  private elsewhere: Set<string> | null = new Set();
  private readonly known = new Map<string, string | null>();
  readonly hints: VariableHints;
  private expanded = 0;
  /** Variables that are being resolved, each for the one before. */
  private chain = 0;
  private readonly places = new UsePlaces();

  constructor(
    private readonly vars: ReadonlyMap<string, Entry>,
    private readonly env: Readonly<Record<string, string | undefined>>,
    private readonly told: Diagnostics,
    /** `keep` leaves variables as they are written and tells forms that do not exist: for what is not used in this run. */
    private readonly mode: 'replace' | 'keep' = 'replace',
  ) {
    this.hints = new VariableHints(vars, told);
  }

  /** Every value from the environment that was put in somewhere. */
  get secrets(): string[] {
    return [...this.used];
  }

  /** True for a variable that a value asked for. */
  isUsed(name: string): boolean {
    return this.resolved.has(name);
  }

  /** Nothing is told about uses of what stands in a map that is not read. */
  excuse(unread: Node): void {
    if (unread.type !== 'map') this.elsewhere = null;
    else for (const name of unread.entries.keys()) this.elsewhere?.add(name);
  }

  /**
   * A value that cannot be read is told, noted as broken, and stands as an empty text. `depth` is how many maps and
   * lists are around the value.
   */
  read(node: Node, rule: TextRule, notes: Notes, depth: number): Json {
    if (node.type === 'scalar') return this.scalar(node, rule, notes, depth);
    if (node.type === 'list') return node.items.map((item) => this.read(item, rule, notes, depth + 1));
    return this.map(node, rule, notes, depth);
  }

  private map(node: MapNode, rule: TextRule, notes: Notes, depth: number): Json {
    const value = bareObject();
    for (const [key, entry] of node.entries) value[key] = this.read(entry.value, rule, notes, depth + 1);
    return value;
  }

  private scalar(node: ScalarNode, rule: TextRule, notes: Notes, depth: number): Json {
    if (node.broken) return broken(node, notes);
    if (node.value === null) {
      const help =
        'Leave the line out where there is a default. An empty text is "", an empty list [], an empty map {}.';
      const sentence = isCommentedOut(node) ? ' A text that begins with `#` stands in quotes.' : '';
      this.told.error('schema', node, 'a value is missing: null is not allowed', {
        help: `${help}${sentence}`,
      });
      return broken(node, notes);
    }
    const value = typeof node.value === 'string' ? this.text(node, node.value, notes, depth) : node.value;
    if (value === unknown) return broken(node, notes);
    return this.isSafe(value, node, rule, notes) ? value : broken(node, notes);
  }

  private isSafe(value: Json, node: ScalarNode, rule: TextRule, notes: Notes): boolean {
    if (typeof value !== 'string') {
      if (typeof value !== 'object' || value === null) return true;
      return Object.values(value).every((each) => this.isSafe(each, node, rule, notes));
    }
    const unseen = unsafe(value, rule);
    if (unseen === null) return true;
    const which = notes.secret.has(node)
      ? 'a character that cannot be seen'
      : `${unseen}, a character that cannot be seen`;
    const help =
      rule === 'line'
        ? 'Text here stands on one line, without control, bidirectional or zero-width characters.'
        : undefined;
    this.told.error('unsafe-text', node, `the value holds ${which}`, { help });
    return false;
  }

  private text(node: ScalarNode, text: string, notes: Notes, depth: number): Json | typeof unknown {
    if (!text.includes('${')) return text;
    const parts = pieces(text);
    if (this.mode === 'keep') return this.kept(node, text, parts);
    const [only] = parts;
    if (parts.length === 1 && only?.type === 'var') return this.put(node, only, notes, depth);
    const values = parts.map((piece) => this.part(node, piece, notes));
    if (values.includes(unknown)) return unknown;
    const length = values.reduce<number>((sum, value) => sum + String(value).length, 0);
    if (length > limits.text) return this.tooMuch(node, `the text is longer than ${limits.text} characters`);
    return this.afford(node, 1 + (length >> 4)) ? values.join('') : unknown;
  }

  private kept(node: ScalarNode, text: string, parts: readonly Piece[]): string | typeof unknown {
    const wrong = parts.find((piece) => piece.type === 'unknown');
    return wrong === undefined ? text : this.noVariable(node, wrong);
  }

  private noVariable(node: ScalarNode, use: Use): typeof unknown {
    if (this.told.full) return this.skip();
    const what = use.written === '${' ? 'not closed' : 'no variable';
    return this.refuse(node, use, `${quoted(use.written)} is ${what}`, this.hints.ofForm(use.written));
  }

  private part(node: ScalarNode, piece: Piece, notes: Notes): string | typeof unknown {
    if (piece.type === 'text') return piece.text;
    const value = this.put(node, piece, notes, 0);
    if (typeof value === 'symbol' || typeof value === 'string') return value;
    if (typeof value !== 'object') return String(value);
    const message = `${quoted(piece.written)} is a list or a map, which cannot stand inside a text`;
    return this.refuse(node, piece, message, 'Let the variable alone be the value.');
  }

  private put(node: ScalarNode, piece: Use, notes: Notes, depth: number): Json | typeof unknown {
    if (piece.type === 'unknown') return this.noVariable(node, piece);
    if (piece.type === 'env') return this.environment(node, piece, piece.name, notes);
    const resolved = this.variable(node, piece, piece.name);
    if (resolved === unknown || !this.afford(node, resolved.measure.size)) return unknown;
    if (resolved.measure.size > limits.entry)
      return this.tooMuch(node, `the variable holds more than ${limits.entry} values`);
    if (depth + resolved.measure.height > limits.depth)
      return this.tooMuch(node, `values are nested more than ${limits.depth} levels deep`);
    for (const secret of resolved.secrets) notes.secrets.add(secret);
    if (resolved.secrets.size > 0) notes.secret.add(node);
    return resolved.value;
  }

  private environment(node: ScalarNode, use: Use, name: string, notes: Notes): string | typeof unknown {
    if (name.toUpperCase() === 'ROSTER_API_KEY') {
      const message = 'ROSTER_API_KEY is the key that roster calls with, and cannot be used in a manifest';
      return this.refuse(node, use, message);
    }
    const value = this.lookUp(name);
    if (value === null) {
      const help = `Set ${name} where roster runs; in CI, pass it to the step.`;
      const message = `the environment variable ${name} is not set`;
      return this.refuse(node, use, message, help, 'missing-environment-variable');
    }
    notes.secret.add(node);
    if (value !== '') {
      notes.secrets.add(value);
      this.used.add(value);
    }
    return value;
  }

  /** Looked up once: the environment of a process gives a new copy each time. */
  private lookUp(name: string): string | null {
    const known = this.known.get(name);
    if (known !== undefined) return known;
    const value = (Object.hasOwn(this.env, name) ? this.env[name] : undefined) ?? null;
    this.known.set(name, value);
    return value;
  }

  /** Resolved when it is first used, so that a variable that this environment does not use need not be complete. */
  private variable(node: ScalarNode, use: Use, name: string): Resolved | typeof unknown {
    const known = this.resolved.get(name);
    if (known === 'failed') return unknown;
    if (known === 'resolving') {
      const message = `the variable ${quoted(name)} depends on itself`;
      return this.refuse(node, use, message, 'Give one of the variables a value of its own.');
    }
    if (known !== undefined) return known;
    const entry = this.vars.get(name);
    if (entry === undefined) return this.noSuchVariable(node, use, name);
    if (this.chain >= limits.variableChain)
      return this.tooMuch(node, `variables refer to variables more than ${limits.variableChain} times over`);
    this.resolved.set(name, 'resolving');
    this.chain += 1;
    const made = this.resolve(entry);
    this.chain -= 1;
    this.resolved.set(name, made ?? 'failed');
    return made ?? unknown;
  }

  private resolve(entry: Entry): Resolved | null {
    const notes = new Notes();
    // Whether line breaks may stand in it, and how deep it will be, is known only where it is used.
    const value = this.read(entry.value, 'prose', notes, 0);
    return notes.broken.size > 0 ? null : { value, secrets: notes.secrets, measure: measureOf(value) };
  }

  private noSuchVariable(node: ScalarNode, use: Use, name: string): typeof unknown {
    if (this.elsewhere?.has(name) ?? true) return unknown;
    if (this.told.full) return this.skip();
    return this.refuse(node, use, `there is no variable ${quoted(name)}`, this.hints.ofName(name));
  }

  /** Told once, where the limit is passed. */
  private afford(node: ScalarNode, size: number): boolean {
    if (this.expanded > limits.expanded) return false;
    this.expanded += size;
    if (this.expanded <= limits.expanded) return true;
    this.tooMuch(node, `variables add more than ${limits.expanded} values to the project`);
    return false;
  }

  private tooMuch(node: ScalarNode, message: string): typeof unknown {
    this.told.error('limit-exceeded', node, message);
    return unknown;
  }

  private refuse(
    node: ScalarNode,
    use: Use,
    message: string,
    help?: string,
    code: DiagnosticCode = 'unknown-variable',
  ): typeof unknown {
    if (this.told.full) return this.skip();
    this.told.error(code, this.places.within(node, use), message, { help });
    return unknown;
  }

  private skip(): typeof unknown {
    this.told.skip(1);
    return unknown;
  }
}

/** True for `name: #1`, of which YAML reads nothing but the key. What is missing has the place of its key. */
function isCommentedOut({ source, end }: ScalarNode): boolean {
  return /^["']?\s*:[ \t]+#\S/.test(source.text.slice(end, end + 100));
}

function broken(node: ScalarNode, notes: Notes): string {
  notes.broken.add(node);
  return '';
}

/** Costs no more than what was counted when the value was put together. */
function measureOf(value: Json): Measure {
  if (typeof value === 'string') return { size: 1 + (value.length >> 4), height: 0 };
  if (typeof value !== 'object' || value === null) return { size: 1, height: 0 };
  let size = 1;
  let height = 0;
  for (const each of Object.values(value)) {
    const inner = measureOf(each);
    size += inner.size;
    height = Math.max(height, inner.height);
  }
  return { size, height: height + 1 };
}
