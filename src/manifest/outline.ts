import { basename, dirname, resolve } from 'node:path';
import type { Entry, Node } from '../yaml/tree.js';
import { Diagnostics } from './diagnostics.js';
import { Repetition } from './each.js';
import { entriesOf } from './environments.js';
import { findProjectFile, ProjectFiles } from './files.js';
import { sections } from './generated/validators.js';
import type { IncludeItem } from './include.js';
import { type ProjectReading, reading, yamlRules } from './reading.js';
import { Variables } from './variables.js';

/** What a project names, as far as it can be read. */
export interface Outline {
  /** Its name; null when it cannot be read. */
  readonly project: string | null;
  readonly environments: readonly string[];
  readonly usesGit: boolean;
  /** Those of the project and of all environments. */
  readonly variables: readonly string[];
  /** The section and the key of each entry. */
  readonly entries: readonly { readonly section: string; readonly key: string }[];
  /** Those that entries refer to. */
  readonly agents: readonly string[];
}

const nothing: Outline = {
  project: null,
  environments: [],
  usesGit: false,
  variables: [],
  entries: [],
  agents: [],
};

/** Names alone, for completion: nothing is checked or reported, and a file that cannot be read is left out. */
export function readOutline(
  file: string | undefined,
  folder: string,
  how: ProjectReading = reading,
): Outline {
  const diagnostics = new Diagnostics();
  const cwd = resolve(folder);
  const path = findProjectFile(file, cwd, diagnostics);
  if (path === null) return nothing;
  const disk = new ProjectFiles(dirname(path), cwd, diagnostics);
  const usage = { values: 0, collections: 0, expanded: 0 };
  const suggest = () => null;
  const topOf = (name: string, asked: IncludeItem['span'] | null): Entry[] => {
    const source = disk.read(name, asked);
    const read = source === null ? null : how.yaml(source, { usage, suggest, rules: yamlRules });
    return (read?.documents ?? []).flatMap((document) =>
      document.type === 'map' ? [...document.entries.values()] : [],
    );
  };
  const top = topOf(basename(path), null);
  const project = nameIn(top) ?? nameInText(disk.read(basename(path), null)?.text ?? '');
  const { paths } = how.include(includeOf(top), dirname(path), diagnostics);
  const all = [...top, ...[...paths].flatMap(([name, asked]) => topOf(name, asked))];
  const declared = entriesIn(all, new Variables({ vars: varsIn(top), env: {} }, diagnostics), diagnostics);
  const entries = declared.map(({ section, entry }) => ({ section, key: entry.key.text }));
  return {
    project,
    environments: keysOf(top, 'environments'),
    usesGit: keysOf(top, 'inventory').includes('git'),
    variables: [...varsIn(top).keys()],
    entries,
    agents: [...new Set(declared.flatMap(({ entry }) => agentsOf(entry)))],
  };
}

const sectionNames = Object.keys(sections);

export function nameIn(top: readonly Entry[]): string | null {
  const value = top.find(({ key }) => key.text === 'project')?.value;
  return value?.type === 'scalar' && typeof value.value === 'string' ? value.value : null;
}

/** In a file that is not YAML. */
export function nameInText(text: string): string | null {
  return /^project:[ \t]*([\w.-]+)[ \t]*(?:#.*)?\r?$/m.exec(text)?.[1] ?? null;
}

/** Those of the project first: their values are those that `each` repeats entries for. */
function varsIn(top: readonly Entry[]): ReadonlyMap<string, Entry> {
  const environments = top.filter(({ key }) => key.text === 'environments');
  const owners = environments.flatMap((each) => [...entriesOf(each).values()]);
  const inside = owners.flatMap((each) => [...entriesOf(entriesOf(each).get('vars'))]);
  const own = top.filter(({ key }) => key.text === 'vars').flatMap((each) => [...entriesOf(each)]);
  return new Map([...own, ...inside, ...own]);
}

interface OutlineEntry {
  readonly section: string;
  readonly entry: Entry;
}

function entriesIn(all: readonly Entry[], variables: Variables, diagnostics: Diagnostics): OutlineEntry[] {
  const repetition = new Repetition(variables, diagnostics);
  return sectionNames.flatMap((section) =>
    all
      .filter(({ key }) => key.text === section)
      .flatMap((part) => [...entriesOf(part).values()])
      .flatMap((written) => repetition.make(repetition.plan(written, false)).entries)
      .map((entry) => ({ section, entry })),
  );
}

function keysOf(all: readonly Entry[], name: string): string[] {
  const found = all.filter(({ key }) => key.text === name);
  return found.flatMap((entry) => [...entriesOf(entry).keys()]);
}

/** Patterns with variables are left out. */
function includeOf(top: readonly Entry[]): IncludeItem[] {
  const lists = top.filter(({ key }) => key.text === 'include').map(({ value }) => value);
  return lists.flatMap((list) => (list.type === 'list' ? list.items.flatMap(patternOf) : []));
}

function patternOf(item: Node): IncludeItem[] {
  const isText = item.type === 'scalar' && typeof item.value === 'string' && !item.value.includes('${');
  return isText ? [{ pattern: String(item.value), span: item }] : [];
}

function agentsOf(entry: Entry): string[] {
  const fields = entriesOf(entry);
  const listed = ['members', 'stages'].flatMap((name) => itemsOf(fields.get(name)?.value).flatMap(textOf));
  const target = fields.get('target');
  const [, agent] = /^agent\/(.+)$/.exec(target === undefined ? '' : (textOf(target.value)[0] ?? '')) ?? [];
  return agent === undefined ? listed : [...listed, agent];
}

function itemsOf(node: Node | undefined): readonly Node[] {
  return node?.type === 'list' ? node.items : [];
}

function textOf(node: Node): string[] {
  return node.type === 'scalar' && typeof node.value === 'string' && !node.value.includes('${')
    ? [node.value]
    : [];
}
