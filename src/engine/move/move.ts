import { NoRepository, nameIn, openWorkTree } from '../../inventory/work-tree.js';
import { kinds } from '../../kinds/index.js';
import { isEntryKey } from '../../manifest/addresses.js';
import { type Diagnostic, errorsIn, type Place, Problem, problem } from '../../model/diagnostic.js';
import type { Kind } from '../../model/kind.js';
import type { Pulled } from '../../model/pull.js';
import { type Address, addressOf, type Declared } from '../../model/resource.js';
import { wordList } from '../../model/words.js';
import { EditableFile } from '../../yaml/edit.js';
import { applyEdits, type Edited, isObstacle, type Obstacle, textScalar } from '../../yaml/editable.js';
import { placeOf, Source } from '../../yaml/source.js';
import { fileOf, type ProjectOptions } from '../project.js';
import { selectedOf, selectorsOf } from '../selectors.js';
import { differences, MoveSide, type SideRead } from './side.js';

interface MoveOptions {
  /** Addresses and globs. */
  readonly addresses: readonly string[];
  /** The project file that they move to. */
  readonly to: string;
  /** The key of the entry there. Default: its own. */
  readonly as?: string | undefined;
}

/**
 * The files of two projects of one work tree with entries moved from one to the other. The entries keep their text and
 * comments; the old project lists them under `removed`. Both projects are read as they would be, in each environment: what
 * would mean something else is an error. Nothing is written, and nothing is sent.
 * @throws Problem with the place of what cannot be moved.
 */
export async function move(options: ProjectOptions, wanted: MoveOptions): Promise<Pulled> {
  const [from, to] = [new MoveSide(options, fileOf(options)), new MoveSide(options, wanted.to)];
  const top = await commonTop(from, to, options.env);
  return new Mover(from, to, wanted).move(top);
}

interface Moving {
  readonly entry: Declared;
  readonly kind: Kind;
  readonly key: string;
  /** In the other project. */
  readonly address: Address;
}

class Mover {
  private readonly moving: readonly Moving[];

  constructor(
    private readonly from: MoveSide,
    private readonly to: MoveSide,
    wanted: MoveOptions,
  ) {
    this.moving = movingOf(from.entries(), wanted);
  }

  move(top: string): Pulled {
    this.requireSameSettings();
    const errors = [...this.moving.flatMap((each) => this.faults(each)), ...this.staying()];
    if (errors.length > 0) throw new Problem(errors);
    const old = this.withoutEntries();
    const target = this.withEntries();
    this.requireSameMeaning(old, target);
    const changes = [
      ...[...target].map((each) => [this.to, ...each] as const),
      ...[...old].map((each) => [this.from, ...each] as const),
    ];
    const files = changes.map(([side, shown, after]) => ({
      path: nameIn(top, side.pathOf(shown)),
      before: side.texts.get(shown) ?? '',
      after,
    }));
    const file = nameIn(top, this.to.pathOf(this.to.project.file));
    const imported = this.moving.map(({ address, entry }) => ({ address, file, external: entry.external }));
    return { root: top, files, imported, updated: [], include: null, reasons: [], diagnostics: [] };
  }

  /** An entry exists in the environments of its project, on the services of these. */
  private requireSameSettings(): void {
    const { from, to } = this;
    if (from.project.root === to.project.root && from.project.file === to.project.file)
      throw problem('usage', '`--to` names the project that the entries are in');
    const [own, other] = [from, to].map(({ environments }) => [...environments].sort().join());
    if (own !== other) {
      const message = `the two projects have different environments: this one has ${namesOf(from)}, the other has ${namesOf(to)}`;
      throw problem('not-movable', message, 'Declare the same environments in both first.');
    }
    for (const { environment, project } of from.now) {
      const its = to.now.find((each) => each.environment === environment)?.project;
      if (project.url === its?.url) continue;
      const where = environment === null ? '' : ` in the environment ${environment}`;
      const message = `the two projects use different services${where}`;
      throw problem('not-movable', message, 'The object is not on the other service.', project.urlPlace);
    }
  }

