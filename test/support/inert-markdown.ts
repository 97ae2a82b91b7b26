import { fromMarkdown } from 'mdast-util-from-markdown';
import { gfmFromMarkdown } from 'mdast-util-gfm';
import { gfm } from 'micromark-extension-gfm';
import { expect } from 'vitest';

type Root = ReturnType<typeof fromMarkdown>;
type Node = Root | Root['children'][number] | { type: string };

/**
 * Holds a comment against what GitHub would make of it: a parser of CommonMark with GitHub's extensions finds nothing
 * but what roster writes, and the text outside of code has nothing that a forge looks for afterwards.
 */
export function expectInertMarkdown(markdown: string, linkBase: string): void {
  const tree = fromMarkdown(markdown, { extensions: [gfm()], mdastExtensions: [gfmFromMarkdown()] });
  const [marker, ...rest] = tree.children;
  expect(marker).toMatchObject({
    type: 'html',
    value: expect.stringMatching(/^<!-- roster(-drift|-status)?:[\w.%-]*:[\w.%-]* -->$/),
  });
  const wrong: string[] = [];
  for (const child of rest) walk(child, { parents: ['root'], linkBase, wrong });
  expect(wrong).toEqual([]);
  expect(markdown.match(/^ *<details>/gm)?.length).toBe(markdown.match(/^ *<\/details>$/gm)?.length);
}

interface Walk {
  readonly parents: readonly string[];
  readonly linkBase: string;
  readonly wrong: string[];
}

/** Kinds of node that roster writes itself. An image, an autolink, a reference or a footnote is not among them. */
const own = new Set(
  'paragraph heading list listItem blockquote strong table tableRow tableCell text inlineCode code html link'.split(
    ' ',
  ),
);
const headings = /^(Risks|Changes|Warnings|Notes|Warnings and notes)$/;
const strong =
  /^(Plan: [\d a-z,·]+\.|No changes\.|Drift: \d+ changed, \d+ deleted|No drift\.|Status: [\d a-z,]+\.|failing|missed|changed|DELETED|Apply would refuse this plan:|This plan has errors:|Deletes [\d a-z,]+\.|Too long to show in full:|create|update|adopt|moved|forget|CREATE|UPDATE|REPLACE|DELETE|ADOPT|FORGET|note|warning|error)$/;
const html =
  /^(<details><summary>(<code>[^<>]*<\/code>|Dependency graph|Other changes: [\d a-z,]+|Starts a week by agent|[\d,]+ changes|[\d,]+ (error|warning|note)s?(, [\d,]+ (warning|note)s?)*)<\/summary>|<\/details>|<\/?sub>)$/;
/** Mentions, references, commit ids, links, mail addresses, emoji, HTML, and Markdown that was not meant. */
const traps =
  /[@<>*_`~\\|[\]]|#\d|\bGH-\d|https?:|www\.|\/\/|:[a-z0-9_+-]+:|\b(?=[0-9a-f]*\d)[0-9a-f]{7,}\b|&#?\w+;/iu;
const mermaid =
  /^(flowchart LR| {2}n\d+\["[\p{L}\p{N} ._/…#;-]*"\](:::(created|updated|deleted))?| {2}n\d+ -->(\|\d+\|)? n\d+| {2}classDef (created|updated|deleted) [\w#:,-]+)$/u;

function walk(node: Node, { parents, linkBase, wrong }: Walk): void {
  const tell = (what: string) => wrong.push(`${[...parents, node.type].join(' > ')}: ${what}`);
  if (!own.has(node.type)) tell(JSON.stringify(node).slice(0, 200));
  if ('value' in node) checkValue(node, parents, tell);
  if (node.type === 'heading' && !headings.test(textOf(node))) tell(textOf(node));
  if (node.type === 'strong' && !strong.test(textOf(node))) tell(textOf(node));
  if ('url' in node && !(linkBase !== '' && node.url.startsWith(`${linkBase}/`))) tell(node.url);
  if (
    node.type === 'link' &&
    'children' in node &&
    node.children.map((each) => each.type).join() !== 'inlineCode'
  )
    tell(textOf(node));
  if (node.type === 'table' && 'children' in node) {
    const widths = new Set(node.children.map((row) => ('children' in row ? row.children.length : 0)));
    if (widths.size !== 1) tell(`rows of ${[...widths].join(' and ')} cells`);
  }
  if ('children' in node)
    for (const child of node.children) walk(child, { parents: [...parents, node.type], linkBase, wrong });
}

function checkValue(
  node: Node & { value: string },
  parents: readonly string[],
  tell: (what: string) => void,
): void {
  if (node.type === 'html') {
    for (const line of node.value.split('\n')) if (!html.test(line.trim())) tell(line);
  } else if (node.type === 'text') {
    const text =
      parents.at(-2) === 'blockquote' ? node.value.replace(/^\[!(CAUTION|WARNING)\]/, '') : node.value;
    if (traps.test(text)) tell(text);
  } else if (node.type === 'code') {
    const lang = 'lang' in node ? node.lang : null;
    const fits = lang === 'mermaid' ? mermaid : lang === 'diff' ? /^([+-] |! | {2})/ : /^$/;
    for (const line of node.value.split('\n')) if (!fits.test(line)) tell(line);
  }
}

function textOf(node: Node): string {
  if ('value' in node) return node.value as string;
  return 'children' in node ? node.children.map(textOf).join('') : '';
}
