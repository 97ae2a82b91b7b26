import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { gfmFromMarkdown } from 'mdast-util-gfm';
import { gfm } from 'micromark-extension-gfm';
import { describe, expect, it } from 'vitest';
import { commands } from '../../src/cli/commands.js';
import { codeTexts } from '../../src/view/code-texts.js';

const root = join(import.meta.dirname, '../..');
const pages = [
  ...readdirSync(root),
  ...['docs', 'examples', 'templates', 'test/sandbox', '.github']
    .filter((each) => existsSync(join(root, each)))
    .flatMap(filesIn),
].filter((each) => each.endsWith('.md'));

function filesIn(folder: string): string[] {
  const names = readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' });
  return names
    .filter((each) => !/node_modules|^\.vitepress/.test(each))
    .map((each) => `${folder}/${each.replaceAll('\\', '/')}`);
}

interface Node {
  readonly type: string;
  readonly url?: string;
  readonly value?: string;
  readonly children?: readonly Node[];
}

const read = new Map<string, readonly Node[]>();

/** Every node of a page, in order. */
function nodesOf(page: string): readonly Node[] {
  const nodes = read.get(page) ?? parsed(page);
  read.set(page, nodes);
  return nodes;
}

function parsed(page: string): Node[] {
  const flat = (node: Node): Node[] => [node, ...(node.children ?? []).flatMap(flat)];
  const text = readFileSync(join(root, page), 'utf8');
  return flat(fromMarkdown(text, { extensions: [gfm()], mdastExtensions: [gfmFromMarkdown()] }) as Node);
}

/** The targets of links and images, in Markdown and in HTML, without those on other hosts. */
function linksOf(page: string): string[] {
  const targets = nodesOf(page).flatMap(({ type, url, value = '' }) => {
    if (type !== 'html') return url ?? [];
    return Array.from(value.matchAll(/\b(?:href|src|srcset)="([^"]+)"/g), ([, target = '']) => target);
  });
  return targets.filter((target) => !/^[a-z]+:/i.test(target));
}

const known = new Map<string, Set<string>>();

/** The anchors that GitHub and GitLab give the headings of a page. */
function anchorsOf(page: string): Set<string> {
  const anchors = known.get(page) ?? new Set<string>();
  if (known.has(page)) return anchors;
  known.set(page, anchors);
  for (const heading of nodesOf(page).filter(({ type }) => type === 'heading')) {
    const slug = textOf(heading)
      .toLowerCase()
      .replace(/[^\p{L}\p{N}_ -]/gu, '')
      .replaceAll(' ', '-');
    const same = (count: number) => (count === 0 ? slug : `${slug}-${count}`);
    let count = 0;
    while (anchors.has(same(count))) count += 1;
    anchors.add(same(count));
  }
  return anchors;
}

function textOf({ value = '', children = [] }: Node): string {
  return value + children.map(textOf).join('');
}

/** Why the target of a link does not exist, or null. */
function broken(page: string, target: string): string | null {
  const [path = '', anchor] = decodeURI(target).split('#');
  const file = path === '' ? join(root, page) : resolve(root, dirname(page), path);
  if (relative(root, file).startsWith('..')) return `${target}: outside the repository`;
  if (!existsSync(file)) return `${target}: no such file`;
  if (anchor === undefined) return null;
  if (!statSync(file).isFile() || !file.endsWith('.md'))
    return `${target}: an anchor of something else than a page`;
  return anchorsOf(relative(root, file)).has(anchor) ? null : `${target}: no such heading`;
}

describe('links', () => {
  it.each(pages)('every relative link and anchor of %s exists', (page) => {
    expect(
      linksOf(page)
        .map((target) => broken(page, target))
        .filter((each) => each !== null),
    ).toEqual([]);
  });

  it('the page that the help of each command names exists', () => {
    const targets = commands.map(({ docs }) => docs);
    expect(targets.map((target) => broken('README.md', target)).filter((each) => each !== null)).toEqual([]);
  });

  it('each diagnostic code has an anchor in docs/diagnostics.md', () => {
    const anchors = anchorsOf('docs/diagnostics.md');
    expect(Object.keys(codeTexts).filter((code) => !anchors.has(code))).toEqual([]);
  });

  it('every page of docs/ is listed in docs/README.md', () => {
    const listed = new Set(
      linksOf('docs/README.md').map((target) => join('docs', target.split('#')[0] ?? '')),
    );
    const missing = pages.filter((page) => page.startsWith('docs/') && page !== 'docs/README.md');
    expect(missing.filter((page) => !listed.has(page))).toEqual([]);
  });
});
