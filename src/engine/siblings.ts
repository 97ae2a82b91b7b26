import { basename, dirname, join, posix, relative, resolve, sep } from 'node:path';
import { checkOwner, parse } from '../inventory/format.js';
import { GitFailure } from '../inventory/git.js';
import { readInventoryBranches, readInventoryFile } from '../inventory/other-inventories.js';
import {
  isRealPath,
  literal,
  NoRepository,
  nameIn,
  namePattern,
  type TrackedFile,
  trackedFiles,
  type WorkTree,
} from '../inventory/work-tree.js';
import { includes } from '../manifest/include.js';
import { type OtherProject, readOtherProject } from '../manifest/other-project.js';
import { Problem } from '../model/diagnostic.js';
import { emptyInventory, type Inventory, isSamePlace } from '../model/inventory.js';
import type { InventorySetting, Project, ProjectSettings } from '../model/resource.js';
import {
  type ClashingProject,
  noSiblings,
  type Sibling,
  type Siblings,
  siblingName,
  type UnreadSibling,
} from '../model/sibling.js';
import { type ProjectOptions, readProject } from './project.js';
import { serviceName } from './service-choice.js';

/** Project files that are read. With more, nothing is deleted. */
const MOST_PROJECTS = 200;

interface SiblingOptions {
  readonly project: Project;
  /** Absolute paths of the files of the project, the project file first. */
  readonly paths: readonly string[];
  /** Those of the run: for the working directory and the clock. Siblings get none of its environment and variables. */
  readonly options: ProjectOptions;
  readonly open: () => Promise<WorkTree>;
  /** As plans name it. */
  readonly service: string;
  /** Inventories of a snapshot, in place of those that are not files: nothing is fetched. Missing without a snapshot. */
  readonly saved?: readonly Inventory[];
  /** The URL of this project's manifest, where another one has won over it: the same holds for siblings. */
  readonly overridden: string | null;
}

/** `declared`: what they declare matters, because something may be deleted. */
export type ReadSiblings = (wanted: { readonly declared: boolean }) => Promise<Siblings>;

/**
 * Finds the other projects of the repository: project files that git tracks in the same work tree, with the inventories
 * that these name. All of it is data from people who may not be trusted: it is read within the limits of every project,
 * nothing of this process is handed to it, and nothing in it is run. Without a repository there are no siblings.
 */
export function siblingReader(about: SiblingOptions): ReadSiblings {
  const [file] = about.paths;
  const reader = file === undefined ? null : new SiblingReader(about, file);
  return async (wanted) => reader?.read(wanted.declared) ?? noSiblings;
}

/** A project file in one environment. */
interface SiblingCandidate extends Pick<Sibling, 'project' | 'environment' | 'file'> {
  /** Absolute. */
  readonly path: string;
  readonly settings: ProjectSettings;
  /** It may be about this service, although no apply has said so yet. */
  readonly mayBeHere: boolean;
}

class SiblingReader {
  private found: Promise<FoundProjects> | null = null;
  /** Manifests do not change during a run. By path and environment; null with errors. */
  private readonly declared = new Map<string, Project | null>();

  constructor(
    private readonly about: SiblingOptions,
    private readonly file: string,
  ) {}

  async read(withDeclared: boolean): Promise<Siblings> {
    try {
      this.found ??= this.find();
      const { tree, candidates, ...found } = await this.found;
      if (tree === null || candidates.length === 0) return { ...noSiblings, ...found };
      return this.siblings(tree, candidates, found, withDeclared);
    } catch (failure) {
      const reason = gitReason(failure);
      return reason === null ? noSiblings : { ...noSiblings, unknown: reason };
    }
  }

  private async find(): Promise<FoundProjects> {
    const tree = await this.about.open();
    const own = nameIn(tree.top, this.file);
    const files = (await trackedFiles(tree, patternsFor(own))).filter(({ path }) => path !== own);
    if (files.length === 0) return { tree: null, ...none };
    const parts = new Set(this.about.paths.map((path) => nameIn(tree.top, path)));
    const others = files.filter(({ path }) => !parts.has(path));
    const projects = others.slice(0, MOST_PROJECTS).flatMap((each) => this.projectIn(tree, each, own));
    const read = projects
      .filter((each) => !projects.some((project) => isPart(each, project)))
      .map((each) => this.partsOf(tree, each));
    const many: UnreadSibling[] =
      others.length <= MOST_PROJECTS
        ? []
        : [{ project: '', file: '', reason: `there are more than ${MOST_PROJECTS} project files` }];
    return {
      tree,
      candidates: read.flatMap(({ candidates }) => candidates),
      unread: [...read.flatMap(({ unread }) => unread), ...many],
      clashing: read.flatMap(({ clashing }) => clashing),
    };
  }

  /** A file of another name is a project only if it says so: it may be any file. */
  private projectIn(tree: WorkTree, { path, isRegular }: TrackedFile, own: string): ProjectFile[] {
    const absolute = join(tree.top, path);
    if (!isRegular || !isRealPath(dirname(absolute))) return [];
    const other = readOtherProject(absolute, this.about.options.cwd);
    const isNamedSo = basename(path) === 'roster.yaml' || basename(path) === basename(own);
    if (other === null || (!isNamedSo && other.name === null)) return [];
    return [{ path, other }];
  }

