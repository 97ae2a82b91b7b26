import {
  type CST,
  type Document,
  isMap,
  isNode,
  isScalar,
  isSeq,
  type YAMLMap,
  type YAMLSeq,
  type Node as YamlNode,
} from 'yaml';

/** Puts comments, and the empty lines around them, where the library prints them in their original place. */
export function layOutComments(document: Document): void {
  if (document.commentBefore) document.commentBefore = oneEmptyLine(document.commentBefore);
  if (document.comment) document.comment = oneEmptyLine(document.comment);
  if (isNode(document.contents)) layOut(document.contents, null);
}

/** `next` is the node after this one; null at the end of the document. */
function layOut(node: YamlNode, next: YamlNode | null): void {
  keepKeyComments(node);
  const parts = partsOf(node);
  for (const [index, part] of parts.entries()) layOut(part, parts[index + 1] ?? next);
  lowerHead(node, parts[0]);
  lowerTails(node, parts);
  if (node.commentBefore) node.commentBefore = oneEmptyLine(node.commentBefore);
  if (!node.comment) return;
  // The library would print empty lines at the end of a comment once more each time.
  if (next !== null && node.comment.endsWith('\n')) next.spaceBefore = true;
  node.comment = oneEmptyLine(node.comment).replace(/\n+$/, '');
}

function partsOf(node: YamlNode): YamlNode[] {
  if (isMap(node)) return node.items.flatMap(({ key, value }) => [key, value]).filter(isNode);
  return isSeq(node) ? node.items.filter(isNode) : [];
}

/** The comment of `key: # …` stays on that line; the library would put it below. */
function keepKeyComments(node: YamlNode): void {
  if (!isMap(node) || node.flow === true) return;
  for (const { key, value, srcToken } of node.items) {
    const beside = commentBeside((srcToken as CST.CollectionItem | undefined)?.sep);
    if (beside === null || !isScalar(key) || key.comment || !isNode(value)) continue;
    const [first, ...below] = value.commentBefore?.split('\n') ?? [];
    if (first !== beside || hasProperties(value)) continue;
    key.comment = beside;
    value.commentBefore = below.length === 0 ? null : below.join('\n');
  }
}

/** The text of the comment on a key's own line. */
function commentBeside(tokens: readonly CST.SourceToken[] = []): string | null {
  const line = tokens.findIndex(({ type }) => type === 'newline');
  const comment = tokens.slice(0, line === -1 ? undefined : line).find(({ type }) => type === 'comment');
  return comment?.source.slice(1) ?? null;
}

function hasProperties(node: YamlNode): boolean {
  return ('anchor' in node && node.anchor !== undefined) || node.tag !== undefined;
}

/** The comment of `x-a: &a # …` goes below, like that of `x-a: # …`: the library would move the anchor there, too. */
function lowerHead(node: YamlNode, first: YamlNode | undefined): void {
  if (!isBlock(node) || first === undefined || !node.anchor || !node.commentBefore) return;
  first.commentBefore = [node.commentBefore, first.commentBefore].filter(Boolean).join('\n');
  node.commentBefore = null;
}

/** Comment lines below a value belong to what comes next, or to the end of the block. */
function lowerTails(node: YamlNode, parts: readonly YamlNode[]): void {
  if (!isBlock(node)) return;
  for (const [index, part] of parts.entries()) {
    const [beside, ...below] = part.comment?.split('\n') ?? [];
    if (isBlock(part) || beside === undefined || below.length === 0) continue;
    part.comment = beside;
    const next = parts[index + 1];
    if (next === undefined) node.comment = [...below, ...(node.comment ? [node.comment] : [])].join('\n');
    else next.commentBefore = [...below, ...(next.commentBefore ? [next.commentBefore] : [])].join('\n');
  }
}

function isBlock(node: unknown): node is YAMLMap | YAMLSeq {
  return (isMap(node) || isSeq(node)) && node.flow !== true;
}

function oneEmptyLine(comment: string): string {
  return comment.replace(/\n{3,}/g, '\n\n').replace(/\n+$/, '\n');
}

/** Separates sections: an empty line before each top-level key that contains a map or list. */
export function spaceSections({ contents }: Document): void {
  if (!isMap(contents)) return;
  contents.items.forEach((pair, index) => {
    if (index === 0 || !isBlock(pair.value) || !isScalar(pair.key)) return;
    // A comment that an empty line separates from the section belongs to what comes before.
    if (!pair.key.commentBefore?.endsWith('\n')) pair.key.spaceBefore = true;
  });
}
