import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, test } from 'vitest';
import { linksOutside, type Token } from '../../docs/.vitepress/links.js';
import { navigation } from '../../docs/.vitepress/navigation.js';
import { root } from '../../scripts/fresh.js';
import { repositoryOf } from '../../scripts/site/addresses.js';
import { siteProblems } from '../../scripts/site/check-site.js';
import { codePages, llmsText } from '../../scripts/site/site-pages.js';
import { siteOf } from '../../src/engine/version.js';
import { codeTexts } from '../../src/view/code-texts.js';

const policy = `<meta http-equiv="Content-Security-Policy" content="default-src 'self'; img-src 'self'">`;

it('the sidebar of the site has each page of docs/ once, in five groups', () => {
  const pages = navigation.flatMap((group) => group.pages.map(({ page }) => `${page}.md`));
  const files = readdirSync(join(root, 'docs')).filter(
    (each) => each.endsWith('.md') && each !== 'README.md',
  );
  expect([...pages].sort()).toEqual(files.sort());
  expect(navigation.map(({ title }) => title)).toEqual([
    'Start',
    'Write',
    'Review and ship',
    'Operate',
    'Reference',
  ]);
});

it('each diagnostic code has a page that says what `roster explain` says', () => {
  const pages = codePages();
  expect([...pages.keys()]).toEqual(Object.keys(codeTexts).map((code) => `codes/${code}.md`));
  const { title, means, help } = codeTexts['unknown-agent'];
  expect(pages.get('codes/unknown-agent.md')).toContain(
    `# unknown-agent\n\n**${title}.** ${means}\n\nWhat to do: ${help}`,
  );
});

it('llms.txt has a line for each page', () => {
  const text = llmsText('What it is.', navigation, 'https://docs.example/');
  const lines = text.match(/^- \[.+\]\(https:\/\/docs\.example\/[a-z-]+\): .+$/gm) ?? [];
  expect(lines).toHaveLength(navigation.flatMap(({ pages }) => pages).length);
  expect(text.startsWith('# roster\n\n> What it is.\n\n## Start\n\n- ')).toBe(true);
});

describe('the check of the site', () => {
  const files = {
    'index.html': `${policy}<a href="ci#setup">CI</a><a href="/docs/codes/locked">locked</a>`,
    'ci.html': `${policy}<h2 id="setup">Setup</h2><a href="./">Start</a><a href="https://git.example/">git</a><img src="/docs/a.svg">`,
    'codes/locked.html': `${policy}<a href="../ci">CI</a><script src="/docs/app.js"></script>`,
    'a.svg': '',
    'app.js': 'import("./a.js"); const example = "https://collect.example.com";',
    'style.css': 'a { background: url("a.svg") }',
  };
  const problems = (changed: Readonly<Record<string, string>>) =>
    siteProblems(new Map(Object.entries({ ...files, ...changed })), '/docs/');

  it('accepts links to pages, headings and other hosts', () => expect(problems({})).toEqual([]));

  test.each([
    ['index.html', '<a href="nowhere">', 'nowhere: no such page'],
    ['index.html', '<a class="x" href="ci#nowhere">', 'ci#nowhere: no such heading'],
    ['codes/locked.html', '<a href="ci">', 'ci: no such page'],
    ['ci.html', '<a href="/ci">', '/ci: no such page'],
    ['ci.html', '<img alt="" src="b.svg">', 'b.svg: no such page'],
    [
      'ci.html',
      '<script src="https://cdn.example/a.js">',
      '<script src="https://cdn.example/a.js" is elsewhere',
    ],
    [
      'ci.html',
      '<link rel="x" href="//fonts.example/a">',
      '<link rel="x" href="//fonts.example/a" is elsewhere',
    ],
  ])('finds in %s: %s', (file, html, problem) => {
    expect(problems({ [file]: `${policy}<h2 id="setup">${html}` })).toEqual([`${file}: ${problem}`]);
  });

  test.each([
    ['style.css', '@import "https://fonts.example/a.css"'],
    ['style.css', 'a { background: url(https://fonts.example/a.png) }'],
    ['app.js', 'fetch("https://search.example/query")'],
  ])('finds a request of %s to another host: %s', (file, text) => {
    expect(problems({ [file]: text })).toEqual([
      expect.stringMatching(/^[^:]+: .*https:\/\/.* is elsewhere$/),
    ]);
  });

  it('finds a page without a policy for browsers', () => {
    expect(problems({ 'new.html': '<p>' })).toEqual([expect.stringContaining('new.html: has no policy')]);
  });
});

describe('a link of docs/ to the sources', () => {
  const link = (target: string) => {
    const attributes = { href: target };
    const token = (type: string): Token => ({
      type,
      children: null,
      attrGet: () => attributes.href,
      attrSet: (_, value) => {
        attributes.href = value;
      },
    });
    const children = ['link_open', 'text', 'link_close'].map(token);
    return { attributes, tokens: [{ ...token('inline'), children }] };
  };
  const changed = (target: string, repository: string | null) => {
    const { attributes, tokens } = link(target);
    const push = (_: string, rule: (state: { readonly tokens: Token[] }) => void) => rule({ tokens });
    linksOutside(repository)({ core: { ruler: { push } } });
    return [tokens[0]?.children?.map(({ type }) => type).join(' '), attributes.href];
  };

  it('leads to the repository', () => {
    expect(changed('../src/entry.ts', 'https://git.example/a')).toEqual([
      'link_open text link_close',
      'https://git.example/a/blob/HEAD/src/entry.ts',
    ]);
  });

  it('is plain text while package.json names no repository', () => {
    expect(changed('../src/entry.ts', null)[0]).toBe('text');
    expect(changed('ci.md', null)).toEqual(['link_open text link_close', 'ci.md']);
  });
});

describe('the addresses in package.json', () => {
  it('lead to the repository and to the site', () => {
    const repository = { url: 'git+https://github.com/owner/name.git' };
    expect(repositoryOf({ name: 'a', repository })).toBe('https://github.com/owner/name');
    expect(siteOf({ name: 'a', homepage: 'https://docs.example/roster' })).toBe(
      'https://docs.example/roster/',
    );
  });

  it('may be missing', () =>
    expect([repositoryOf({ name: 'a' }), siteOf({ name: 'a' })]).toEqual([null, null]));
});
