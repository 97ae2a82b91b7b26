import { kinds } from '../kinds/index.js';
import { suggest } from '../manifest/suggest.js';
import { type Diagnostic, Problem } from '../model/diagnostic.js';
import { type Graph, subgraphOf } from '../model/plan.js';
import type { Project } from '../model/resource.js';
import { linksOf } from '../reconcile/names.js';
import { leftUnread } from '../reconcile/select.js';
import type { Selector } from '../reconcile/world.js';
import { type OpenedProject, openProject, type ProjectOptions } from './project.js';
import { requireRead, selectorsOf } from './selectors.js';

/**
 * The dependency graph of the manifests: all of it, or what leads to and from these addresses. Throws a Problem when the
 * manifests have errors, or when an address is not in the graph.
 */
export function graph(
  options: ProjectOptions,
  addresses: readonly string[] = [],
): OpenedProject & { readonly graph: Graph; readonly shapes: ReadonlyMap<string, string> } {
  const selectors = selectorsOf(addresses);
  const opened = openProject({ ...options, without: selectors === null ? 'values' : 'settings' });
  const { project } = opened;
  if (selectors !== null) requireRead(project, selectors);
  const whole = graphOf(project);
  const shapes = new Map(kinds.flatMap(({ name, shape }) => (shape === undefined ? [] : [[name, shape]])));
  return {
    ...opened,
    warnings: [...leftUnread(project), ...opened.warnings],
    shapes,
    graph: selectors === null ? whole : subgraphOf(whole, named(whole, selectors)),
  };
}

/** Entries that refer to others or that others can refer to, and the agents that they consist of. */
function graphOf({ entries }: Project): Graph {
  const takePart = new Set(
    kinds.flatMap(({ name, references }) => (references === undefined ? [] : [name, ...references.kinds])),
  );
  const links = linksOf(entries, kinds);
  const own = entries.filter((entry) => takePart.has(entry.kind)).map((entry) => entry.address);
  return { nodes: [...new Set([...own, ...links.map((link) => link.to)])], links };
}

function named({ nodes }: Graph, selectors: readonly Selector[]): ReadonlySet<string> {
  const idle = selectors.filter((selector) => !nodes.some((node) => selector.matches(node)));
  if (idle.length > 0) throw new Problem(idle.map(({ pattern }) => notInGraph(pattern, nodes)));
  return new Set(nodes.filter((node) => selectors.some((selector) => selector.matches(node))));
}

function notInGraph(pattern: string, nodes: readonly string[]): Diagnostic {
  const near = suggest(pattern, nodes);
  const help =
    near === null
      ? 'An address is `kind/key`, such as `group/retail-prices` or `agent/*`.'
      : `Did you mean ${near}?`;
  return {
    severity: 'error',
    code: 'usage',
    message: `"${pattern}" is not in the graph of this project`,
    help,
  };
}