  private partsOf(tree: WorkTree, { path, other }: ProjectFile): Omit<FoundProjects, 'tree'> {
    const absolute = join(tree.top, path);
    const file = this.shown(absolute);
    const project = other.name ?? basename(dirname(path));
    const faulty = this.relevant(other).filter(({ settings }) => settings === null);
    if (other.name === this.about.project.name) {
      const mayBeHere = other.variants.some(
        ({ environment, settings }) => settings !== null && this.mayBeHere(other, environment, settings),
      );
      const isClash = mayBeHere || faulty.length > 0;
      return isClash ? { ...none, clashing: [{ file, clash: 'has the name of this project' }] } : none;
    }
    const unread = faulty.slice(0, 1).map(({ problem }) => ({
      project,
      file,
      reason: `its project file cannot be read: ${problem}`,
    }));
    const candidates = other.variants.flatMap(({ environment, settings }) => {
      if (settings === null) return [];
      const mayBeHere = this.mayBeHere(other, environment, settings);
      return [{ project, environment, file, path: absolute, settings, mayBeHere }];
    });
    return { candidates, unread, clashing: [] };
  }

  /** Where there are environments, the settings of the project itself are often not complete. */
  private relevant({ variants }: OtherProject): OtherProject['variants'] {
    const named = variants.filter(({ environment }) => environment !== null);
    const same = named.filter(({ environment }) => environment === this.about.project.environment);
    return same.length > 0 ? same : named.length > 0 ? named : variants;
  }

  /** As far as manifests say: in which environment, and for which service, it would be applied beside this project. */
  private mayBeHere(other: OtherProject, environment: string | null, { url }: ProjectSettings): boolean {
    const { service, overridden, project } = this.about;
    const isMeant = this.relevant(other).some((each) => each.environment === environment);
    const isUnselected = environment === null && project.environment === null;
    if (!isMeant && !isUnselected) return false;
    if (url === null) return true;
    const declared = URL.canParse(url) ? serviceName(new URL(url)) : null;
    return declared !== null && (declared === service || declared === overridden);
  }

  private async siblings(
    tree: WorkTree,
    candidates: readonly SiblingCandidate[],
    { unread, clashing }: Omit<FoundProjects, 'tree' | 'candidates'>,
    withDeclared: boolean,
  ): Promise<Siblings> {
    const inventories = await this.inventoriesOf(tree, candidates);
    const known: Sibling[] = [];
    const more: UnreadSibling[] = [];
    const clashes: ClashingProject[] = [];
    for (const each of candidates) {
      const read = inventories.get(each);
      // It says that it belongs to another project, or this one has it: a file that names it makes no sibling.
      if (read === undefined || 'owner' in read) {
        const clash =
          read === undefined
            ? 'names the inventory of this project'
            : `is called ${siblingName(each)}, but its inventory belongs to ${read.owner}`;
        if (each.mayBeHere) clashes.push({ file: each.file, clash });
        continue;
      }
      if ('reason' in read) {
        if (each.mayBeHere) more.push(unreadOf(each, read.reason));
        continue;
      }
      const isHere = read.service === null ? each.mayBeHere : read.service === this.about.service;
      if (!isHere) continue;
      const { project, environment, file } = each;
      const declares = withDeclared ? this.declaredBy(each) : null;
      if (withDeclared && declares === null) more.push(unreadOf(each, 'its manifests have errors'));
      known.push({ project, environment, file, inventory: read, declares });
    }
    return { known, unread: [...unread, ...more], clashing: [...clashing, ...clashes], unknown: null };
  }

  private async inventoriesOf(
    tree: WorkTree,
    candidates: readonly SiblingCandidate[],
  ): Promise<ReadonlyMap<SiblingCandidate, InventoryRead>> {
    const isOwn = (each: SiblingCandidate) =>
      isSamePlace(placeIn(dirname(each.path), each.settings.inventory), this.ownPlace());
    const others = candidates.filter((each) => !isOwn(each));
    const branches = new Map<string, Promise<BranchesRead>>();
    const texts = others.map(async (each) => {
      const { inventory } = each.settings;
      if ('file' in inventory) return [each, fileRead(each, inventory.file)] as const;
      if (this.about.saved !== undefined) return [each, savedFor(each, this.about.saved)] as const;
      const { remote, ref } = inventory.git;
      const refs = others.flatMap(({ settings: { inventory: its } }) =>
        'git' in its && its.git.remote === remote ? [its.git.ref] : [],
      );
      const asked = branches.get(remote) ?? this.branchesOf(tree, remote, [...new Set(refs)]);
      branches.set(remote, asked);
      const read = await asked;
      return [each, 'reason' in read ? read : inventoryIn(read.texts.get(ref) ?? null, each, ref)] as const;
    });
    return new Map(await Promise.all(texts));
  }

