import { type Dirent, readdirSync, statSync } from 'node:fs';
import { join, posix, relative, sep } from 'node:path';
import { globSync, isDynamicPattern } from 'tinyglobby';
import type { Span } from '../yaml/source.js';
import { quoted, unsafe } from '../yaml/text.js';
import type { Diagnostics } from './diagnostics.js';
import { limits } from './limits.js';
import { codeOf, statOf } from './stat.js';

/** One item of `include`, variables replaced. */
export interface Item {
  readonly pattern: string;
  readonly span: Span;
}

export interface Expanded {
  readonly paths: ReadonlyMap<string, Span>;
  /** False when there may be more, which is told. */
  readonly complete: boolean;
}

/**
 * The files that the items name, each once, with the item that named it first. Paths are relative to `root`, with
 * `/`, in code-unit order, so that the order of files never depends on the machine.
 */
export function expand(items: readonly Item[], root: string, told: Diagnostics): Expanded {
  const found = new Map<string, Span>();
  const { errors } = told;
  const over = items[limits.includes];
  if (over !== undefined) {
    const help = 'A glob, such as teams/*.yaml, stands for many files.';
    told.error('limit-exceeded', over.span, `\`include\` holds more than ${limits.includes} items`, { help });
  }
  const folders = new Folders(root);
  for (const { pattern, span } of items.slice(0, limits.includes)) {
    const why = refusal(pattern);
    if (why !== null) told.error(why.code, span, why.message, { help: why.help });
    else
      for (const path of pathsOf(pattern, root, folders, span, told))
        if (isManifestName(path, span, told) && !found.has(path)) found.set(path, span);
    if (folders.exhausted) break;
  }
  const paths = new Map([...found].sort(([a], [b]) => (a < b ? -1 : 1)));
  return { paths, complete: told.errors === errors };
}

/**
 * Errors show lines of the files that they are about: nothing may be read that was not written to be a manifest, such
 * as the secrets in `.git/config` or `.env`.
 */
function isManifestName(path: string, span: Span, told: Diagnostics): boolean {
  const hidden = path.split('/').find((name) => name.startsWith('.'));
  if (hidden === undefined && /\.ya?ml$/.test(path)) return true;
  const why =
    hidden === undefined
      ? 'the names of manifests end in `.yaml` or `.yml`'
      : 'no name in its path may begin with a dot';
  told.error('unreadable-file', span, `${quoted(path)} cannot be included: ${why}`, {
    help: 'For example: teams/retail.yaml, or teams/*.yaml for all in a folder.',
  });
  return false;
}

function pathsOf(pattern: string, root: string, folders: Folders, span: Span, told: Diagnostics): string[] {
  if (!isDynamicPattern(pattern)) return [posix.normalize(pattern)];
  const paths = globSync(pattern, {
    cwd: root,
    absolute: false,
    dot: false,
    onlyFiles: true,
    expandDirectories: false,
    extglob: false,
    followSymbolicLinks: false,
    fs: { readdirSync: folders.list as typeof readdirSync },
  });
  if (folders.exhausted) {
    const message = `the patterns look at more than ${limits.listed} files and folders`;
    const help = 'Write fewer patterns, or name the folders that they are for.';
    told.error('limit-exceeded', span, message, { help });
    return [];
  }
  const links = folders.takeLinks();
  for (const link of links) tellLink(link, span, told);
  if (paths.length + links.size === 0)
    told.tell('warning', 'unreadable-file', span, `no file matches ${quoted(pattern)}`);
  return paths.filter((path) => {
    const unseen = unsafe(path, 'line');
    if (unseen !== null) told.error('unsafe-text', span, `the file name ${quoted(path)} holds ${unseen}`);
    return unseen === null && !isUnder(links, path);
  });
}

function tellLink(link: string, span: Span, told: Diagnostics): void {
  told.error('unreadable-file', span, `${quoted(link)} cannot be read: it is a symbolic link to a folder`, {
    help: "Only regular files inside the project's folder are read, and this pattern leads through the link.",
  });
}

