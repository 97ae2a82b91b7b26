import type { DiagnosticCode } from '../model/diagnostic.js';
import type { Json } from '../model/json.js';
import type { Span } from '../yaml/source.js';
import type { Node, ScalarNode } from '../yaml/tree.js';
import type { Diagnostics } from './diagnostics.js';

/** A use of an environment variable that has no value. */
export interface Unset {
  readonly span: Span;
  readonly code: DiagnosticCode;
  readonly message: string;
  readonly help: string;
}

/** What was noticed while values were read. Secrets are values that came from the environment. */
export class Notes {
  /** Values with a problem: nothing else is reported about them. */
  readonly broken: Set<Node>;
  readonly secret: Set<Node>;
  /** Values that are null. They are not reported until it is known what is wrong around them. */
  readonly missing: ScalarNode[];

  /**
   * @param environment whether these values may use `${env.NAME}`
   * @param isElsewhere whether they belong to other environments: what variables lack here is not reported
   * @param of what is noticed is added to these
   */
  constructor(
    readonly environment = false,
    readonly isElsewhere = false,
    of?: Notes,
  ) {
    this.broken = of?.broken ?? new Set();
    this.secret = of?.secret ?? new Set();
    this.missing = of?.missing ?? [];
  }

  /** The same notes, for values that may use `${env.NAME}`. */
  withEnvironment(): Notes {
    return new Notes(true, this.isElsewhere, this);
  }

  add(other: Notes): void {
    for (const node of other.broken) this.broken.add(node);
    for (const node of other.secret) this.secret.add(node);
    for (const node of other.missing) this.missing.push(node);
  }
}

/** Reports the values that are null, except inside `misfits`: what is wrong there is the type of the whole. */
export function reportMissing(
  { missing }: Notes,
  diagnostics: Diagnostics,
  misfits: readonly Span[] = [],
): void {
  for (const node of missing) {
    if (misfits.some((each) => isInside(node, each))) continue;
    const quotes = isCommentedOut(node) ? ' Put text that begins with `#` in quotes.' : '';
    const help = `Remove the line to use the default, or write \`""\`, \`[]\` or \`{}\` for an empty value.${quotes}`;
    diagnostics.error('schema', node, 'a value is missing: null is not allowed', { help });
  }
}

function isInside({ source, start }: Span, outer: Span): boolean {
  return source === outer.source && start >= outer.start && start < outer.end;
}

/** True for `name: #1`, of which YAML reads only the key. A missing value has the place of its key. */
function isCommentedOut({ source, end }: ScalarNode): boolean {
  return /^["']?\s*:[ \t]+#\S/.test(source.text.slice(end, end + 100));
}

/** True when a value, or one inside it, is among those noted. */
export function holds(node: Node, noted: ReadonlySet<Node>): boolean {
  if (noted.size === 0) return false;
  if (node.type === 'scalar') return noted.has(node);
  if (node.type === 'list') return node.items.some((item) => holds(item, noted));
  return [...node.entries.values()].some(({ value }) => holds(value, noted));
}

/**
 * Makes objects that inherit nothing, so that a look-up by a name from outside finds only what the file contains. A
 * constructor makes them several times smaller and faster than `Object.create(null)` does.
 */
const Bare = function Bare() {} as unknown as new () => Record<string, Json>;
Bare.prototype = Object.freeze(Object.create(null));

export function bareObject(): Record<string, Json> {
  return new Bare();
}
