import { readFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import { describe, expect, it } from 'vitest';
import { type Diagnostic, diagnosticCodes } from '../../../src/model/diagnostic.js';
import { sarif } from '../../../src/view/ci/sarif.js';
import { codeTexts } from '../../../src/view/code-texts.js';
import { jsonText } from '../../../src/view/json/diagnostics-json.js';
import { diagnostics, place, sarifRun } from './samples.js';

const validate = publishedSchema();

const one: Diagnostic = {
  severity: 'error',
  code: 'schema',
  message: '`members` must be a list, not text',
  help: 'Write it as a list: [acme-shop]',
  place: place(4, 14, 9, '    members: acme-shop'),
};
const homeless: Diagnostic = {
  severity: 'error',
  code: 'missing-setting',
  message: 'there is no roster.yaml',
};
const inFile = (file: string): Diagnostic => ({ ...one, place: place(1, 1, 1, 'a', file) });

const logs: [string, readonly Diagnostic[]][] = [
  ['no problems', []],
  ['the samples', diagnostics],
  ['every code', diagnosticCodes.map((code) => ({ ...one, code }))],
  ['every code without a place', diagnosticCodes.map((code) => ({ ...homeless, code }))],
  ['a warning without a place', [{ ...homeless, severity: 'warning' }]],
  ['a note without a place', [{ ...homeless, severity: 'info' }]],
  ['a note', [{ ...one, severity: 'info' }]],
  ['a tab before the place', [{ ...one, place: place(1, 2, 4, '\tname: x') }]],
  ['wide characters', [{ ...one, place: place(9, 12, 2, 'name: "👨‍👩‍👧"  価格') }]],
  [
    'a long line',
    [{ ...one, place: place(3, 900_001, 2, `${'x'.repeat(900_000)}ab${'y'.repeat(900_000)}`) }],
  ],
  ['an empty line', [{ ...one, place: place(1, 1, 0, '') }]],
  [
    'the same place twice',
    [{ ...one, related: [1, 2].map(() => ({ message: 'here', place: place(1, 1, 1, '') })) }],
  ],
  [
    '1,000 problems',
    Array.from({ length: 1000 }, (_, index) => ({ ...one, place: place(index + 1, 1, 1, '') })),
  ],
  ['characters that steer', [{ ...one, message: 'a\u001b[2J\r\n::error::\u202e\ud800', help: '\u0000' }]],
  [
    'names of files',
    ['a b.yaml', 'a#b.yaml', '100%.yaml', 'a:b.yaml', 'é/価格.yaml', 'a\\b.yaml', '\ud800.yaml'].map(inFile),
  ],
];

describe.each(logs)('a SARIF log of %s', (_, list) => {
  const log = JSON.parse(jsonText(sarif(list, sarifRun))) as ReturnType<typeof sarif>;
  const [run] = log.runs;

  it('fits the published schema', () => expect([validate(log), validate.errors]).toEqual([true, null]));

  it('has each diagnostic once, as a result if it has a place', () => {
    const notifications = run.invocations[0].toolConfigurationNotifications;
    const located = list.filter((each) => each.place !== undefined);
    expect(run.results.map((each) => each.ruleId)).toEqual(located.map((each) => each.code));
    expect(notifications.map((each) => each.descriptor.id)).toEqual(
      list.filter((each) => each.place === undefined).map((each) => each.code),
    );
  });

  it('has every property that GitHub requires of results and rules', () => {
    for (const { ruleId, ruleIndex, level, message, locations } of run.results) {
      expect(run.tool.driver.rules[ruleIndex]?.id).toBe(ruleId);
      expect(['error', 'warning', 'note']).toContain(level);
      expect(message.text).not.toBe('');
      expect(locations).toHaveLength(1);
    }
    for (const { id, name, helpUri } of run.tool.driver.rules) {
      expect(name).toMatch(/^(?:[A-Z][a-z]+)+$/);
      expect(helpUri).toBe(sarifRun.helpUri(id));
    }
    for (const { shortDescription, fullDescription, help } of run.tool.driver.rules)
      for (const { text } of [shortDescription, fullDescription, help])
        expect(text.length).toBeGreaterThan(3);
  });
});

describe('the category of a SARIF log', () => {
  it.each([
    ['pricing', 'production', 'roster/pricing/production/'],
    ['pricing', null, 'roster/pricing/'],
    ['pricing', '*', 'roster/pricing/*/'],
    [null, null, 'roster/'],
    ['a/b \ud800', 'c', 'roster/a%2Fb%20%EF%BF%BD/c/'],
  ])('of the project %j in the environment %j is %s', (project, environment, id) => {
    const [run] = sarif([], { ...sarifRun, project, environment }).runs;
    expect(run.automationDetails).toEqual({ id });
  });
});

describe('the location of a SARIF result', () => {
  const locationOf = (each: Diagnostic) =>
    sarif([each], sarifRun).runs[0].results[0]?.locations[0]?.physicalLocation;

  it('is a region in UTF-16 code units with an exclusive end', () => {
    expect(sarif([one], sarifRun).runs[0].columnKind).toBe('utf16CodeUnits');
    expect(locationOf(one)?.region).toEqual({ startLine: 4, startColumn: 14, endLine: 4, endColumn: 23 });
  });

  it('covers at least one character', () => {
    expect(locationOf({ ...one, place: place(1, 1, 0, '') })?.region).toMatchObject({ endColumn: 2 });
  });

  it.each([
    ['roster.yaml', 'roster.yaml'],
    ['teams/retail.yaml', 'teams/retail.yaml'],
    ['../roster.yaml', '../roster.yaml'],
    ['a b/c#d?.yaml', 'a%20b/c%23d%3F.yaml'],
    ['100%25.yaml', '100%2525.yaml'],
    ['c:/x.yaml', 'c%3A/x.yaml'],
    ['a\\b.yaml', 'a%5Cb.yaml'],
    ['é/価.yaml', '%C3%A9/%E4%BE%A1.yaml'],
    ['a\u202eb\n.yaml', 'a%E2%80%AEb%0A.yaml'],
    ['\ud800.yaml', '%EF%BF%BD.yaml'],
  ])('%j is written as %s, below the source root', (file, uri) => {
    const address = locationOf(inFile(file))?.artifactLocation;
    expect(address).toEqual({ uri, uriBaseId: '%SRCROOT%' });
    expect(decodeURIComponent(uri)).toBe(file.toWellFormed());
    expect(sarif([one], sarifRun).runs[0].originalUriBaseIds).toHaveProperty(['%SRCROOT%', 'description']);
  });
});

describe('a diagnostic without a place in SARIF', () => {
  it('is a notification, and an error fails the run', () => {
    const [{ invocations, results, tool }] = sarif([homeless, one], sarifRun).runs;
    expect(results).toHaveLength(1);
    expect(invocations).toEqual([
      {
        executionSuccessful: false,
        toolConfigurationNotifications: [
          {
            descriptor: { id: 'missing-setting' },
            level: 'error',
            message: { text: 'there is no roster.yaml' },
          },
        ],
      },
    ]);
    expect(tool.driver).toMatchObject({ notifications: [{ id: 'missing-setting' }] });
  });

  it('does not fail a run that reports results', () => {
    expect(sarif([one], sarifRun).runs[0].invocations[0].executionSuccessful).toBe(true);
  });
});

it('text from a manifest cannot create a link in a SARIF message', () => {
  const message = 'no agent "[click](https://evil.example)"';
  const text = sarif([{ ...one, message, help: message }], sarifRun).runs[0].results[0]?.message.text;
  expect(text).not.toMatch(/\[[^\]]*\]\(/);
  expect(text).toContain('[click]\\u{28}https://evil.example)');
});

it('every code has a title and a text of its own, in whole sentences', () => {
  const texts = Object.values(codeTexts);
  for (const part of ['title', 'means'] as const)
    expect(new Set(texts.map((each) => each[part])).size).toBe(diagnosticCodes.length);
  for (const { title, means, help } of texts) {
    expect(title).toMatch(/^[A-Z].*[^.]$/);
    expect(`${means} ${help}`).toMatch(/^[A-Z].*\. .*\.$/);
  }
});

function publishedSchema() {
  const path = new URL('../../fixtures/sarif-schema-2.1.0.json', import.meta.url);
  // It is a draft-04 schema: its `id` is called otherwise since, and all else that it says means the same.
  const { id, $schema, ...schema } = JSON.parse(readFileSync(path, 'utf8'));
  const ajv = new Ajv({ strict: false, allErrors: true, unicodeRegExp: false });
  ajv.addFormat('uri', (text: string) => URL.canParse(text));
  ajv.addFormat('uri-reference', /^(?:[\w\-.~:/?#[\]@!$&'()*+,;=]|%[0-9A-F]{2})*$/);
  ajv.addFormat('date-time', true);
  return ajv.compile(schema);
}
