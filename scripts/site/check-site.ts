import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The files of a site by their paths: the text of those that can refer to others, and nothing of the rest. */
export type SiteFiles = ReadonlyMap<string, string>;

export function readSite(folder: string): SiteFiles {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((each) => each.isFile())
    .map((each) =>
      join(each.parentPath, each.name)
        .slice(folder.length + 1)
        .replaceAll('\\', '/'),
    );
  const isText = (path: string) => /\.(html|css|js)$/.test(path);
  return new Map(paths.map((path) => [path, isText(path) ? readFileSync(join(folder, path), 'utf8') : '']));
}

/** What is wrong with a site that is published at the path `base`, such as `/` or `/roster/`. */
export function siteProblems(files: SiteFiles, base: string): string[] {
  return [...files].flatMap(([path, text]) => {
    const links = path.endsWith('.html') ? brokenLinks({ path, text, files, base }) : [];
    return [...requestsElsewhere(path, text), ...links].map((each) => `${path}: ${each}`);
  });
}

/** What loads something when the page is shown. Links that a reader follows are not among them. */
const loads: Readonly<Record<string, RegExp>> = {
  html: /<(?:script|img|source|iframe|link)\b[^>]*?\s(?:src|srcset|href)="(?:https?:)?\/\/[^"]*"/g,
  css: /(?:url\(|@import )["']?(?:https?:)?\/\/[^"')]*/g,
  js: /\b(?:fetch|import|importScripts|WebSocket)\(["'`](?:https?:|wss?:)?\/\/[^"'`]*/g,
};

function requestsElsewhere(path: string, text: string): string[] {
  const pattern = loads[path.split('.').at(-1) ?? ''];
  const found =
    pattern === undefined ? [] : [...text.matchAll(pattern)].map(([each]) => `${each} is elsewhere`);
  const isUnguarded = path.endsWith('.html') && !text.includes(`content="default-src 'self';`);
  return isUnguarded ? [...found, 'has no policy that keeps browsers from loading what is elsewhere'] : found;
}

interface Checked {
  readonly path: string;
  readonly text: string;
  readonly files: SiteFiles;
  readonly base: string;
}

function brokenLinks({ path, text, files, base }: Checked): string[] {
  const page = new URL(base + path.replace(/(^|\/)index\.html$/, '$1').replace(/\.html$/, ''), here);
  const targets = new Set(
    Array.from(text.matchAll(/<[a-z]+\b[^>]*?\s(?:href|src)="([^"]*)"/g), ([, target = '']) => target),
  );
  return [...targets].flatMap((target) => {
    const url = new URL(target.replaceAll('&amp;', '&'), page);
    if (url.host !== page.host) return [];
    const found = fileAt(url.pathname, files, base);
    if (found === null) return [`${target}: no such page`];
    const anchor = decodeURIComponent(url.hash.slice(1));
    const hasAnchor = anchor === '' || (files.get(found) ?? '').includes(` id="${anchor}"`);
    return hasAnchor ? [] : [`${target}: no such heading`];
  });
}

const here = 'https://site.invalid';

/** The file that a host serves there: addresses of pages have no `.html`. */
function fileAt(pathname: string, files: SiteFiles, base: string): string | null {
  if (!pathname.startsWith(base)) return null;
  const path = decodeURIComponent(pathname.slice(base.length));
  const candidates = path === '' || path.endsWith('/') ? [`${path}index.html`] : [path, `${path}.html`];
  return candidates.find((each) => files.has(each)) ?? null;
}
