import { defineConfig } from 'vitepress';
import manifest from '../../package.json' with { type: 'json' };
import { repositoryOf } from '../../scripts/site/addresses.js';
import { site } from '../../src/engine/version.js';
import { linksOutside } from './links.js';
import { navigation } from './navigation.js';

const repository = repositoryOf(manifest);
const about = new Map(
  navigation.flatMap(({ pages }) => pages.map((each) => [`${each.page}.md`, each.about] as const)),
);

/** Browsers then refuse whatever the site would load from elsewhere. VitePress has scripts and styles in its pages. */
const policy =
  "default-src 'self'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; img-src 'self' data:";

export default defineConfig({
  title: 'roster',
  description: manifest.description,
  base: new URL(site ?? 'https://site.invalid/').pathname,
  // scripts/site.ts writes them there.
  srcDir: '.vitepress/pages',
  outDir: '../site',
  cleanUrls: true,
  head: [
    ['meta', { 'http-equiv': 'Content-Security-Policy', content: policy }],
    // Otherwise browsers ask for /favicon.ico.
    ['link', { rel: 'icon', href: 'data:,' }],
    // The name of the language in the corner of a code block, with enough contrast.
    ['style', {}, 'html:root { --vp-code-lang-color: var(--vp-c-text-2) }'],
  ],
  markdown: {
    languageAlias: { gitignore: 'ini' },
    // The default themes have too little contrast on the background of code blocks.
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
    anchor: { slugify: anchorOf },
    config: (markdown) => linksOutside(repository)(markdown),
  },
  transformPageData(page) {
    const line = about.get(page.relativePath);
    return line === undefined ? {} : { description: line };
  },
  themeConfig: {
    sidebar: navigation.map(({ title, pages }) => ({
      text: title,
      items: pages.map((each) => ({ text: each.title, link: `/${each.page}` })),
    })),
    outline: [2, 3],
    search: {
      provider: 'local',
      options: {
        // Each code has a page of its own.
        _render: (text, env, markdown) =>
          env.relativePath === 'diagnostics.md' ? '' : markdown.render(text, env),
      },
    },
    nav: repository === null ? [] : [{ text: 'Repository', link: repository }],
  },
});

/** As on GitHub and GitLab, so that links to headings hold in the repository, too. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}_ -]/gu, '')
    .replaceAll(' ', '-');
}
