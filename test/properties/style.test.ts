import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { CST, Parser, parseAllDocuments, stringify } from 'yaml';
import { kinds } from '../../src/kinds/index.js';
import { loadProject } from '../../src/manifest/load.js';
import { formatText } from '../../src/yaml/format.js';
import { projectData } from '../support/projects.js';
import { runs } from '../support/size.js';

const cwd = mkdtempSync(join(tmpdir(), 'roster-style-'));
afterAll(() => rmSync(cwd, { recursive: true }));

/** What a text means: its project without the positions in the text. */
function meaning(text: string): unknown {
  writeFileSync(join(cwd, 'roster.yaml'), text);
  const { project, diagnostics } = loadProject({ cwd, environment: null, env: {}, kinds });
  const entries = project?.entries.map(({ source: _, placeOf: __, ...entry }) => entry);
  return JSON.parse(JSON.stringify({ ...project, entries, codes: diagnostics.map((each) => each.code) }));
}

const layout = fc.record({
  indent: fc.constantFrom(1, 2, 4, 7),
  lineWidth: fc.constantFrom(0, 40, 80),
  indentSeq: fc.boolean(),
  singleQuote: fc.boolean(),
  defaultStringType: fc.constantFrom(
    'PLAIN' as const,
    'QUOTE_DOUBLE' as const,
    'QUOTE_SINGLE' as const,
    'BLOCK_LITERAL' as const,
  ),
  collectionStyle: fc.constantFrom('any' as const, 'flow' as const),
});

/** Comments and empty lines above and below lines of a block text, indented as those are, and at their ends. */
const noise = fc.array(
  fc.constantFrom('', '', '', '\n', '\n\n\n', '#\n', 'above', '\nabove\n\n', 'below', 'beside', 'both'),
  { minLength: 1, maxLength: 9 },
);

function noisy(text: string, pieces: readonly string[], blocks: boolean): string {
  const lines = text.split('\n').map((line, index) => {
    const piece = pieces[index % pieces.length] ?? '';
    if (line === '') return line;
    const indentation = /^ */.exec(line)?.[0] ?? '';
    const note = `${indentation}# above ${index}\n`;
    const above = piece === 'both' ? note : piece.replace('above', note).replace(/^#/m, `${indentation}#`);
    // On a line of a block text it would be text.
    const beside = !blocks && (piece === 'beside' || piece === 'both') ? ` # beside ${index}` : '';
    const below = piece === 'below' ? `\n${indentation}# below ${index}` : '';
    return `${['beside', 'below'].includes(above) ? '' : above}${line}${beside}${below}`;
  });
  return lines.join('\n');
}

/** Comments, values and aliases in their order, which changes if a comment moves. */
function sequence(text: string): string[] {
  const seen: string[] = [];
  const see = (token: CST.Token | CST.SourceToken | null | undefined): void => {
    if (token === null || token === undefined) return;
    if (token.type === 'comment') seen.push(token.source);
    if (token.type === 'alias') seen.push(token.source);
    if ('props' in token) for (const each of token.props) see(each);
    const scalar = CST.resolveAsScalar(token as CST.Token);
    if (scalar !== null && token.type !== 'alias') seen.push(JSON.stringify(scalar.value));
    if ('start' in token) for (const each of [token.start].flat()) see(each);
    if (token.type === 'document') see(token.value);
    if ('items' in token)
      for (const { start, key, sep, value } of token.items) {
        for (const each of [...start, key, ...(sep ?? []), value]) see(each);
      }
    if ('end' in token) for (const each of (token.end ?? []) as CST.SourceToken[]) see(each);
  };
  for (const token of new Parser().parse(text)) see(token);
  return seen;
}

/** Each comment directly above a key, with the same indentation, with that key. */
function headlines(text: string): string[] {
  const lines = text.split(/\r?\n/);
  return lines.flatMap((line, index) => {
    const [, indentation, comment] = /^( *)(# above .*)/.exec(line) ?? [];
    const below = lines.slice(index + 1).find((each) => !/^ *#|^$/.test(each)) ?? '';
    const [, indented, key] = /^( *)["']?([\w.-]+)["']?:( |$)/.exec(below) ?? [];
    return comment !== undefined && key !== undefined && indentation === indented
      ? [`${comment}: ${key}`]
      : [];
  });
}

/** The same list in several places, which becomes an anchor and aliases. */
const shared = fc.array(fc.constantFrom('acme', 'a b', '#x'), { minLength: 1, maxLength: 3 });

test('formatting changes no meaning, moves no comment, and a second time changes nothing', () => {
  const projects = runs(25, 150);
  let comments = 0;
  let heads = 0;
  fc.assert(
    fc.property(projectData, shared, layout, noise, fc.boolean(), (data, list, style, pieces, crlf) => {
      const project = { ...data, 'x-list': list, 'x-lists': [list, { deep: list }] };
      const lf = noisy(stringify(project, style), pieces, style.defaultStringType === 'BLOCK_LITERAL');
      const text = crlf ? lf.replaceAll('\n', '\r\n') : lf;
      fc.pre(parseAllDocuments(text).every((each) => each.errors.length === 0));
      const formatted = formatText(text);
      expect(meaning(formatted)).toEqual(meaning(text));
      expect(formatText(formatted)).toBe(formatted);
      expect(sequence(formatted)).toEqual(sequence(text));
      if (style.collectionStyle !== 'flow')
        expect(headlines(formatted)).toEqual(expect.arrayContaining(headlines(text)));
      heads += headlines(text).length;
      expect(formatted.match(/&a\d+/g)).toEqual(text.match(/&a\d+/g));
      comments += sequence(text).filter((each) => each.startsWith('# ')).length;
    }),
    { numRuns: projects },
  );
  expect(comments).toBeGreaterThan(projects * 7);
  expect(heads).toBeGreaterThan(projects / 2);
});
