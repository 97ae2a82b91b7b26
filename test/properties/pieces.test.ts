import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Diagnostics } from '../../src/manifest/diagnostics.js';
import { yamlRules } from '../../src/manifest/yaml-rules.js';
import { readYaml } from '../../src/yaml/read.js';
import { Source } from '../../src/yaml/source.js';
import type { Node } from '../../src/yaml/tree.js';
import { runs } from '../support/size.js';

/** Pieces of YAML that mean something to each other: indentation, anchors, merge keys, comments, flow and block. */
const fragments = [
  'project: p\n',
  'groups:\n',
  '  a: ',
  '    b: ',
  '      - ',
  '{ members: [a] }',
  '- ',
  '? ',
  ': ',
  '\n',
  '\n\n',
  '  ',
  '    ',
  '"',
  "'",
  '|\n',
  '>-\n',
  '&a ',
  '*a',
  '<<: *a\n',
  '!!str ',
  '---\n',
  '...\n',
  '[',
  ']',
  '{',
  '}',
  ', ',
  '#',
  '# c\n',
  '~',
  'k1: v\n',
  'k2:\n',
  'a: 1\n',
  '- x\n',
  '  - x\n',
  'x: &a\n',
  'x: *a\n',
  '  y: z\n',
  '[a, b, c]\n',
  '{ a: b, c: d }\n',
];
const yamlish = fc.array(fc.constantFrom(...fragments), { maxLength: 50 }).map((parts) => parts.join(''));

/** What is read of a text when finished items are converted after so many pieces of syntax. */
function read(text: string, batchSize: number) {
  const collected = new Diagnostics();
  const usage = { values: 0, collections: 0, expanded: 0 };
  const options = { usage, suggest: collected.suggestions.of, rules: yamlRules, batchSize };
  const { documents, problems, omitted } = readYaml(new Source('f.yaml', text, 1), options);
  collected.yaml(problems, omitted);
  // Where a key is missing or not text, the library itself gives another place inside a collection than at its start.
  const elsewhere = ['a key is missing', 'a key must be text'];
  const diagnostics = collected.sorted().map(({ place, ...rest }) => {
    return elsewhere.includes(rest.message) ? rest.message : { ...rest, place };
  });
  return {
    nodes: documents?.map(shown) ?? null,
    // What a refused key contained is counted or not.
    usage: diagnostics.includes('a key must be text') ? null : usage,
    diagnostics: new Set(diagnostics.map((each) => JSON.stringify(each))),
  };
}

/** A tree without its source, aliases written out. */
function shown(node: Node): unknown {
  const { source: _, ...rest } = node;
  if (rest.type === 'scalar') return rest;
  if (rest.type === 'list') return { ...rest, items: rest.items.map(shown) };
  const entries = [...rest.entries].map(([name, { key, value }]) => [name, key.start, key.end, shown(value)]);
  return { ...rest, entries };
}

test.each([1, 5])('a file means the same whether it is read at once or in steps of %d', (stride) => {
  fc.assert(
    fc.property(yamlish, (text) => {
      const whole = read(text, Number.POSITIVE_INFINITY);
      const inSteps = read(text, stride);
      // After a syntax error, how much of the preceding text was read varies.
      if (whole.nodes === null) expect(inSteps.nodes).toBeNull();
      else expect(inSteps).toEqual(whole);
    }),
    { numRuns: runs(300, 1_500) },
  );
});
