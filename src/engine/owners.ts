import { dirname, join, relative, resolve, sep } from 'node:path';
import { readRegular } from '../files/atomic.js';
import { statOf } from '../manifest/files.js';
import { type Diagnostic, Problem } from '../model/diagnostic.js';
import { Glob } from '../model/glob.js';
import type { Difference } from '../model/plan.js';
import type { Address, Project } from '../model/resource.js';
import { count } from '../model/words.js';

/** Which host reads the file: they understand some lines differently. */
type OwnersHost = 'github' | 'gitlab';

interface OwnersRule {
  readonly glob: Glob;
  readonly owners: readonly string[];
  /** GitLab: owners of one section do not replace those of another. */
  readonly section: string;
  /** GitLab: `!path` takes a path out of its section. */
  readonly isExclusion: boolean;
}

/** Whoever writes the file decides what reading it costs, so of a file that costs more than this, no owners are known. */
const MOST_BYTES = 3 * 1024 * 1024;
const MOST_RULES = 10_000;
const LONGEST_LINE = 1_000;
/** Of about 30 ns, for all files of a plan. */
const MOST_STEPS = 50_000_000;
/** Besides those of its glob, of each rule that is compared with a path. */
const RULE_STEPS = 5;

/** In the order in which GitHub looks for it; then where only GitLab does. */
const places = ['.github/CODEOWNERS', 'CODEOWNERS', 'docs/CODEOWNERS', '.gitlab/CODEOWNERS'];

/** The owners of changes and resources, as far as they are known. */
export interface ChangeOwners {
  readonly byAddress: ReadonlyMap<Address, readonly string[]>;
  /** Whoever writes CODEOWNERS could hide who owns something: that some are not known. */
  readonly warnings: readonly Diagnostic[];
}

/**
 * The owners of each acting change: those of the file that declares it, or declared it at the last apply, as CODEOWNERS of the
 * repository says. None where there is no such file.
 */
export function ownersOfChanges(
  changes: readonly Pick<Difference, 'address' | 'action' | 'source' | 'formerFile'>[],
  root: string,
  cwd: string,
): ChangeOwners {
  const acting = changes.filter(({ action }) => action !== 'none');
  const declared = acting.map(({ address, source, formerFile }) => ({
    address,
    file: source?.file ?? formerFile,
  }));
  return ownersOf(declared, { root, cwd, noun: 'change' });
}

/** A resource, with the file that declares it, or declared it at the last apply. */
interface OwnedFile {
  readonly address: Address;
  readonly file: string | undefined;
}

interface OwnersContext {
  readonly root: string;
  /** Paths of files are relative to it. */
  readonly cwd: string;
  /** What they are, for messages. */
  readonly noun: string;
}

/** The owners of resources: those of their files. None where there is no CODEOWNERS. */
function ownersOf(all: readonly OwnedFile[], { root, cwd, noun }: OwnersContext): ChangeOwners {
  const byAddress = new Map<Address, readonly string[]>();
  const owners = ownersIn(root);
  if (owners === null) return { byAddress, warnings: [] };
  let unknown = 0;
  for (const { address, file } of all) {
    const found = file === undefined ? [] : owners.of(resolve(cwd, file));
    if (found === null) unknown += 1;
    else byAddress.set(address, found);
  }
  if (unknown === 0) return { byAddress, warnings: [] };
  const found = unknownOwnersOf(owners, `the owners of ${count(unknown, noun)}`);
  return { byAddress, warnings: [{ ...found, severity: 'warning' }] };
}

/** Items with the owners of their files. Unchanged where there is no CODEOWNERS. */
export function withOwners<T extends { readonly address: Address }>(
  items: readonly T[],
  fileOf: (item: T) => string | undefined,
  { project, cwd }: { readonly project: Pick<Project, 'root'>; readonly cwd: string },
  noun: string,
): { readonly items: readonly T[]; readonly warnings: readonly Diagnostic[] } {
  const files = new Map(items.map((each) => [each.address, fileOf(each)]));
  const declared = [...files].map(([address, file]) => ({ address, file }));
  const { byAddress, warnings } = ownersOf(declared, { root: project.root, cwd, noun });
  if (byAddress.size === 0) return { items, warnings };
  return { items: items.map((each) => ({ ...each, owners: byAddress.get(each.address) })), warnings };
}

/** The file of each entry, by its address, for `withOwners`. */
export function declaringFiles({
  entries,
}: Pick<Project, 'entries'>): (item: { readonly address: Address }) => string | undefined {
  const files = new Map(entries.map(({ address, source }) => [address, source.file]));
  return ({ address }) => files.get(address);
}

/** An error, where something rests on them. */
export function unknownOwnersOf({ file, whyNot }: Owners, whose: string): Diagnostic {
  const message = `${whose} are not known: ${file} ${whyNot}`;
  const help = 'Use fewer and simpler rules in that file. If a pull request has changed it, review why.';
  return { severity: 'error', code: 'unknown-owners', message, help };
}

interface Owners {
  /** From the root of the repository. */
  readonly file: string;
  /** The owners of a file, by its absolute path; null where they are not known. */
  of(file: string): readonly string[] | null;
  /** Why some are not known. */
  readonly whyNot: string;
}

