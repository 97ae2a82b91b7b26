import { describe, expect, it } from 'vitest';
import { kinds } from '../../../src/kinds/index.js';
import { type Graph, subgraphOf } from '../../../src/model/plan.js';
import { graphDot, graphMermaid, graphText } from '../../../src/view/graph/graph-formats.js';

const shapes = new Map(
  kinds.flatMap(({ name, shape }) => (shape === undefined ? [] : [[name as string, shape]])),
);

const link = (from: string, to: string, stage: number | null = null) => ({ from, to, stage });
const graph: Graph = {
  nodes: ['s1', 's2', 's3', 'g', 'p', 'alone', 'a', 'b'],
  links: [
    link('s1', 'g'),
    link('s2', 'g'),
    link('s3', 'p'),
    link('g', 'a'),
    link('p', 'a', 1),
    link('p', 'b', 2),
  ],
};

describe('the subgraph around some nodes', () => {
  it.each<[string[], string[], number]>([
    [['s1'], ['s1', 'g', 'a'], 2],
    [['g'], ['s1', 's2', 'g', 'a'], 3],
    [['a'], ['s1', 's2', 's3', 'g', 'p', 'a'], 5],
    [['b'], ['s3', 'p', 'b'], 2],
    [['alone'], ['alone'], 0],
    [[], [], 0],
  ])('%j', (given, nodes, links) => {
    const found = subgraphOf(graph, new Set(given));
    expect(found.nodes).toEqual(nodes);
    expect(found.links).toHaveLength(links);
  });
});

const hostile: Graph = {
  nodes: ['agent/"]; click n1 "javascript:x" %%{init}%% <b>', 'agent/\\N "q" \n@team'],
  links: [link('agent/"]; click n1 "javascript:x" %%{init}%% <b>', 'agent/\\N "q" \n@team', 3)],
};

it('a graph is written as text', () => {
  expect(graphText(graph)).toBe('s1 → g\ns2 → g\ns3 → p\ng → a\np → a, b\nalone\n');
});

it('a graph is written as Mermaid, and names are escaped', () => {
  expect(graphMermaid(hostile)).toEqual([
    'flowchart LR',
    '  n1["agent/#34;#93;#59; click n1 #34;javascript#58;x#34; #37;#37;#123;init#125;#37;#37; #60;b#62;"]',
    '  n2["agent/#92;N #34;q#34; #92;u#123;a#125;#64;team"]',
    '  n1 -->|3| n2',
  ]);
});

it('a graph shows each action by a sign as well as by color', () => {
  const actions = new Map([
    ['s1', 'create'],
    ['s2', 'update'],
    ['s3', 'delete'],
    ['g', 'replace'],
    ['p', 'adopt'],
  ] as const);
  const labels = graphMermaid(graph, actions).flatMap((line) => /\["(.*)"\]/.exec(line)?.[1] ?? []);
  expect(labels).toEqual(['#43; s1', '#126; s2', '#45; s3', '#177; g', 'p', 'alone', 'a', 'b']);
});

it('a graph in DOT has a shape for each kind, and says in which font', () => {
  const nodes = ['schedule/s', 'group/g', 'pipeline/p', 'agent/a', 'key/k', 'other/o'];
  const lines = graphDot({ nodes, links: [] }, shapes).split('\n');
  expect(lines.filter((line) => line.includes('fontname'))).toHaveLength(2);
  const drawn = nodes.map(
    (node) => /shape=(\w+)/.exec(lines.find((line) => line.includes(`"${node}"`)) ?? '')?.[1],
  );
  expect(drawn).toEqual(['ellipse', 'folder', 'cds', 'box', undefined, undefined]);
});

it('a graph is written as DOT, and names are escaped', () => {
  expect(graphDot(hostile, shapes)).toBe(
    [
      'digraph roster {',
      '  rankdir=LR;',
      '  node [fontname="Helvetica,Arial,sans-serif", fontsize=11, shape=note];',
      '  edge [fontname="Helvetica,Arial,sans-serif", fontsize=9, color="#57606a"];',
      '  "agent/\\"]; click n1 \\"javascript:x\\" %%{init}%% <b>" [shape=box, style=rounded];',
      '  "agent/\\\\N \\"q\\" \\\\u{a}@team" [shape=box, style=rounded];',
      '  "agent/\\"]; click n1 \\"javascript:x\\" %%{init}%% <b>" -> "agent/\\\\N \\"q\\" \\\\u{a}@team" [label="3"];',
      '}',
      '',
    ].join('\n'),
  );
});