  /** What can be said of one entry by itself. */
  private faults({ entry, kind, key, address }: Moving): readonly Diagnostic[] {
    const existing = this.to.entries().get(address);
    if (existing !== undefined)
      return [refused(entry, `${existing.source.file} declares ${address} already`)];
    if (entry.source.each !== undefined)
      return [refused(entry, 'it is one of several that `each` makes of one entry')];
    if (kind.secret !== undefined && kind.secret.deliverTo(entry.declared) !== null)
      return [refused(entry, DELIVERED_HERE, entry.placeOf(['deliver']), MOVE_WITHOUT_DELIVER)];
    if (!isEntryKey(key)) return [refused(entry, `"${key}" is not a valid key`)];
    const { file } = entry.source;
    const text = this.from.texts.get(file) ?? '';
    const taken = editable(text).takeOut(kind.section, entry.key);
    const own = 'obstacle' in taken ? [refusedAt(entry, taken, file, text)] : [];
    return [...own, ...this.references(entry, kind)];
  }

  /** What it refers to moves, too, or is the same object there. */
  private references(entry: Declared, kind: Kind): readonly Diagnostic[] {
    const moved = new Set(this.moving.map((each) => each.entry.address));
    const others = (kind.references?.inEntry(entry.declared) ?? []).filter((each) => !moved.has(each));
    return others.flatMap((address) => {
      const [here, there] = [this.from.entries().get(address), this.to.entries().get(address)];
      if (here !== undefined && there !== undefined && isSameObject(here, there)) return [];
      const why =
        there === undefined
          ? `it refers to ${address}, which stays in this project`
          : `it refers to ${address}, which is another entry in ${there.source.file}`;
      const help = `Move ${address} as well, or declare it there with \`external: true\`.`;
      return [refused(entry, why, entry.placeOf([kind.references?.field ?? '']), help)];
    });
  }

  /** Entries that stay, and refer to one that moves. */
  private staying(): readonly Diagnostic[] {
    const moved = new Set(this.moving.map(({ entry }) => entry.address));
    return [...this.from.entries().values()].flatMap((entry) => {
      const kind = kindOf(entry);
      const needed = (kind.references?.inEntry(entry.declared) ?? []).find((each) => moved.has(each));
      if (needed === undefined || moved.has(entry.address)) return [];
      const why = `it is the target of ${entry.address}, which stays`;
      const place = entry.placeOf([kind.references?.field ?? '']);
      const help = `Move ${entry.address} as well: \`roster move ${needed} ${entry.address} --to …\`.`;
      return [refused({ address: needed, source: entry.source }, why, place, help)];
    });
  }

  private withoutEntries(): ReadonlyMap<string, string> {
    const changed = new Map<string, string>();
    const { file } = this.from.project;
    const now = (name: string) => changed.get(name) ?? this.from.texts.get(name) ?? '';
    for (const { entry, kind } of this.moving) {
      const text = now(entry.source.file);
      const taken = editable(text).takeOut(kind.section, entry.key);
      if ('obstacle' in taken) throw new Problem(refusedAt(entry, taken, entry.source.file, text));
      changed.set(entry.source.file, applyEdits(text, taken.edits));
    }
    for (const { entry } of this.moving) {
      if (entry.external) continue;
      const added = editable(now(file)).addToList('removed', entry.address, 'project');
      changed.set(file, applyEdits(now(file), requireEdits(added, `Add ${entry.address} to \`removed\``)));
    }
    return changed;
  }

