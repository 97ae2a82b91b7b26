import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { INTERFACE_OPERATIONS } from '../support/interface-operations.js';
import { RULES, SECTIONS } from './rules.js';

/** The list of rules in rules.ts names tests that exist. */

const pathOf = (file: string) => join(import.meta.dirname, `${file}.test.ts`);
const textOf = (file: string) => (existsSync(pathOf(file)) ? readFileSync(pathOf(file), 'utf8') : '');
/** A title is the first argument of a test, on the line of the call or on the next. */
const TITLE = /(?:\btest\(|\]\)\(|^\s*\)\(|\)\()\s*(?:'([^']+)'|"([^"]+)"|`([^`]+)`),/gm;
const texts = new Map([...new Set(RULES.map(({ file }) => file))].map((file) => [file, textOf(file)]));
const titlesOf = (file: string) =>
  [...(texts.get(file) ?? '').matchAll(TITLE)].map(([, one, two, three]) => one ?? two ?? three ?? '');

test('rules: each has exactly one test', () => {
  const titles = new Map([...texts.keys()].map((file) => [file, titlesOf(file)]));
  const wrong = RULES.flatMap(({ rule, file, title }) => {
    const count = titles.get(file)?.filter((each) => each.startsWith(title)).length ?? 0;
    return count === 1 ? [] : [`${rule}: ${count} tests of ${file}.test.ts start with "${title}"`];
  });
  expect(wrong).toEqual([]);
});

test('rules: every section of the interface has some, and none is listed twice', () => {
  expect([...new Set(RULES.map(({ section }) => section))]).toEqual(Object.keys(SECTIONS));
  const named = RULES.map(({ section, rule }) => `${section} ${rule}`);
  expect(named.filter((name, index) => named.indexOf(name) < index)).toEqual([]);
});

test('rules: every condition of §5.1 to §5.12 and every code of §7 is among them', () => {
  const codes = [
    'FORBIDDEN',
    'INVALID_STATE',
    'INVALID_ATTENTION_FILTER',
    'RUN_START_FAILED',
    'INVALID_ACCESS_POLICY',
    'NO_FILE_EXPORT',
    'PAYMENT_REQUIRED',
    'JOB_NOT_FOUND',
    'RUN_NOT_FOUND',
    'SAMPLE_OUTPUT_NOT_FOUND',
    'DATASETS_NOT_FOUND',
    'EXPORT_EXPIRED',
    'BULK_EXPORT_CAPACITY_EXCEEDED',
  ];
  const errors = RULES.filter(({ section }) => section === '§7').map(({ rule }) => rule);
  expect(codes.filter((code) => !errors.some((rule) => rule.includes(code)))).toEqual([]);
  expect(RULES.filter(({ section }) => section === '§5').length).toBeGreaterThanOrEqual(12);
});

test('rules: those of §4 cover every area', () => {
  const areas = new Set(INTERFACE_OPERATIONS.map(({ area }) => area));
  expect(areas.size).toBe(9);
  const files = new Set(RULES.filter(({ section }) => section === '§4').map(({ file }) => file));
  for (const file of ['collections', 'runs', 'group-runs', 'datasets', 'schedules', 'keys'])
    expect(files).toContain(file);
});