  private async branchesOf(tree: WorkTree, remote: string, refs: readonly string[]): Promise<BranchesRead> {
    const { inventory } = this.about.project;
    const ownRemote = 'git' in inventory ? inventory.git.remote : null;
    const home = this.about.options.env['HOME'];
    try {
      return { texts: await readInventoryBranches(tree, { remote, refs, ownRemote, home }) };
    } catch (failure) {
      const names = refs.map((ref) => ref.replace(/^refs\/heads\//, '')).join(', ');
      return { reason: `the inventory ${names} of ${remote} cannot be read: ${reasonOf(failure)}` };
    }
  }

  private ownPlace(): InventorySetting {
    return placeIn(this.about.project.root, this.about.project.inventory);
  }

  private declaredBy({ path, environment }: SiblingCandidate): Project | null {
    const key = JSON.stringify([path, environment]);
    const known = this.declared.get(key);
    if (known !== undefined) return known;
    const { options } = this.about;
    const { project } = readProject({
      cwd: options.cwd,
      file: path,
      env: {},
      environment: environment ?? '',
      allowMissingEnv: true,
      now: options.now,
    });
    this.declared.set(key, project);
    return project;
  }

  /** As the manifests of this project are shown. */
  private shown(absolute: string): string {
    const path = relative(this.about.options.cwd, absolute);
    return (path.length > absolute.length ? absolute : path).split(sep).join('/');
  }
}

interface FoundProjects {
  /** Null where git tracks no other project file. */
  readonly tree: WorkTree | null;
  readonly candidates: readonly SiblingCandidate[];
  readonly unread: readonly UnreadSibling[];
  readonly clashing: readonly ClashingProject[];
}

const none: Omit<FoundProjects, 'tree'> = { candidates: [], unread: [], clashing: [] };

interface ProjectFile {
  /** In the work tree. */
  readonly path: string;
  readonly other: OtherProject;
}

/** Variables in a pattern are not known here, so it may name any file in the folder of its project. */
function isPart(file: ProjectFile, project: ProjectFile): boolean {
  if (!file.other.mayBePart || project.other.mayBePart) return false;
  const path = posix.relative(posix.dirname(project.path), file.path);
  const isNamed = (pattern: string) => pattern.includes('${') || includes(pattern, path);
  return !path.startsWith('../') && project.other.include.some(isNamed);
}

/** `owner`: the other project that it belongs to. */
type InventoryRead = Inventory | { readonly owner: string } | { readonly reason: string };
type BranchesRead = { readonly texts: ReadonlyMap<string, string | null> } | { readonly reason: string };

/** Project files of the usual name, of the name of this one, and those beside this one. */
function patternsFor(own: string): readonly string[] {
  const slash = own.lastIndexOf('/') + 1;
  const folder = own.slice(0, slash);
  const names = new Set(['roster.yaml', literal(own.slice(slash))]);
  const beside = ['*.yaml', '*.yml'].map((name) => namePattern(name, folder));
  return [...[...names].map((name) => namePattern(name)), ...beside];
}

/** With the absolute path of a file: projects in different folders use the same names. */
function placeIn(root: string, place: InventorySetting): InventorySetting {
  return 'file' in place ? { file: resolve(root, place.file) } : place;
}

function fileRead(candidate: SiblingCandidate, file: string): InventoryRead {
  try {
    const text = readInventoryFile(resolve(dirname(candidate.path), file), `the inventory ${file}`);
    return inventoryIn(text, candidate, file);
  } catch (failure) {
    return { reason: reasonOf(failure) };
  }
}

function inventoryIn(text: string | null, candidate: SiblingCandidate, name: string): InventoryRead {
  const { project, environment } = candidate;
  if (text === null) return emptyInventory(project, environment);
  try {
    const inventory = parse(text, name);
    return isOwner(inventory, name, candidate) ? inventory : { owner: siblingName(inventory) };
  } catch (failure) {
    return { reason: reasonOf(failure) };
  }
}

function savedFor({ project, environment }: SiblingCandidate, saved: readonly Inventory[]): Inventory {
  const found = saved.find((each) => each.project === project && each.environment === environment);
  return found ?? emptyInventory(project, environment);
}

function isOwner(inventory: Inventory, name: string, { project, environment }: SiblingCandidate): boolean {
  try {
    checkOwner(inventory, name, project, environment);
    return true;
  } catch (failure) {
    if (failure instanceof Problem) return false;
    throw failure;
  }
}

function unreadOf(candidate: SiblingCandidate, reason: string): UnreadSibling {
  return { project: siblingName(candidate), file: candidate.file, reason };
}

/** Null outside of a repository. */
function gitReason(failure: unknown): string | null {
  if (failure instanceof NoRepository && failure.outside) return null;
  return reasonOf(failure);
}

function reasonOf(failure: unknown): string {
  if (failure instanceof NoRepository) return failure.reason;
  if (failure instanceof GitFailure) return `git ${failure.command}: ${failure.output}`;
  if (failure instanceof Problem) return failure.diagnostics.map(({ message }) => message).join('; ');
  throw failure;
}
