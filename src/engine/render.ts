import { kinds } from '../kinds/index.js';
import type { WrittenEntry } from '../manifest/written.js';
import { type Diagnostic, Problem } from '../model/diagnostic.js';
import { groupBy, type JsonObject } from '../model/json.js';
import type { Project } from '../model/resource.js';
import { yamlValue } from '../pull/yaml-value.js';
import { pairLines, type YamlValue } from '../yaml/editable.js';
import { type ProjectOptions, readProject } from './project.js';
import { selectedOf, selectorsOf } from './selectors.js';

export interface Rendered {
  readonly project: Project;
  /** As a manifest has it: the settings, and the sections as maps of entries. */
  readonly manifest: JsonObject;
  readonly warnings: readonly Diagnostic[];
}

/**
 * The project as roster understands it, offline: `each` repeated, variables replaced, defaults and environment applied,
 * entries sorted. With addresses, only those entries. Values of the environment are not needed: `${env.NAME}` stays.
 * Throws a Problem when the manifests have errors, or when an address is not declared.
 */
export function render(options: ProjectOptions, addresses: readonly string[] = []): Rendered {
  const selectors = selectorsOf(addresses);
  const { project, written, diagnostics } = readProject({ ...options, allowMissingEnv: true });
  if (project === null || written === null) throw new Problem(diagnostics);
  const { settings, entries } = written();
  const known = entries.map(({ address }) => address);
  const isSelected = selectedOf(selectors, { addresses: known, existsIn: project.existsIn });
  const chosen = groupBy(
    entries.filter(({ address }) => isSelected(address)),
    ({ section }) => section,
  );
  const sections = kinds.flatMap(({ section }) => {
    const own = chosen.get(section);
    return own === undefined ? [] : [[section, byKey(own)] as const];
  });
  const warnings = diagnostics.filter(({ code }) => code !== 'missing-environment-variable');
  return { project, manifest: { ...settings, ...Object.fromEntries(sections) }, warnings };
}

function byKey(entries: readonly WrittenEntry[]): JsonObject {
  return Object.fromEntries(entries.map(({ key, properties }) => [key, properties]));
}

export function renderedYaml({ manifest }: Pick<Rendered, 'manifest'>): string {
  const isSection = (name: string) => kinds.some(({ section }) => section === name);
  const parts = Object.entries(manifest).map(([name, each]) => {
    const value = yamlValue(each);
    return isSection(name) ? ['', ...sectionLines(name, value)] : pairLines(name, value, '');
  });
  return `${parts.flat().join('\n')}\n`;
}

/** One property a line, also where an entry would fit on one. */
function sectionLines(name: string, entries: YamlValue): string[] {
  const lines = Object.entries(
    entries as Readonly<Record<string, Readonly<Record<string, YamlValue>>>>,
  ).flatMap(([key, properties]) => {
    const own = Object.entries(properties).flatMap(([property, value]) => pairLines(property, value, '    '));
    const [label = ''] = pairLines(key, {}, '  ');
    return own.length === 0 ? [label] : [label.replace(/ \{\}$/, ''), ...own];
  });
  return [`${name}:`, ...lines];
}
