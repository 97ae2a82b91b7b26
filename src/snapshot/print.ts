import type { Json } from '../model/json.js';
import type { SnapshotJson } from './snapshot-json.js';

/** One line for each agent, object and entry, so that git shows what changed between two snapshots. */
export function snapshotText({ agents, objects, inventory, ...head }: SnapshotJson): string {
  const lists = Object.entries(objects).map(([kind, list]) => `    ${json(kind)}: ${listText(list, '    ')}`);
  const first = Object.entries(head).map(([name, value]) => `  ${json(name)}: ${json(value)},`);
  const { entries, drafts, ...lastApply } = inventory;
  const facts = Object.entries(lastApply).map(([name, value]) => `    ${json(name)}: ${json(value)},\n`);
  return `{
${first.join('\n')}
  "agents": ${listText(agents, '  ')},
  "objects": {
${lists.join(',\n')}
  },
  "inventory": {
${facts.join('')}    "entries": ${mapText(entries)},
    "drafts": ${mapText(drafts)}
  }
}
`;
}

function listText(list: readonly object[], margin: string): string {
  if (list.length === 0) return '[]';
  return `[\n${list.map((each) => `${margin}  ${json(each)}`).join(',\n')}\n${margin}]`;
}

function mapText(map: Readonly<Record<string, object>>): string {
  const lines = Object.entries(map).map(([key, value]) => `      ${json(key)}: ${json(value)}`);
  return lines.length === 0 ? '{}' : `{\n${lines.join(',\n')}\n    }`;
}

function json(value: Json | object): string {
  return JSON.stringify(value);
}
