import { type Dirent, readdirSync, statSync } from 'node:fs';
import { join, posix } from 'node:path';
import { errnoOf } from '../files/errno.js';
import { Glob, type GlobProgress } from '../model/glob.js';
import { agree, some } from '../model/words.js';
import type { Span } from '../yaml/source.js';
import { quoted, unsafe } from '../yaml/text.js';
import type { Diagnostics } from './diagnostics.js';
import { statOf } from './files.js';
import { limits } from './limits.js';

/** One item of `include`, variables replaced. */
export interface IncludeItem {
  readonly pattern: string;
  readonly span: Span;
}

/** What messages call a list of paths and its files. */
export interface PathWords {
  readonly setting: string;
  readonly example: string;
  readonly file: string;
  /** What cannot be done with a file that is refused. */
  readonly done: 'included' | 'read';
}

const includeWords: PathWords = {
  setting: 'include',
  example: 'teams/*.yaml',
  file: 'a manifest',
  done: 'included',
};

export interface Included {
  readonly paths: ReadonlyMap<string, Span>;
  /** False when there may be more, which is reported. */
  readonly complete: boolean;
}

/**
 * The files that the items name, each once, with the item that named it first. Paths are relative to `root`, with
 * `/`, in code-unit order, so that the order of files never depends on the machine.
 */
export function expandInclude(
  items: readonly IncludeItem[],
  root: string,
  diagnostics: Diagnostics,
  words: PathWords = includeWords,
): Included {
  const { errors } = diagnostics;
  const over = items[limits.includes];
  if (over !== undefined) {
    const message = `\`${words.setting}\` contains more than ${limits.includes} items`;
    const help = `Use globs such as \`${words.example}\`, which match many files.`;
    diagnostics.error('limit-exceeded', over.span, message, { help });
  }
  const found = new IncludedFiles(root, words, diagnostics).of(items.slice(0, limits.includes));
  const paths = new Map([...found].sort(([a], [b]) => (a < b ? -1 : 1)));
  return { paths, complete: diagnostics.errors === errors };
}

class IncludedFiles {
  private readonly folders: Folders;
  /** Files that the glob of an item almost matches. */
  private readonly near = new Map<IncludeItem, readonly string[]>();

  constructor(
    root: string,
    private readonly words: PathWords,
    private readonly diagnostics: Diagnostics,
  ) {
    this.folders = new Folders(root);
  }

  of(items: readonly IncludeItem[]): ReadonlyMap<string, Span> {
    const found = new Map<string, Span>();
    for (const item of items) {
      const { pattern, span } = item;
      const invalid = invalidPattern(pattern, this.words);
      if (invalid !== null)
        this.diagnostics.error(invalid.code, span, invalid.message, { help: invalid.help });
      else
        for (const path of this.pathsOf(item))
          if (this.isManifestName(path, span) && !found.has(path)) found.set(path, span);
      if (this.folders.exhausted) break;
    }
    for (const [item, paths] of this.near)
      this.reportNear(
        item,
        paths.filter((path) => !found.has(path)),
      );
    return found;
  }

  private pathsOf(item: IncludeItem): string[] {
    const { pattern, span } = item;
    const glob = this.folders.globOf(pattern);
    if (glob.isLiteral) return [posix.normalize(pattern)];
    const { paths, links, near } = this.folders.matching(glob, this.folders.globOf(alike(pattern)));
    if (this.folders.exhausted) {
      const message = `the patterns search more than ${limits.listed} files and folders, or take too many steps`;
      const help = 'Use fewer patterns, or patterns that name the folders to search.';
      this.diagnostics.error('limit-exceeded', span, message, { help });
      return [];
    }
    if (near.length > 0) this.near.set(item, near);
    for (const link of [...links].sort()) this.reportLink(link, span);
    if (paths.length + links.size === 0)
      this.diagnostics.warning('unreadable-file', span, `no file matches ${quoted(pattern)}`);
    return paths.filter((path) => this.isVisible(path, span) && !isUnder(links, path));
  }

  private isVisible(path: string, span: Span): boolean {
    const invisible = unsafe(path, 'line');
    if (invisible !== null)
      this.diagnostics.error('unsafe-text', span, `the file name ${quoted(path)} contains ${invisible}`);
    return invisible === null;
  }

  /**
   * Errors show lines of the files that they are about. So only files that are meant to be manifests are read, never
   * those that may contain secrets, such as `.git/config` or `.env`.
   */
  private isManifestName(path: string, span: Span): boolean {
    const isHidden = path.split('/').some((name) => name.startsWith('.'));
    if (!isHidden && /\.ya?ml$/.test(path)) return true;
    const why = isHidden
      ? 'no name in its path may begin with a dot'
      : `the name of ${this.words.file} must end in \`.yaml\` or \`.yml\``;
    const [folder] = this.words.example.split('/');
    const help = `For example: \`${folder}/retail.yaml\`, or \`${this.words.example}\` for all files in a folder.`;
    this.diagnostics.error('unreadable-file', span, `${quoted(path)} cannot be ${this.words.done}: ${why}`, {
      help,
    });
    return false;
  }

  /** The file that has the pattern is in the same folder as its globs start in, and no part of what they mean. */
  private reportNear({ pattern, span }: IncludeItem, paths: readonly string[]): void {
    const own = posix.basename(span.source.file);
    const shown = paths.filter((path) => path !== own && unsafe(path, 'line') === null).sort();
    if (shown.length === 0) return;
    const names = some(shown.map(quoted), MOST_NAMED);
    const message = `${names} ${agree(shown.length, 'is', 'are')} not included: the name differs from ${quoted(pattern)} only in its ending or in upper and lower case`;
    const help = `Rename ${agree(shown.length, 'the file', 'the files')}, or add ${agree(shown.length, 'it', 'them')} to \`${this.words.setting}\`.`;
    this.diagnostics.warning('not-included', span, message, { help });
  }

