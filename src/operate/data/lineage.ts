import type { ReadSession } from '../../engine/session.js';
import { isJsonObject } from '../../model/json.js';
import type { Graph } from '../../model/plan.js';
import { normalId } from '../../model/resource.js';
import { datasetLineage, type Lineage } from '../../service/operations/datasets.js';
import { isNumber } from '../../service/operations/record.js';

export interface LineageNode {
  readonly id: string;
  /** `agent`, `job`, `run` or `dataset`, as the service writes it; null where it does not say. */
  readonly type: string | null;
  readonly label: string | null;
}

/** Where a dataset comes from. Its graph names each node by what people know of it. */
export interface DataLineage {
  readonly nodes: readonly LineageNode[];
  readonly edges: readonly { readonly from: string; readonly to: string }[];
  readonly graph: Graph;
}

/** Throws a Problem. */
export async function dataLineage(session: ReadSession, id: string): Promise<DataLineage> {
  return readLineage(await session.client.reader().read(datasetLineage(normalId(id))));
}

/** The interface does not show the fields of nodes and edges (§2): the usual names are tried. Nothing is left out. */
export function readLineage({ nodes: shown, edges: links }: Lineage): DataLineage {
  const listed = shown.map((node, index) => readNode(node, `node ${index + 1}`));
  const edges = links.flatMap((edge) => {
    const from = firstText(edge, ['from', 'source', 'sourceId', 'fromId', 'parent', 'parentId']);
    const to = firstText(edge, ['to', 'target', 'targetId', 'toId', 'child', 'childId']);
    return from === null || to === null ? [] : [{ from, to }];
  });
  const known = new Map(listed.map((node) => [node.id, node]));
  for (const id of edges.flatMap(({ from, to }) => [from, to]))
    if (!known.has(id)) known.set(id, { id, type: null, label: null });
  const nodes = [...known.values()];
  const names = namesOf(nodes);
  const nameOf = (id: string) => names.get(id) ?? id;
  const graph = {
    nodes: nodes.map(({ id }) => nameOf(id)),
    links: edges.map(({ from, to }) => ({ from: nameOf(from), to: nameOf(to), stage: null })),
  };
  return { nodes, edges, graph };
}

function readNode(node: unknown, fallback: string): LineageNode {
  if (typeof node === 'string') return { id: node, type: null, label: null };
  return {
    id: firstText(node, ['id', 'nodeId', 'key']) ?? fallback,
    type: firstText(node, ['type', 'kind', 'nodeType']),
    label: firstText(node, ['label', 'name', 'title']),
  };
}

function firstText(value: unknown, names: readonly string[]): string | null {
  if (!isJsonObject(value)) return null;
  for (const name of names) {
    const found = Object.hasOwn(value, name) ? value[name] : null;
    if (typeof found === 'string' && found !== '') return found;
    if (isNumber(found)) return String(found);
  }
  return null;
}

/** `agent Acme Shop`; with the id where several would have the same name. */
function namesOf(nodes: readonly LineageNode[]): ReadonlyMap<string, string> {
  const counts = new Map<string, number>();
  for (const node of nodes) counts.set(shortName(node), (counts.get(shortName(node)) ?? 0) + 1);
  return new Map(
    nodes.map((node) => {
      const name = shortName(node);
      return [node.id, (counts.get(name) ?? 0) > 1 ? `${name} (${node.id})` : name];
    }),
  );
}

function shortName({ id, type, label }: LineageNode): string {
  // A label that only repeats the type does not say which one it is.
  const own = label === null || label === type ? id : label;
  return type === null ? own : `${type} ${own}`;
}
