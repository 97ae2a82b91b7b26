import { createHash } from 'node:crypto';
import { type Document, isAlias, isMap, isScalar, isSeq, visit, type YAMLMap, type YAMLSeq } from 'yaml';
import { commentsIn, hasMorePieces, parseForEdit } from '../library.js';
import { yamlLimits } from '../limits.js';
import { withAttachedComments } from './attach-comments.js';
import { layOutComments, spaceSections } from './comment-layout.js';
import { unfoldFlow } from './flow-style.js';
import { asWritten } from './scalar-style.js';

/** Two spaces, no folding: a line stays one line, however long, so that a change to it is one line of a diff. */
const printing = { indent: 2, indentSeq: true, lineWidth: 0, flowCollectionPadding: true } as const;

const MAX_ROUNDS = 6;

/**
 * The text in one style: two spaces, `[a, b]`, `{ a: b }`, double quotes where there are quotes, at most one empty line,
 * and one before each section. Comments, anchors, order and meaning are unchanged; line ends are those of the first
 * line. The text must be one that `readYaml` accepts.
 */
export function formatText(text: string): string {
  const lineBreak = /\r?\n/.exec(text)?.[0] ?? '\n';
  return stable(text.replaceAll('\r\n', '\n')).replaceAll('\n', lineBreak);
}

function stable(text: string): string {
  let { formatted, hash } = printed(text);
  if (formatted === text) return text;
  // Each round checks the one before. Empty lines next to comments inside brackets are stable after the second.
  for (let round = 1; round < MAX_ROUNDS; round += 1) {
    const next = printed(formatted);
    if (next.hash !== hash) throw new Error('formatting would change the meaning of the file');
    if (next.formatted === formatted) return formatted;
    ({ formatted, hash } = next);
  }
  throw new Error('formatting does not reach a stable result');
}

/** True for a text that would cost too much, because it must be in memory as a whole. */
export function isTooMuchToFormat(text: string): boolean {
  return hasMorePieces(text, yamlLimits.formatted);
}

/** A function of its own, so that its documents are released before those of the next round are made. */
function printed(text: string): { readonly formatted: string; readonly hash: string } {
  const documents = parseForEdit(text, withAttachedComments, (tag) => asWritten(tag, text));
  if (documents.some(({ errors }) => errors.length > 0)) throw new Error('the text is not valid YAML');
  const hash = semanticHash(documents, commentsIn(text));
  // The library prints nothing for a text that contains only comments.
  if (documents.every(({ contents }) => contents === null)) return { formatted: text, hash };
  for (const [index, document] of documents.entries()) restyle(document, text, index);
  return { formatted: documents.map((document) => document.toString(printing)).join(''), hash };
}

function restyle(document: Document, text: string, index: number): void {
  if (document.directives) {
    // What comes before the end marker would be printed after it.
    document.directives.docEnd = false;
    document.directives.docStart = index > 0 || document.directives.docStart;
  }
  visit(document, {
    Seq: (_, node) => padFlow(node, ''),
    Map: (_, node) => padFlow(node, ' '),
    Scalar: (_, node) => {
      // Single quotes need no escapes inside, which is better for some texts.
      const plain = typeof node.value === 'string' && !/["\\]/.test(node.value);
      if (node.type === 'QUOTE_SINGLE' && plain) node.type = 'QUOTE_DOUBLE';
      // The library would take the comment next to its sign into an empty block of text.
      if (node.value === '' && node.type?.startsWith('BLOCK')) node.type = 'QUOTE_DOUBLE';
    },
  });
  unfoldFlow(document.contents, text);
  layOutComments(document);
  spaceSections(document);
}

/** The library pads all flow collections or none; people write `[a, b]` and `{ a: b }`. */
function padFlow(node: YAMLMap | YAMLSeq, padding: '' | ' '): void {
  const print = node.toString.bind(node);
  node.toString = (context, ...rest) =>
    print(context && { ...context, flowCollectionPadding: padding }, ...rest);
}

/**
 * A hash of what documents mean: values, order, anchors, aliases, tags and comments, but not how they are written.
 * Aliases are not followed, so that the cost is that of the text.
 */
function semanticHash(documents: readonly Document[], comments: readonly string[]): string {
  const hash = createHash('sha256');
  const update = (node: unknown): void => {
    if (isAlias(node)) hash.update(`*${node.source}\n`);
    else if (isScalar(node)) hash.update(`${textOf(node.value)} ${propertiesOf(node)}\n`);
    else if (isMap(node) || isSeq(node)) {
      hash.update(`${isMap(node) ? '{' : '['}${node.items.length} ${propertiesOf(node)}\n`);
      for (const each of isMap(node) ? node.items.flatMap(({ key, value }) => [key, value]) : node.items)
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
