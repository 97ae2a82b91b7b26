import type { Entry, Node } from '../yaml/tree.js';
import { entriesOf } from './environments.js';

/** The agents that entries refer to, each once, as they are written. */
export function agentsIn(top: readonly Entry[], sections: readonly string[]): string[] {
  const entries = top
    .filter(({ key }) => sections.includes(key.text))
    .flatMap((section) => [...entriesOf(section).values()]);
  return [...new Set(entries.flatMap(agentsOf))];
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
  return node.type === 'scalar' && typeof node.value === 'string' ? [node.value] : [];
}