  private withEntries(): ReadonlyMap<string, string> {
    const { file, removed = [] } = this.to.project;
    let text = this.to.texts.get(file) ?? '';
    for (const { entry, kind, key, address } of this.moving) {
      const taken = editable(this.from.texts.get(entry.source.file) ?? '').takeOut(kind.section, entry.key);
      if ('obstacle' in taken) throw new Error(`${entry.address} was taken out before`);
      const lines = renamed(taken.lines, key);
      const added = editable(text).addToSection(kind.section, (indent) =>
        lines.map((line) => (line === '' ? '' : `${indent}${line}`)),
      );
      text = applyEdits(text, requireEdits(added, `Add ${address} to ${file}`));
      if (key !== entry.key) text = withName(text, kind, key, entry);
      if (!removed.includes(address)) continue;
      const listed = editable(text).removeFromList('removed', address);
      text = applyEdits(text, requireEdits(listed, `Remove ${address} from \`removed\``));
    }
    return new Map([[file, text]]);
  }

  /** A last look, before anything is written: in every environment, everything means what it meant. */
  private requireSameMeaning(old: ReadonlyMap<string, string>, target: ReadonlyMap<string, string>): void {
    const [left, arrived] = [this.from.with(old), this.to.with(target)];
    const [first] = this.moving;
    const errors = [...left.errors, ...arrived.errors];
    if (errors.length > 0 && first !== undefined)
      throw new Problem(errorsIn(errors).map((each) => afterwards(first.entry, each)));
    const moved = new Map(this.moving.map((each) => [each.entry.address, each]));
    const news = new Set(this.moving.map(({ address }) => address));
    const found = [
      ...this.from.now.flatMap((before) => this.changedMeaning(before, arrived.reads, moved)),
      ...othersChanged(this.from.now, left.reads, new Set(moved.keys())),
      ...othersChanged(this.to.now, arrived.reads, news),
    ];
    if (found.length > 0) throw new Problem(found);
  }

  private changedMeaning(
    { environment, entries }: SideRead,
    arrived: readonly SideRead[],
    moved: ReadonlyMap<Address, Moving>,
  ): readonly Diagnostic[] {
    const there = arrived.find((each) => each.environment === environment)?.entries;
    const where = environment === null ? '' : ` in the environment ${environment}`;
    return [...moved].flatMap(([address, each]): Diagnostic[] => {
      const [before, after] = [entries.get(address), there?.get(each.address)];
      if (before === undefined && after === undefined) return [];
      if (before === undefined || after === undefined)
        return [refused(each.entry, `it would ${after ? 'exist' : 'be missing'} there${where}`)];
      return differences(before, after).map((name) => {
        const why = `\`${name}\` would mean something else there${where}`;
        const help = `Write \`${name}\` out in the entry first, without a variable or a default.`;
        return refused(before, why, before.placeOf([name]), help);
      });
    });
  }
}

/** Throws a Problem for addresses that match nothing. */
function movingOf(
  entries: ReadonlyMap<Address, Declared>,
  { addresses, as }: MoveOptions,
): readonly Moving[] {
  const isSelected = selectedOf(selectorsOf(addresses), { addresses: [...entries.keys()] });
  const chosen = [...entries.values()].filter(({ address }) => isSelected(address));
  if (as !== undefined && chosen.length !== 1)
    throw problem('usage', `\`--as\` names one entry, and ${chosen.length} are selected`);
  return chosen.map((entry) => {
    const key = as ?? entry.key;
    return { entry, kind: kindOf(entry), key, address: addressOf(entry.kind, key) };
  });
}

const DELIVERED_HERE = '`deliver` names a file or a command of this project';
const MOVE_WITHOUT_DELIVER =
  'Remove `deliver` first, and write one for the other project there. The key itself stays where it is.';

function kindOf({ kind, address }: Declared): Kind {
  const found = kinds.find(({ name }) => name === kind);
  if (found === undefined) throw new Error(`${address} is of no kind`);
  return found;
}

/** Siblings are found by git: elsewhere, the projects would not know each other. */
async function commonTop(from: MoveSide, to: MoveSide, env: ProjectOptions['env']): Promise<string> {
  try {
    const tops = await Promise.all([from, to].map(({ project }) => openWorkTree(project.root, env)));
    const [own, other] = tops.map(({ top }) => top);
    if (own !== undefined && own === other) return own;
  } catch (failure) {
    if (!(failure instanceof NoRepository)) throw failure;
    throw problem('usage', `the projects are in no work tree: ${failure.reason}`, failure.help);
  }
  const help = 'Move the entries by hand, and list them under `removed` in the old project.';
  throw problem('usage', 'the projects are in different git work trees', help);
}

