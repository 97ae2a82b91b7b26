import type { Span } from '../yaml/source.js';
import type { ScalarNode } from '../yaml/tree.js';
import { openings, type Use } from './template.js';

/** Where the uses of variables stand in the files. */
export class UsePlaces {
  /** What was found in the text that was asked about last: more is often told about it. */
  private searched: { readonly node: ScalarNode | null; readonly openings: readonly RegExpExecArray[] } = {
    node: null,
    openings: [],
  };

  /** The expression alone where it stands in the file as it is read, which most do; else all of the value. */
  within(node: ScalarNode, { written, opening }: Use): Span {
    const { source, start } = node;
    if (this.searched.node !== node) this.searched = { node, openings: openingsIn(node) };
    const found = this.searched.openings[opening];
    return found?.[0] === written
      ? { source, start: start + found.index, end: start + found.index + written.length }
      : node;
  }
}

/** As the file has them; none where an escape or a folded line makes them others than those of the value. */
function openingsIn({ source, start, end, value }: ScalarNode): readonly RegExpExecArray[] {
  const written = openings(source.text.slice(start, end));
  return written.length === openings(String(value)).length ? written : [];
}
