import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { suggest } from '../../src/manifest/suggest.js';
import { pieces } from '../../src/manifest/template.js';
import { escaped } from '../../src/model/template.js';
import { quoted, unsafe } from '../../src/yaml/text.js';
import { runs } from '../support/size.js';
import { load } from '../unit/manifest/project.js';

const fragments = [
  'project: p\n',
  'groups:\n',
  '  a: ',
  '{ members: [a] }',
  '- ',
  '? ',
  ': ',
  '\n',
  ' ',
  '\t',
  '"',
  "'",
  '|\n',
  '>-\n',
  '&a ',
  '*a',
  '<<: ',
  '!!str ',
  '!x ',
  '---\n',
  '...\n',
  '%YAML 1.2\n',
  '[',
  ']',
  '{',
  '}',
  ',',
  '#',
  '~',
  '${var.x}',
  '${',
  '$${',
  '0x1F',
  '.nan',
  '1e999',
  '\\',
  '\r\n',
  '\u0085',
  '\u2028',
  '\ufeff',
  'é',
  '🎉',
  '@',
  '`',
];
const yamlish = fc.array(
  fc.oneof(fc.constantFrom(...fragments), fc.string({ unit: 'binary', maxLength: 4 })),
  { maxLength: 40 },
);

/** Larger integers are refused, because JavaScript cannot tell them from their neighbours. */
function isExact(value: number): boolean {
  return !Number.isInteger(value) || Number.isSafeInteger(value);
}

describe('manifest', () => {
  it('any text gives a project or errors with positions inside the file, and never an exception', () => {
    fc.assert(
      fc.property(yamlish, fc.boolean(), (parts, begun) => {
        const text = (begun ? 'project: p\n' : '') + parts.join('');
        const { project, diagnostics } = load(text);
        const errors = diagnostics.filter((each) => each.severity === 'error');
        expect(project === null).toBe(errors.length > 0);
        const lines = text.split('\n').length;
        for (const { place } of diagnostics) {
          if (place === undefined) continue;
          expect(place.line).toBeGreaterThan(0);
          expect(place.line).toBeLessThanOrEqual(lines);
          expect(place.column).toBeGreaterThan(0);
          expect(place.length).toBeGreaterThan(0);
        }
      }),
      { numRuns: runs(30, 300) },
    );
  });

  it('inputs reach the entry with the values that the file gives them', () => {
    const scalar = fc.oneof(
      fc.string(),
      fc.integer(),
      fc.boolean(),
      fc.double({ noNaN: true, noDefaultInfinity: true }).filter(isExact),
    );
    const key = fc
      .stringMatching(/^[a-z][a-z0-9]{0,8}$/)
      .filter((each) => !['constructor', 'prototype'].includes(each));
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 3 },
        scalar,
        fc.array(tie('value'), { maxLength: 3 }),
        fc.dictionary(key, tie('value'), { maxKeys: 3 }),
      ),
    }));
    fc.assert(
      fc.property(fc.dictionary(key, value, { maxKeys: 4 }), (inputs) => {
        const whole = { project: 'p', schedules: { s: { target: 'agent/a', once: 'x', inputs } } };
        const { project, diagnostics } = load(escaped(stringify(whole)));
        expect(diagnostics).toEqual([]);
        const declared = project?.entries[0]?.declared as { entry: { inputs: unknown } } | undefined;
        expect(JSON.parse(JSON.stringify(declared?.entry.inputs))).toEqual(
          JSON.parse(JSON.stringify(inputs)),
        );
      }),
      { numRuns: runs(15, 100) },
    );
  });
});

describe('template text', () => {
  const dollars = fc.string({ unit: fc.constantFrom('$', '{', '}', 'v', 'var.a', 'env.B') });

  it('escaped text is read back as the original text', () => {
    fc.assert(
      fc.property(fc.oneof(dollars, fc.string({ unit: 'binary' })), (text) => {
        const parts = pieces(escaped(text));
        expect(parts.map((each) => (each.type === 'text' ? each.text : `!${each.written}`)).join('')).toBe(
          text,
        );
      }),
    );
  });

  it('text with variables is split into pieces without loss', () => {
    fc.assert(
      fc.property(dollars, (text) => {
        const written = pieces(text)
          .map((each) => (each.type === 'text' ? each.text : each.written))
          .join('');
        expect(written).toBe(text.replaceAll('$${', '${'));
      }),
    );
  });

  it('any quoted text is safe to print on one line', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(unsafe(quoted(text), 'line')).toBeNull();
      }),
    );
  });
});

describe('suggestion', () => {
  it('the suggested word is one of the known words, and never the word itself', () => {
    const word = fc.string({ maxLength: 12 });
    fc.assert(
      fc.property(word, fc.array(word), (asked, known) => {
        const found = suggest(asked, known);
        if (found !== null) expect(known).toContain(found);
        expect(found).not.toBe(asked);
      }),
    );
  });
});