function isUnder(links: ReadonlySet<string>, path: string): boolean {
  return path.split('/').some((_, index, names) => links.has(names.slice(0, index + 1).join('/')));
}

/** What patterns are held against. */
class Folders {
  private listed = 0;
  /** Links to folders that the pattern at work leads through. */
  private links = new Set<string>();

  constructor(private readonly root: string) {}

  /** True once so much was listed that nothing more is. */
  get exhausted(): boolean {
    return this.listed > limits.listed;
  }

  takeLinks(): ReadonlySet<string> {
    const { links } = this;
    this.links = new Set();
    return links;
  }

  /**
   * Links, pipes and devices are listed as if they were files: what matches is then refused by name, not passed over.
   * Links to folders are listed as folders, too: where the pattern leads into one, that is noted.
   */
  readonly list = (path: string, options: { withFileTypes: true }): Dirent[] => {
    if (this.exhausted || this.isThroughLink(path)) return [];
    const entries = readdirSync(path, options);
    this.listed += 1 + entries.length;
    return entries.flatMap((entry) => {
      if (entry.isFile() || entry.isDirectory()) return [entry];
      const folder = entry.isSymbolicLink() && leadsToFolder(join(path, entry.name));
      const { name } = entry;
      return folder ? [as('file', name), as('folder', name)] : [as('file', name)];
    });
  };

  private isThroughLink(path: string): boolean {
    const names = relative(this.root, path).split(sep).filter(Boolean);
    const places = names.map((_, index) => names.slice(0, index + 1));
    const link = places.find((place) => statOf(join(this.root, ...place))?.isSymbolicLink());
    if (link !== undefined) this.links.add(link.join('/'));
    return link !== undefined;
  }
}

function as(what: 'file' | 'folder', name: string): Dirent {
  const isFile = () => what === 'file';
  return { name, isFile, isDirectory: () => !isFile(), isSymbolicLink: () => false } as Dirent;
}

function leadsToFolder(link: string): boolean {
  try {
    return statSync(link).isDirectory();
  } catch (error) {
    // A link that leads nowhere, in a circle or where one may not look is no folder.
    if (codeOf(error) === undefined) throw error;
    return false;
  }
}

interface Refusal {
  readonly code: 'unreadable-file' | 'limit-exceeded' | 'unsafe-text';
  readonly message: string;
  readonly help?: string;
}

/** Patterns come from people who are not trusted, and many wildcards in one name make matching exponential. */
function refusal(pattern: string): Refusal | null {
  const code = 'unreadable-file';
  const help = 'A path or glob relative to roster.yaml, with `/`, such as teams/*.yaml.';
  const segments = pattern.split('/');
  if (unsafe(pattern, 'line') !== null)
    return { code: 'unsafe-text', message: 'the path holds a character that cannot be seen' };
  if (pattern.startsWith('/') || /^[A-Za-z]:/.test(pattern))
    return { code, message: 'an absolute path cannot be included', help };
  if (pattern.includes('\\')) return { code, message: 'a path must not hold a backslash', help };
  if (pattern.startsWith('!')) return { code, message: 'a pattern cannot be negated', help };
  if (/(?:^|[/{,(])\.\.(?:$|[/},)])/.test(pattern))
    return { code, message: "a path must not leave the project's folder", help };
  const wild = segments.some(
    (segment) => (segment.match(/[*?[({]/g) ?? []).length > limits.globWildcardsPerSegment,
  );
  const doubles = segments.filter((segment) => segment.includes('**')).length;
  if (wild || doubles > limits.globDoubleStars) {
    const message = `a pattern may hold ${limits.globWildcardsPerSegment} wildcards a name and ${limits.globDoubleStars} \`**\``;
    return { code: 'limit-exceeded', message, help };
  }
  return null;
}
