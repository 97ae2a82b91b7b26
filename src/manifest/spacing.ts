import { type Document, tools, type YAMLMap, type YAMLSeq, type YamlNode } from './yaml.js';

/** Puts comments, and the empty lines around them, where the library prints them as they were. */
export function settleComments({ contents }: Document): void {
  if (tools().isNode(contents)) settle(contents, null);
}

/** `next` is what follows the node; null at the end of the document. */
function settle(node: YamlNode, next: YamlNode | null): void {
  const parts = partsOf(node);
  for (const [index, part] of parts.entries()) settle(part, parts[index + 1] ?? next);
  lowerHead(node, parts[0]);
  if (node.commentBefore) node.commentBefore = oneEmptyLine(node.commentBefore);
  if (!node.comment) return;
  // Empty lines at the end of a comment the library would print once more each time.
  if (next !== null && node.comment.endsWith('\n')) next.spaceBefore = true;
  node.comment = oneEmptyLine(node.comment).replace(/\n+$/, '');
}

function partsOf(node: YamlNode): YamlNode[] {
  const { isMap, isNode, isSeq } = tools();
  if (isMap(node)) return node.items.flatMap(({ key, value }) => [key, value]).filter(isNode);
  return isSeq(node) ? node.items.filter(isNode) : [];
}

/** The comment of `x-a: &a # …` goes below, as that of `x-a: # …` does: the library would put the anchor there, too. */
function lowerHead(node: YamlNode, first: YamlNode | undefined): void {
  if (!isBlock(node) || first === undefined || !node.anchor || !node.commentBefore) return;
  first.commentBefore = [node.commentBefore, first.commentBefore].filter(Boolean).join('\n');
  node.commentBefore = null;
}

function isBlock(node: unknown): node is YAMLMap | YAMLSeq {
  const { isMap, isSeq } = tools();
  return (isMap(node) || isSeq(node)) && node.flow !== true;
}

function oneEmptyLine(comment: string): string {
  return comment.replace(/\n{3,}/g, '\n\n');
}

/** Sections stand apart: an empty line before each top-level key that holds entries or settings of its own. */
export function spaceSections({ contents }: Document): void {
  const { isMap, isScalar } = tools();
  if (!isMap(contents)) return;
  contents.items.forEach((pair, index) => {
    if (index > 0 && isBlock(pair.value) && isScalar(pair.key)) pair.key.spaceBefore = true;
  });
}
