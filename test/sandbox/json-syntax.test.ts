import fc from 'fast-check';
import { expect, test } from 'vitest';
import { JsonFileError, parseSeed } from '../../src/sandbox/index.js';
import { syntaxFault } from '../../src/sandbox/json-file.js';
import { runs } from '../support/size.js';

/** What is wrong in a seed or faults file that is not JSON, and where. */

test.each<[string, string, string]>([
  ['{ "agents": [\n  { "name": "A",\n } ] }', '2:16', 'a comma follows the last entry. Remove the comma.'],
  ['{ "agents": [\n  1,\n  ] }', '2:4', 'a comma follows the last entry. Remove the comma.'],
  ['{\n  // agents\n  "agents": [] }', '2:3', 'it has a comment'],
  ['{\n  "agents": [] # all\n}', '2:16', 'it has a comment'],
  ["{\n  'agents': [] }", '2:3', 'it has a single quote. Use double quotes.'],
  ['{\n  "a": \'b\' }', '2:8', 'it has a single quote. Use double quotes.'],
  ['{\n  agents: [] }', '2:3', 'the name of a property is not in double quotes. Add the quotes.'],
  ['{\n  "agents: [],\n  "groups": [] }', '2:3', 'a string does not end on its line'],
  ['{\n  "agents', '2:3', 'a string does not end on its line'],
  ['{ "a":\n "x\ty" }', '2:4', 'a string contains a control character'],
  ['{ "a":\n "C:\\dir" }', '2:5', 'a string contains an unknown escape. Write a backslash as \\\\.'],
  ['{\n "a" 1 }', '2:6', 'a colon is missing before this'],
  ['{\n "a": 1\n "b": 2 }', '3:2', 'a comma is missing before this'],
  ['{\n "a": True }', '2:7', 'True is not a value'],
  ['{\n "a": 01 }', '2:7', '01 is not a value'],
  ['{\n "a": , }', '2:7', ', is in the place of a value'],
  ['{\n "a": [1 } }', '2:10', '} is in the place of ] or a comma'],
  ['{\n "a":\u00a01 }', '2:6', 'U+00A0 is in the place of a value'],
  ['{ }\n}', '2:1', 'there is more after its end'],
  ['{\n "a": [\n', '3:1', 'it ends within an array. Add what is missing, such as ].'],
  ['', '1:1', 'it is empty. Write an object'],
  [' \n\n', '1:1', 'it is empty. Write an object'],
  ['\uFEFF{}', '1:1', 'it begins with a byte order mark'],
])('seed: %j is not JSON, at %s: %s', (text, position, what) => {
  expect(() => parseSeed(text)).toThrow(JsonFileError);
  expect(() => parseSeed(text)).toThrow(`${position}: the file is not JSON: ${what}`);
});

test('syntax: a text has a fault exactly if JSON.parse refuses it, and the fault is within it', () => {
  const json = fc.json({ noUnicodeString: false }).map((text) => JSON.stringify(JSON.parse(text), null, 1));
  const piece = fc.constantFrom(
    ...'{}[],:"\'\\/#-+.0e1tn \n\t\u0000\u00e9\ud800',
    'true',
    'null',
    '\\u00',
    '"a"',
  );
  const edit = fc.record({ at: fc.nat(), remove: fc.nat(2), piece });
  const isJson = (text: string) => {
    try {
      JSON.parse(text);
      return true;
    } catch {
      return false;
    }
  };
  fc.assert(
    fc.property(json, fc.array(edit, { maxLength: 2 }), (valid, edits) => {
      let text = valid;
      for (const { at, remove, piece: added } of edits) {
        const offset = at % (text.length + 1);
        text = text.slice(0, offset) + added + text.slice(offset + remove);
      }
      const fault = syntaxFault(text);
      expect([text, fault === null]).toEqual([text, isJson(text)]);
      expect(fault?.offset ?? 0).toBeLessThanOrEqual(text.length);
    }),
    { numRuns: runs(150, 20_000) },
  );
});

test('syntax: deep and long texts are read', () => {
  expect(syntaxFault('['.repeat(1_000_000))?.what).toBe('it ends within an array');
  expect(syntaxFault(`["${'x\\n'.repeat(1_000_000)}",]`)?.what).toBe('a comma follows the last entry');
});
