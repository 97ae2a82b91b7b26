import { createHash } from 'node:crypto';
import { type Document, tools } from '../library.js';

/**
 * A hash of what documents mean: values, order, anchors, aliases, tags and comments, but not how they are written.
 * Aliases are not followed, so that the cost is that of the text.
 */
export function semanticHash(documents: readonly Document[], comments: readonly string[]): string {
  const hash = createHash('sha256');
  const is = tools();
  const update = (node: unknown): void => {
    if (is.isAlias(node)) hash.update(`*${node.source}\n`);
    else if (is.isScalar(node)) hash.update(`${textOf(node.value)} ${propertiesOf(node)}\n`);
    else if (is.isMap(node) || is.isSeq(node)) {
      hash.update(`${is.isMap(node) ? '{' : '['}${node.items.length} ${propertiesOf(node)}\n`);
      for (const each of is.isMap(node) ? node.items.flatMap(({ key, value }) => [key, value]) : node.items)
        update(each);
    } else hash.update('null  \n');
  };
  for (const { contents } of documents) update(contents);
  for (const comment of comments.toSorted()) hash.update(`#${comment}\n`);
  return hash.digest('hex');
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? JSON.stringify(value) : String(value);
}

function propertiesOf({ anchor, tag }: { anchor?: string | undefined; tag?: string | undefined }): string {
  return `${anchor ?? ''} ${tag ?? ''}`;
}
