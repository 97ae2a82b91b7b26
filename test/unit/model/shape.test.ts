import { expect, test } from 'vitest';
import { readJson } from '../../../src/model/json.js';
import {
  firstOf,
  flag,
  integer,
  list,
  listOf,
  named,
  number,
  object,
  oneOf,
  optional,
  type Read,
  record,
  text,
  within,
} from '../../../src/model/shape.js';

const member = object({ name: text, age: optional(integer) }, 'members to hold objects');

const team = object({
  id: named(text, 'teamId', 'id'),
  title: firstOf(optional(text), 'title', 'name'),
  motto: optional(text, ''),
  level: optional(oneOf(['Low', 'High'])),
  isOpen: optional(flag),
  score: optional(number),
  lead: optional(object({ name: text })),
  members: optional(list(member), []),
  guests: optional(listOf(member), []),
  counts: optional(record(integer)),
  size: { of: (answer): number => Object.keys(answer).length },
});

const least: Read<typeof team> = {
  id: 'a',
  title: null,
  motto: '',
  level: null,
  isOpen: null,
  score: null,
  lead: null,
  members: [],
  guests: [],
  counts: null,
  size: 1,
};

const readable: [string, string, Partial<Read<typeof team>>][] = [
  ['what is missing is null, or what the shape says', '{"teamId":"a"}', {}],
  ['null is missing', '{"teamId":"a","motto":null,"members":null,"score":null}', { size: 4 }],
  ['the second name of a property, where the first is missing', '{"teamId":null,"id":"a"}', { size: 2 }],
  ['the first of two names that says something', '{"teamId":"a","name":"b"}', { title: 'b', size: 2 }],
  [
    'the first name, where both say something',
    '{"id":"b","teamId":"a","title":"t","name":5}',
    { title: 't', size: 4 },
  ],
  ['a word in any case', '{"teamId":"a","level":"hIGH"}', { level: 'High', size: 2 }],
  [
    'numbers as text',
    '{"teamId":"a","score":"-1.5","counts":{"x":"3"}}',
    { score: -1.5, counts: { x: 3 }, size: 3 },
  ],
  [
    'numbers with other digits',
    '{"teamId":"a","score":1.50,"counts":{"x":2.0}}',
    { score: 1.5, counts: { x: 2 }, size: 3 },
  ],
  ['no property that the shape lacks', '{"teamId":"a","other":1}', { size: 2 }],
  [
    'inner objects and lists',
    '{"teamId":"a","members":[{"name":"b"}]}',
    { members: [{ name: 'b', age: null }], size: 2 },
  ],
];

test.each(readable)('a shape reads %s', (_, json, expected) => {
  expect(team(readJson(json))).toEqual({ ...least, ...expected });
});

const unreadable: [string, string, string][] = [
  ['another value', '[]', 'an object, got a list'],
  ['a missing property, by its first name', '{}', 'teamId to be text, got nothing'],
  ['a property under its second name, by the first', '{"id":5}', 'teamId to be text, got the number 5'],
  ['the property that says something', '{"teamId":"a","name":5}', 'name to be text, got the number 5'],
  ['an unknown word', '{"teamId":"a","level":"mid"}', 'level to be one of Low, High, got the text "mid"'],
  [
    'a text that is no flag',
    '{"teamId":"a","isOpen":"true"}',
    'isOpen to be true or false, got the text "true"',
  ],
  [
    'the digits of a number',
    '{"teamId":"a","counts":{"x":1.50}}',
    'counts.x to be a whole number, got the number 1.50',
  ],
  [
    'a number that is too large',
    '{"teamId":"a","score":1e400}',
    'score to be a number, got the number 1e400',
  ],
  ['an inner property', '{"teamId":"a","lead":{}}', 'lead.name to be text, got nothing'],
  ['an inner value', '{"teamId":"a","lead":"x"}', 'lead to be an object, got the text "x"'],
  ['an item', '{"teamId":"a","members":[{"name":"b"},7]}', 'members[1] to be an object, got the number 7'],
  ['the property of an item', '{"teamId":"a","members":[{}]}', 'members[0].name to be text, got nothing'],
  [
    'an item that is an answer of its own',
    '{"teamId":"a","guests":[7]}',
    'members to hold objects, got the number 7',
  ],
  ['its property', '{"teamId":"a","guests":[{}]}', 'name to be text, got nothing'],
  ['a value that is no list', '{"teamId":"a","guests":{}}', 'guests to be a list, got an object'],
];

test.each(unreadable)('a message quotes %s', (_, json, expected) => {
  expect(() => team(readJson(json))).toThrow(`expected ${expected}`);
});

test('the only property that is wanted is read by its name', () => {
  const items = within('items', list(text), 'a page');
  expect(items({ items: ['a'], total: 1 })).toEqual(['a']);
  expect(() => items(null)).toThrow('expected a page, got null');
  expect(() => items({})).toThrow('expected items to be a list, got nothing');
});
