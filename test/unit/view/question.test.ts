import { expect, test } from 'vitest';
import { applyQuestion } from '../../../src/view/text/question-text.js';
import { change } from './samples.js';

const moved = change('group/new', { action: 'adopt', renamedFrom: 'group/old' });
const many = Array.from({ length: 1_200 }, (_, index) => change(`group/g${index}`, { action: 'create' }));
const changes = (['update', 'delete', 'delete', 'none'] as const).map((action, index) =>
  change(`group/g${index}`, { action }),
);

test.each([
  ['https://collect.example.com', changes, 'Apply 1 update and 2 deletes to collect.example.com?'],
  ['http://127.0.0.1:4010/api', changes.slice(0, 1), 'Apply 1 update to 127.0.0.1:4010?'],
  ['http://a.example', [...many, moved], 'Apply 1,200 creates and 1 moved key to a.example?'],
  ['https://collect.example.com', [], 'Apply this plan to collect.example.com?'],
])('the question for a plan for %s counts what it does: %#', (service, list, expected) => {
  expect(applyQuestion({ service, changes: list })).toBe(expected);
});
