import { dirname, join, relative, resolve, sep } from 'node:path';
import picomatch from 'picomatch';
import { readRegular } from '../files/atomic.js';
import { statOf } from '../manifest/files.js';
import { limits } from '../manifest/limits.js';
import { Problem } from '../model/diagnostic.js';
import type { Plan } from '../model/plan.js';

/** Which host reads the file: they understand some lines differently. */
type OwnersHost = 'github' | 'gitlab';

interface OwnersRule {
  readonly matches: (path: string) => boolean;
  readonly owners: readonly string[];
  /** GitLab: owners of one section do not replace those of another. */
  readonly section: string;
  /** GitLab: `!path` takes a path out of its section. */
  readonly isExclusion: boolean;
}

/** As GitHub. Whoever writes the file decides what reading it costs. */
const MOST_BYTES = 3 * 1024 * 1024;
const MOST_RULES = 3_000;
const LONGEST_LINE = 1_000;

/** In the order in which GitHub looks for it; then where only GitLab does. */
const places = ['.github/CODEOWNERS', 'CODEOWNERS', 'docs/CODEOWNERS', '.gitlab/CODEOWNERS'];

/**
 * The plan with the owners of each change: those of the file that declares it, as CODEOWNERS of the repository says. The plan
 * as it is where there is no such file. Owners are no part of the digest.
 */
export function withOwners(plan: Plan, root: string, cwd: string): Plan {
  const owners = ownersIn(root);
  if (owners === null) return plan;
  const changes = plan.changes.map((change) => {
    if (change.action === 'none') return change;
    const { source } = change;
    return { owners: source === null ? [] : owners(resolve(cwd, source.file)), ...change };
  });
  return { ...plan, changes };
}

/** The owners of a file, by its absolute path; null without CODEOWNERS. */
export function ownersIn(folder: string): ((file: string) => readonly string[]) | null {
  const root = repositoryOf(folder);
  if (root === null) return null;
  const place = places.find((each) => statOf(join(root, each))?.isFile() === true);
  if (place === undefined) return null;
  const text = textOf(join(root, place));
  if (text === null) return null;
  const rules = readOwners(text, hostOf(root, place, text));
  const known = new Map<string, readonly string[]>();
  return (file) => {
    const path = relative(root, file).split(sep).join('/');
    const found = known.get(path) ?? ownersOf(path, rules);
    known.set(path, found);
    return found;
  };
}

/** Null for a file that cannot be read: that nobody is named is no reason to have no plan. */
function textOf(path: string): string | null {
  if ((statOf(path)?.size ?? 0) > MOST_BYTES) return null;
  try {
    return readRegular(path, path);
  } catch (failure) {
    if (failure instanceof Problem) return null;
    throw failure;
  }
}

function repositoryOf(folder: string): string | null {
  for (let each = resolve(folder); ; each = dirname(each)) {
    if (statOf(join(each, '.git')) !== null) return each;
    if (each === dirname(each)) return null;
  }
}

function hostOf(root: string, place: string, text: string): OwnersHost {
  if (place.startsWith('.github/')) return 'github';
  if (place.startsWith('.gitlab/') || /^\^?\[[^\]\n]+\]/m.test(text)) return 'gitlab';
  return statOf(join(root, '.gitlab-ci.yml')) === null ? 'github' : 'gitlab';
}

/** Of each section, the last line that matches. */
function ownersOf(path: string, rules: readonly OwnersRule[]): readonly string[] {
  const bySection = new Map<string, readonly string[]>();
  const excluded = new Set<string>();
  for (const { matches, owners, section, isExclusion } of rules) {
    if (excluded.has(section) || !matches(path)) continue;
    if (isExclusion) excluded.add(section);
    bySection.set(section, isExclusion ? [] : owners);
  }
  return [...new Set([...bySection.values()].flat())];
}

/** The rules of a file of GitHub or GitLab. What neither understands is left out, as they do. */
function readOwners(text: string, host: OwnersHost): readonly OwnersRule[] {
  const rules: OwnersRule[] = [];
  let section = { name: '', owners: [] as readonly string[] };
  for (const raw of text.split(/\r?\n/)) {
    const line = raw.trim();
    if (rules.length >= MOST_RULES) break;
    if (line === '' || line.startsWith('#') || line.length > LONGEST_LINE) continue;
    const heading = host === 'gitlab' ? /^\^?\[([^\]]+)\](?:\[\d+\])?(.*)$/.exec(line) : null;
    if (heading !== null) {
      const [, name = '', rest = ''] = heading;
      section = { name: name.trim().toLowerCase(), owners: ownersNamed(rest.split(/\s+/)) };
      continue;
    }
    rules.push(...ruleOf(line, section, host));
  }
  return rules;
}

function ruleOf(
  line: string,
  section: { readonly name: string; readonly owners: readonly string[] },
  host: OwnersHost,
): OwnersRule[] {
  // A space may be in a path, behind a backslash.
  const [written = '', ...rest] = line.match(/(?:\\.|\S)+/g) ?? [];
  const isExclusion = host === 'gitlab' && written.startsWith('!');
  const matches = matcherOf((isExclusion ? written.slice(1) : written).replace(/\\(.)/g, '$1'), host);
  if (matches === null) return [];
  const own = ownersNamed(rest);
  const owners = own.length === 0 ? section.owners : own;
  return [{ matches, owners, section: section.name, isExclusion }];
}

/** `@user`, `@group/team` or an address. A comment ends them. */
function ownersNamed(words: readonly string[]): readonly string[] {
  const end = words.findIndex((each) => each.startsWith('#'));
  return (end === -1 ? words : words.slice(0, end)).filter(
    (each) => /^@?[^@\s]*@?[^@\s]+$/.test(each) && each.includes('@'),
  );
}

/** Null for a pattern that costs too much to match, or that these files do not have. */
function matcherOf(pattern: string, host: OwnersHost): ((path: string) => boolean) | null {
  if (pattern === '' || /[[\]{}()!]/.test(pattern)) return null;
  const names = pattern.split('/').filter((each) => each !== '');
  const isCostly = names.some(
    (each) => each !== '**' && each.split('*').length > limits.globWildcardsPerSegment + 1,
  );
  const doubles = names.filter((each) => each === '**').length;
  if (isCostly || doubles > limits.globDoubleStars || names.length === 0) return null;
  // GitHub anchors what has a slash before its end; GitLab only what begins with one.
  const isAnchored = pattern.startsWith('/') || (host === 'github' && pattern.slice(0, -1).includes('/'));
  const base = `${isAnchored ? '' : '**/'}${names.join('/')}`;
  // A folder owns what is in it. `docs/*` means the files of the folder alone.
  const isFolder = pattern.endsWith('/');
  const isOfFiles = isAnchored && names.at(-1)?.endsWith('*') === true;
  const mayBeFolder = host === 'github' && !isOfFiles;
  const globs = isFolder ? [`${base}/**`] : mayBeFolder ? [base, `${base}/**`] : [base];
  return picomatch(globs, { dot: true, noextglob: true, nobrace: true, nonegate: true });
}