/** Null without CODEOWNERS. */
export function ownersIn(folder: string): Owners | null {
  const root = repositoryOf(folder);
  if (root === null) return null;
  const file = places.find((each) => statOf(join(root, each))?.isFile() === true);
  if (file === undefined) return null;
  const unknown = (whyNot: string) => ({ file, of: () => null, whyNot });
  const path = join(root, file);
  if ((statOf(path)?.size ?? 0) > MOST_BYTES) return unknown(`is larger than ${MOST_BYTES} bytes`);
  const text = textOf(path);
  if (text === null) return unknown('cannot be read');
  let left = MOST_STEPS;
  const spend = (steps: number) => {
    left -= steps + RULE_STEPS;
  };
  const rules = new OwnersReader(hostOf(root, file, text), spend).read(text);
  if (rules.length > MOST_RULES) return unknown(`has more than ${MOST_RULES} rules`);
  const known = new Map<string, readonly string[] | null>();
  return {
    file,
    of(owned) {
      const name = relative(root, owned).split(sep).join('/');
      const seen = known.get(name);
      if (seen !== undefined) return seen;
      const found = ownersByRules(name, rules, () => left < 0);
      known.set(name, found);
      return found;
    },
    whyNot: 'has patterns that take too long to compare with the files of the plan',
  };
}

/** Null for a file that cannot be read: that nobody is named is no reason to have no plan. */
function textOf(path: string): string | null {
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
  const hasSections = text.split('\n').some((line) => /^\^?\[[^\]]+\]/.test(line));
  if (place.startsWith('.gitlab/') || hasSections) return 'gitlab';
  return statOf(join(root, '.gitlab-ci.yml')) === null ? 'github' : 'gitlab';
}

/** Of each section, the last line that matches; null once that costs too much. */
function ownersByRules(
  path: string,
  rules: readonly OwnersRule[],
  isTooMuch: () => boolean,
): readonly string[] | null {
  const bySection = new Map<string, readonly string[]>();
  const excluded = new Set<string>();
  for (const { glob, owners, section, isExclusion } of rules) {
    if (isTooMuch()) return null;
    if (excluded.has(section) || !glob.matches(path)) continue;
    if (isExclusion) excluded.add(section);
    bySection.set(section, isExclusion ? [] : owners);
  }
  return [...new Set([...bySection.values()].flat())];
}

interface OwnersSection {
  readonly name: string;
  readonly owners: readonly string[];
}

/** Reads a file of GitHub or GitLab. What the host does not understand is left out, as it does. */
class OwnersReader {
  constructor(
    private readonly host: OwnersHost,
    private readonly spend: (steps: number) => void,
  ) {}

  /** At most one rule more than are allowed. */
  read(text: string): readonly OwnersRule[] {
    const rules: OwnersRule[] = [];
    let section: OwnersSection = { name: '', owners: [] };
    for (const raw of text.split(/\r?\n/)) {
      const line = raw.trim();
      if (rules.length > MOST_RULES) break;
      if (line === '' || line.startsWith('#') || line.length > LONGEST_LINE) continue;
      const heading = this.host === 'gitlab' ? /^\^?\[([^\]]+)\](?:\[\d+\])?(.*)$/.exec(line) : null;
      if (heading === null) rules.push(...this.ruleOf(line, section));
      else {
        const [, name = '', rest = ''] = heading;
        const owners = wordsBeforeComment(rest.split(/\s+/)).filter((each) => this.isOwner(each));
        section = { name: name.trim().toLowerCase(), owners };
      }
    }
    return rules;
  }

  private ruleOf(line: string, section: OwnersSection): OwnersRule[] {
    // A space may be in a path, behind a backslash.
    const [written = '', ...rest] = line.match(/(?:\\.|\S)+/g) ?? [];
    const isExclusion = this.host === 'gitlab' && written.startsWith('!');
    const glob = this.globOf((isExclusion ? written.slice(1) : written).replace(/\\(.)/g, '$1'));
    const words = wordsBeforeComment(rest);
    const own = words.filter((each) => this.isOwner(each));
    // GitHub skips a line with anything that is no owner.
    if (glob === null || (this.host === 'github' && own.length < words.length)) return [];
    return [{ glob, owners: own.length === 0 ? section.owners : own, section: section.name, isExclusion }];
  }

  /** `@user`, `@group/team`, an address, or a role of GitLab: `@@maintainer`. */
  private isOwner(word: string): boolean {
    const [before, name, role, ...more] = word.split('@');
    if (name === undefined || more.length > 0) return false;
    if (role === undefined) return name !== '';
    return this.host === 'gitlab' && before === '' && name === '' && role !== '';
  }

  /** Null for a pattern that these files do not have. */
  private globOf(pattern: string): Glob | null {
    const names = pattern.split('/').filter((each) => each !== '');
    if (names.length === 0 || /^!|[[\]]/.test(pattern)) return null;
    const isOfGitHub = this.host === 'github';
    // GitHub anchors what has a slash before its end; GitLab only what begins with one.
    const isAnchored = pattern.startsWith('/') || (isOfGitHub && pattern.slice(0, -1).includes('/'));
    const base = `${isAnchored ? '' : '**/'}${names.join('/').replace(/[{}\\]/g, '\\$&')}`;
    // A folder owns what is in it. `docs/*` means the files of the folder alone.
    const isFolder = pattern.endsWith('/');
    const isOfFiles = isAnchored && names.at(-1)?.endsWith('*') === true;
    const inside = isFolder ? '/**' : isOfGitHub && !isOfFiles ? '{,/**}' : '';
    return new Glob(base + inside, { spend: this.spend });
  }
}

function wordsBeforeComment(words: readonly string[]): readonly string[] {
  const end = words.findIndex((each) => each.startsWith('#'));
  return end === -1 ? words : words.slice(0, end);
}
