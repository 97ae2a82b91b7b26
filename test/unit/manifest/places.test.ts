import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { EntryPlaces, PlaceTable } from '../../../src/manifest/places.js';
import { yamlRules } from '../../../src/manifest/reading.js';
import { readYaml } from '../../../src/yaml/read.js';
import { Source } from '../../../src/yaml/source.js';
import { type Entry, find, type Node, type Path } from '../../../src/yaml/tree.js';

function entriesOf(text: string): readonly Entry[] {
  const usage = { values: 0, collections: 0, expanded: 0 };
  const source = new Source('roster.yaml', text, 0);
  const { documents } = readYaml(source, { usage, suggest: () => null, rules: yamlRules });
  return (documents ?? []).flatMap(childrenOf).flatMap(({ value }) => childrenOf(value));
}

function childrenOf(node: Node): readonly Entry[] {
  return node.type === 'map' ? [...node.entries.values()] : [];
}

/** Every path in a value, and one more step after each, which leads nowhere. */
function pathsIn(node: Node, path: Path = []): Path[] {
  const next: [string | number, Node][] =
    node.type === 'map'
      ? [...node.entries].map(([name, { value }]) => [name, value])
      : node.type === 'list'
        ? [...node.items.entries()]
        : [];
  return [path, [...path, 'missing'], ...next.flatMap(([step, value]) => pathsIn(value, [...path, step]))];
}

/** As in a project, all entries share it. */
const table = new PlaceTable();

function checkPlaces(entry: Entry): number {
  if (entry.value.type !== 'map') return 0;
  const places = new EntryPlaces(entry, table);
  const paths = pathsIn(entry.value).filter((path) => path.length > 0);
  for (const path of paths) {
    const { span, key } = find(entry, path);
    const about = `${entry.key.text}: ${path.join('.')}`;
    const offsets = ({ source, start, end }: typeof span) => ({ file: source.file, start, end });
    expect({ about, ...offsets(places.spanOf(path)) }).toEqual({ about, ...offsets(span) });
    expect({ about, ...offsets(places.spanOf(path, 'key')) }).toEqual({ about, ...offsets(key) });
  }
  return paths.length;
}

describe('EntryPlaces', () => {
  test('finds the places that the tree has, in all manifests of the tests and examples', () => {
    const files = ['test', 'examples'].flatMap((folder) =>
      readdirSync(folder, { recursive: true, encoding: 'utf8' })
        .filter((path) => path.endsWith('.yaml'))
        .map((path) => `${folder}/${path}`),
    );
    let checked = 0;
    for (const file of files)
      for (const entry of entriesOf(readFileSync(file, 'utf8'))) checked += checkPlaces(entry);
    expect(checked).toBeGreaterThan(300);
  });

  test.each([
    ['an anchor above it', 'vars:\n  a: &a\n    b: [x, y]\ngroups:\n  g:\n    members: *a\n    name: x\n'],
    [
      'a merged map',
      'x-base:\n  one: &one { name: x, members: [a] }\ngroups:\n  g:\n    <<: *one\n    id: 1\n',
    ],
    ['an anchor inside it', 'groups:\n  g:\n    name: &n x\n    description: *n\n    members: [*n, b]\n'],
    ['a flow map', 'groups: { g: { name: x, members: [a, b] }, h: { name: "y" } }\n'],
    ['a flow map of several lines', 'groups: {\n  g: { name: x,\n members: [a,\n b] } }\n'],
    ['keys in quotes', 'groups:\n  "g":\n    "name": x\n    \'members\': [a]\n'],
    ['explicit keys', 'groups:\n  ? g\n  : name: x\n    ? members\n    : [a]\n'],
    [
      'block texts',
      'groups:\n  g:\n    description: |2\n        a\n       b\n    name: >-\n      x\n\n      y\n',
    ],
    ['a last property without a value', 'groups:\n  g:\n    name: x\n    description: !!str\n'],
    ['no space after a colon', 'groups: {"g":{"name":"x","members":[a]},h:{name: y}}\n'],
    ['an anchor that is used before it', 'groups:\n  g: { name: &t x }\nx-other:\n  h: { name: *t }\n'],
    ['values that are missing', 'groups:\n  g:\n    name:\n    members:\n      -\n      - a\n'],
    [
      'tabs, comments and empty lines',
      'groups:\n  g: # g\n\n    # name\n    name:\tx # x\n    members: # m\n    - a\n',
    ],
    ['several documents', 'groups:\n  g:\n    name: x\n---\ngroups:\n  h:\n    name: y\n'],
    ['line breaks of Windows', 'groups:\r\n  g:\r\n    name: x\r\n    members:\r\n      - a\r\n'],
  ])('finds the places that the tree has, with %s', (_, text) => {
    let checked = 0;
    for (const entry of entriesOf(text)) checked += checkPlaces(entry);
    expect(checked).toBeGreaterThan(0);
  });
});
