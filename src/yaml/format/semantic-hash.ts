import { createHash, type Hash } from 'node:crypto';
import { type Document, tools } from '../library.js';

/**
 * A hash of what documents mean: values, order, anchors, aliases, tags and comments, but not how they are written.
 * Aliases are not followed, so that the cost is that of the text.
 */
export function semanticHash(documents: readonly Document[], comments: readonly string[]): string {
  const hash = createHash('sha256');
  const is = tools();
  for (const { contents } of documents) update(contents, hash, is);
  for (const comment of comments.toSorted()) hash.update(`#${comment}\n`);
  return hash.digest('hex');
}

function update(node: unknown, hash: Hash, is: ReturnType<typeof tools>): void {
  if (is.isAlias(node)) return void hash.update(`*${node.source}\n`);
  if (is.isMap(node)) {
    hash.update(`{${node.items.length} ${propertiesOf(node)}\n`);
    for (const { key, value } of node.items) {
      update(key, hash, is);
      update(value, hash, is);
    }
  } else if (is.isSeq(node)) {
    hash.update(`[${node.items.length} ${propertiesOf(node)}\n`);
    for (const item of node.items) update(item, hash, is);
  } else if (is.isScalar(node)) {
    const value = typeof node.value === 'string' ? JSON.stringify(node.value) : String(node.value);
    hash.update(`${value} ${propertiesOf(node)}\n`);
  } else hash.update('null  \n');
}

function propertiesOf({ anchor, tag }: { anchor?: string | undefined; tag?: string | undefined }): string {
  return `${anchor ?? ''} ${tag ?? ''}`;
}
