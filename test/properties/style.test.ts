import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { kinds } from '../../src/kinds/index.js';
import { loadProject } from '../../src/manifest/load.js';
import { formatText } from '../../src/manifest/style.js';
import { projectData } from '../support/projects.js';

const cwd = mkdtempSync(join(tmpdir(), 'roster-style-'));
afterAll(() => rmSync(cwd, { recursive: true }));

/** What a text means: its project without the places in the text. */
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

/** Comments and empty lines between the lines of a block text, where they can stand. */
const noise = fc.array(fc.constantFrom('', '', '', '\n', '\n\n\n', '# a note\n', '\n# a note\n\n'), {
  minLength: 1,
  maxLength: 6,
});

function noisy(text: string, pieces: readonly string[], flow: boolean): string {
  if (flow) return `${pieces.join('')}${text}`;
  return text.replace(/^(?=[a-z]+:)/gm, () => pieces[text.length % pieces.length] ?? '');
}

test('formatting changes no meaning, and nothing the second time', { timeout: 60_000 }, () => {
  fc.assert(
    fc.property(projectData, layout, noise, (project, style, pieces) => {
      const text = noisy(stringify(project, style), pieces, style.collectionStyle === 'flow');
      const formatted = formatText(text);
      expect(meaning(formatted)).toEqual(meaning(text));
      expect(formatText(formatted)).toBe(formatted);
      expect(formatted.match(/# a note/g)?.length).toBe(text.match(/# a note/g)?.length);
    }),
    { numRuns: 300 },
  );
});
