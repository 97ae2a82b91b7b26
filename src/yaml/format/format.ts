import { limits } from '../../manifest/limits.js';
import {
  commentsIn,
  type Document,
  hasMorePieces,
  parseForEdit,
  tools,
  type YAMLMap,
  type YAMLSeq,
} from '../library.js';
import { arranged } from './attach-comments.js';
import { settleComments, spaceSections } from './comment-layout.js';
import { unfoldFlow } from './flow-style.js';
import { meaningOf } from './semantic-hash.js';

/** Two spaces, no folding: a line stays one line, however long, so that a change of it is one line of a diff. */
const printing = { indent: 2, indentSeq: true, lineWidth: 0, flowCollectionPadding: true } as const;

const mostRounds = 6;

/**
 * The text in the one style of manifests: two spaces, `[a, b]`, `{ a: b }`, double quotes where there are quotes, one
 * empty line at most, and one before each section. Comments, anchors, order and meaning stay as they are; line ends are
 * those of the first line.
 * The text must be one that `parseYaml` accepts.
 */
export function formatText(text: string): string {
  const lineBreak = /\r?\n/.exec(text)?.[0] ?? '\n';
  return settled(text.replaceAll('\r\n', '\n')).replaceAll('\n', lineBreak);
}

function settled(text: string): string {
  let { formatted, meaning } = printed(text);
  if (formatted === text) return text;
  // Each round checks the one before. Empty lines beside comments inside of brackets settle with the second.
  for (let round = 1; round < mostRounds; round += 1) {
    const next = printed(formatted);
    if (next.meaning !== meaning) throw new Error('formatting would have changed what the file means');
    if (next.formatted === formatted) return formatted;
    ({ formatted, meaning } = next);
  }
  throw new Error('formatting does not come to an end');
}

/** True for a text that would cost too much, because it must stand in memory as a whole. */
export function isTooMuchToFormat(text: string): boolean {
  return hasMorePieces(text, limits.formatted);
}

/** A function of its own, so that its documents are gone before those of the next round are made. */
function printed(text: string): { readonly formatted: string; readonly meaning: string } {
  const documents = parseForEdit(text, arranged);
  if (documents.some(({ errors }) => errors.length > 0)) throw new Error('the text cannot be read');
  const meaning = meaningOf(documents, commentsIn(text));
  // The library makes nothing of a text that holds nothing but comments.
  if (documents.every(({ contents }) => contents === null)) return { formatted: text, meaning };
  for (const [index, document] of documents.entries()) restyle(document, text, index);
  return { formatted: documents.map((document) => document.toString(printing)).join(''), meaning };
}

function restyle(document: Document, text: string, index: number): void {
  const { visit } = tools();
  if (document.directives) {
    // What stands before the sign for an end would be printed after it.
    document.directives.docEnd = false;
    document.directives.docStart = index > 0 || document.directives.docStart;
  }
  visit(document, {
    Seq: (_, node) => padFlow(node, ''),
    Map: (_, node) => padFlow(node, ' '),
    Scalar: (_, node) => {
      // A single quote needs no escapes inside, which some texts are better off with.
      const plain = typeof node.value === 'string' && !/["\\]/.test(node.value);
      if (node.type === 'QUOTE_SINGLE' && plain) node.type = 'QUOTE_DOUBLE';
      // The library would take the comment beside its sign into an empty block of text.
      if (node.value === '' && node.type?.startsWith('BLOCK')) node.type = 'QUOTE_DOUBLE';
    },
  });
  unfoldFlow(document, text);
  settleComments(document);
  spaceSections(document);
}

/** The library pads all flow collections or none; `[a, b]` beside `{ a: b }` is what people write. */
function padFlow(node: YAMLMap | YAMLSeq, padding: '' | ' '): void {
  const print = node.toString.bind(node);
  node.toString = (context, ...rest) =>
    print(context && { ...context, flowCollectionPadding: padding }, ...rest);
}
