import { expect, test } from 'vitest';
import { JsonFileError, parseFaults, parseSeed } from '../../src/sandbox/index.js';

/** The text of a seed or faults file: JSON or YAML, and where it is neither. */

test.each<[string, string, string]>([
  ['{ "agents": [\n  1,, ] }', '2:5', 'Unexpected , in flow sequence'],
  ['{\n "a" 1 }', '2:6', 'Missing , or : between flow map items'],
  ['{\n "agents: [],\n "groups": [] }', '3:3', 'Missing , or : between flow map items'],
  ['{ "agents":\n "C:\\dir" }', '2:5', 'Invalid escape sequence \\d'],
  ['{\n "agents": [1 } }', '2:15', 'Flow sequence in block collection must be'],
  ['{ }\n}', '2:1', 'Unexpected flow-map-end token'],
  ['{\n "agents": [\n', '3:1', 'Flow sequence in block collection must be'],
  ['{', '1:2', 'Flow map must end with a }'],
  ['{}\n---\n{}\n', '2:1', 'Source contains multiple documents'],
])('seed: %j is not valid, at %s: %s', (text, position, what) => {
  expect(() => parseSeed(text)).toThrow(JsonFileError);
  expect(() => parseSeed(text)).toThrow(`${position}: the file is not valid: ${what}`);
});

test.each([
  ['{ "scopes": [],\n "scopes": ["x"] }', '2:2'],
  ['{ "agents": [], "keys": [\n { "name": "k", "name": "k" } ] }', '2:17'],
  ['{ "agents": [\n { "externalAgentId": ":", "name": "\\":", "n\\u0061me": "x" } ] }', '2:43'],
])('seed: a property that is there twice is refused, with its place: %j', (text, position) => {
  expect(() => parseSeed(text)).toThrow(`${position}: the file has a property twice. Remove one of them.`);
});

test.each([
  ['JSON', '{ "keys": [{ "name": "a:\\"b\\": c", "scopes": [":", "\\\\"] }] }'],
  [
    'JSON that is indented with tabs',
    '{\n\t"keys": [\n\t\t{\n\t\t\t"name": "a:\\"b\\": c",\n\t\t\t"scopes": [":", "\\\\"]\n\t\t}\n\t]\n}\n',
  ],
  [
    'JSON with comments and commas',
    '{ # all\n "keys": [{ "name": \'a:"b": c\', "scopes": [":", "\\\\",], }, ] }',
  ],
  ['YAML', 'keys:\n  - name: \'a:"b": c\'\n    scopes: [":", \'\\\']\n'],
])('seed: it can be %s', (_, text) => {
  expect(parseSeed(text)).toEqual({ keys: [{ name: 'a:"b": c', scopes: [':', '\\'] }] });
});

test('files: with a byte order mark, they are read', () => {
  expect(parseFaults('\uFEFF{ "lagMs": 5 }').lagMs).toBe(5);
});

test.each([
  ['agents: &a []\ngroups: *b\n', 'the file cannot be read: Unresolved alias'],
  ['', 'the top level is not an object. Use an object.'],
  [' \n\n', 'the top level is not an object. Use an object.'],
  ['[]', 'the top level is not an object. Use an object.'],
  ['['.repeat(1_000_000), 'the file has more than 200 levels. Nest less.'],
  [`${'['.repeat(1_000)}${']'.repeat(1_000)}`, 'the file has more than 200 levels. Nest less.'],
  [`["${'x\\n'.repeat(1_000_000)}",`, 'the file is not valid: Flow sequence'],
])('seed: %# is refused', (text, message) => {
  expect(() => parseSeed(text)).toThrow(JsonFileError);
  expect(() => parseSeed(text)).toThrow(message);
});

test('seed: a large one is read as fast as JSON', () => {
  const groups = Array.from({ length: 20_000 }, (_, index) => ({ name: `group ${index}`, members: [] }));
  expect(parseSeed(JSON.stringify({ groups })).groups).toHaveLength(20_000);
});