/** Only what is written elsewhere keeps an entry from moving: its variables are checked by what they mean. */
function editable(text: string): EditableFile {
  return new EditableFile(text, () => false);
}

function requireEdits(edited: Edited, instead: string): Exclude<Edited, Obstacle> {
  if (!isObstacle(edited)) return edited;
  throw problem(
    'not-movable',
    'a file is written in a form that cannot be edited line by line',
    `${instead} yourself.`,
  );
}

/** The first line that is no comment has the key. */
function renamed(lines: readonly string[], key: string): readonly string[] {
  const at = lines.findIndex((line) => !line.startsWith('#'));
  return lines.map((line, index) =>
    index === at ? line.replace(/^(?:"(?:[^"\\]|\\.)*"|'[^']*'|[^\s:]+)/, textScalar(key)) : line,
  );
}

/** The name is the key where the entry does not say it: the object keeps its name. */
function withName(text: string, { section, fields }: Kind, key: string, entry: Declared): string {
  const { name } = entry.declared as { readonly name?: unknown };
  if (!('name' in fields) || name !== entry.key) return text;
  const edited = editable(text).edit([section, key], new Map([['name', { to: 'value', value: entry.key }]]));
  return applyEdits(text, requireEdits(edited, 'Write `name` out'));
}

function isSameObject(here: Declared, there: Declared): boolean {
  if (here.id !== null && here.id === there.id) return true;
  const nameOf = ({ declared }: Declared) => (declared as { readonly name?: unknown }).name;
  return (here.external || there.external) && nameOf(here) === nameOf(there);
}

function othersChanged(
  before: readonly SideRead[],
  after: readonly SideRead[],
  moved: ReadonlySet<Address>,
): readonly Diagnostic[] {
  return before.flatMap(({ environment, entries }) => {
    const now = after.find((each) => each.environment === environment)?.entries;
    const others = [...entries.values()].filter(({ address }) => !moved.has(address));
    return others.flatMap((entry) => {
      const same = now?.get(entry.address);
      if (same !== undefined && differences(entry, same).length === 0) return [];
      return [refused(entry, 'the move would change this entry, which stays')];
    });
  });
}

function namesOf({ environments }: MoveSide): string {
  const names = environments.flatMap((each) => each ?? []);
  return names.length === 0 ? 'none' : wordList(names, 'and');
}

const reasons: Readonly<Record<Obstacle['obstacle'], string>> = {
  alias: 'a part of it comes from an anchor outside of it',
  merge: 'a part of it comes from a merge key',
  anchor: 'other entries use a part of it through its anchor',
  reference: 'a part of it comes from a variable',
  style: 'it is written in a form that cannot be moved line by line',
  missing: 'it is not written out in a section of this file',
};

/** Its place is in a text that is not written. */
function afterwards(entry: Declared, { message, help, place }: Diagnostic): Diagnostic {
  const found = refused(entry, `the manifests would have an error: ${message}`, null, help);
  return place === undefined ? found : { ...found, related: [{ message: 'it would be here', place }] };
}

function refusedAt(
  entry: Declared,
  { obstacle, start, end }: Obstacle,
  file: string,
  text: string,
): Diagnostic {
  const place = placeOf({ source: new Source(file, text, 0), start, end });
  return refused(entry, reasons[obstacle], place, 'Write it out in the entry first.');
}

function refused(
  { address, source }: Pick<Declared, 'address' | 'source'>,
  why: string,
  place: Place | null = null,
  help?: string,
): Diagnostic {
  const message = `${address} was not moved: ${why}`;
  return { severity: 'error', code: 'not-movable', message, place: place ?? source, address, help };
}
