import { type Dirent, readdirSync } from 'node:fs';
import { posix } from 'node:path';
import { globSync, isDynamicPattern } from 'tinyglobby';
import type { Diagnostics } from './diagnostics.js';
import { limits } from './limits.js';
import type { Span } from './source.js';
import { quoted, unsafe } from './text.js';

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
  const folders = new Folders();
  for (const { pattern, span } of items.slice(0, limits.includes)) {
    const why = refusal(pattern);
    if (why !== null) told.error(why.code, span, why.message, { help: why.help });
    else
      for (const path of pathsOf(pattern, root, folders, span, told))
        if (!found.has(path)) found.set(path, span);
    if (folders.exhausted) break;
  }
  const paths = new Map([...found].sort(([a], [b]) => (a < b ? -1 : 1)));
  return { paths, complete: told.errors === errors };
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
  if (paths.length === 0) told.tell('warning', 'unreadable-file', span, `no file matches ${quoted(pattern)}`);
  return paths.filter((path) => {
    const unseen = unsafe(path, 'line');
    if (unseen !== null) told.error('unsafe-text', span, `the file name ${quoted(path)} holds ${unseen}`);
    return unseen === null;
  });
}

/** What patterns are held against. */
class Folders {
  private listed = 0;

  /** True once so much was listed that nothing more is. */
  get exhausted(): boolean {
    return this.listed > limits.listed;
  }

  /**
   * Links, pipes and devices are listed as if they were files: what matches is then refused by name, not passed over.
   */
  readonly list = (path: string, options: { withFileTypes: true }): Dirent[] => {
    if (this.exhausted) return [];
    const entries = readdirSync(path, options);
    this.listed += 1 + entries.length;
    for (const entry of entries) {
      if (entry.isFile() || entry.isDirectory()) continue;
      entry.isFile = () => true;
      entry.isSymbolicLink = () => false;
    }
    return entries;
  };
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