  private reportLink(link: string, span: Span): void {
    const message = `${quoted(link)} cannot be read: it is a symbolic link to a folder`;
    const help =
      "Only regular files inside the project's folder are read, and this pattern follows the link.";
    this.diagnostics.error('unreadable-file', span, message, { help });
  }
}

function isUnder(links: ReadonlySet<string>, path: string): boolean {
  return path.split('/').some((_, index, names) => links.has(names.slice(0, index + 1).join('/')));
}

/** Whether a path is one of those that an item of `include` means. */
export function includes(pattern: string, path: string): boolean {
  return pattern === path || globOf(pattern).matches(path);
}

/** A pattern as it is matched with paths. Hidden files are no manifests, and hidden folders have none. */
function globOf(pattern: string, spend: (steps: number) => void = () => undefined): Glob {
  return new Glob(posix.normalize(pattern).replace(/\/$/, ''), { hidden: false, spend });
}

/** Files that a warning names. The rest are counted. */
const MOST_NAMED = 5;

/** A pattern or a path, without what is easily mistyped. */
function alike(text: string): string {
  return text.toLowerCase().replaceAll('.yml', '.yaml');
}

/** What a glob matches, the manifests that `near` matches, and the links to folders that it follows. */
interface Matches {
  readonly paths: readonly string[];
  readonly near: readonly string[];
  readonly links: ReadonlySet<string>;
}

/** A folder, relative to the root, and how far a glob has come with its path. */
interface Folder {
  readonly path: string;
  readonly progress: GlobProgress;
}

class Folders {
  private listed = 0;
  private steps = 0;

  constructor(private readonly root: string) {}

  /** True once a limit is passed: nothing more is listed. */
  get exhausted(): boolean {
    return this.listed > limits.listed || this.steps > limits.globSteps;
  }

  /** All globs that are made here share one limit of steps. */
  globOf(pattern: string): Glob {
    return globOf(pattern, (steps) => {
      this.steps += steps;
    });
  }

  /**
   * The paths that match. Only folders are listed that may hold one, and none through a link: that is noted.
   * @param alikeGlob matches paths that are `alike`.
   */
  matching(glob: Glob, alikeGlob: Glob): Matches {
    const paths: string[] = [];
    const near: string[] = [];
    const links = new Set<string>();
    const base = glob.opening.slice(0, glob.opening.lastIndexOf('/') + 1);
    const link = this.linkIn(base);
    if (link !== null) return { paths, near, links: links.add(link) };
    const folders: Folder[] = [{ path: base, progress: glob.advance(glob.start(), base) }];
    for (let folder = folders.pop(); folder !== undefined && !this.exhausted; folder = folders.pop())
      for (const entry of this.list(folder.path)) {
        const path = `${folder.path}${entry.name}`;
        const progress = glob.advance(folder.progress, entry.name);
        // Links, pipes and devices count as files: what matches is then refused by name, not skipped.
        if (!entry.isDirectory() && glob.isWhole(progress)) paths.push(path);
        else if (entry.isFile() && /\.ya?ml$/i.test(path) && alikeGlob.matches(alike(path))) near.push(path);
        const inside = glob.advance(progress, '/');
        if (inside.places.length === 0) continue;
        if (entry.isDirectory()) folders.push({ path: `${path}/`, progress: inside });
        else if (entry.isSymbolicLink() && leadsToFolder(join(this.root, path))) links.add(path);
      }
    return { paths, near, links };
  }

  /** The first link on the way to a folder; null for none. */
  private linkIn(folder: string): string | null {
    const names = folder.split('/').slice(0, -1);
    const places = names.map((_, index) => names.slice(0, index + 1));
    const link = places.find((place) => statOf(join(this.root, ...place))?.isSymbolicLink());
    return link === undefined ? null : link.join('/');
  }

  /** Nothing for a folder that cannot be read. */
  private list(path: string): readonly Dirent[] {
    try {
      const entries = readdirSync(join(this.root, path), { withFileTypes: true });
      this.listed += 1 + entries.length;
      return entries;
    } catch (error) {
      if (errnoOf(error) === undefined) throw error;
      return [];
    }
  }
}

function leadsToFolder(link: string): boolean {
  try {
    return statSync(link).isDirectory();
  } catch (error) {
    // A link that leads nowhere, in a circle or to a forbidden place is not a folder.
    if (errnoOf(error) === undefined) throw error;
    return false;
  }
}

interface InvalidPattern {
  readonly code: 'unreadable-file' | 'unsafe-text';
  readonly message: string;
  readonly help?: string;
}

function invalidPattern(pattern: string, { example }: PathWords): InvalidPattern | null {
  const code = 'unreadable-file';
  const help = `Use a path or glob relative to \`roster.yaml\`, with \`/\`, such as \`${example}\`.`;
  if (unsafe(pattern, 'line') !== null)
    return { code: 'unsafe-text', message: 'the path contains an invisible character' };
  if (pattern.startsWith('/') || /^[A-Za-z]:/.test(pattern))
    return { code, message: 'absolute paths cannot be included', help };
  if (pattern.includes('\\')) return { code, message: 'paths must not contain backslashes', help };
  if (pattern.startsWith('!')) return { code, message: 'patterns cannot be negated', help };
  if (/(?:^|[/{,(])\.\.(?:$|[/},)])/.test(pattern))
    return { code, message: "paths must not leave the project's folder", help };
  return null;
}
