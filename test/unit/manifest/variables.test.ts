import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/model/json.js';
import { load, problems } from './project.js';

const env = {
  TOKEN: 'hunter2-secret',
  EMPTY: '',
  CRON: 'secret cron',
  CONTROL: 'a\u202eb',
  ROSTER_API_KEY: 'svc_live_x',
};

function project(vars: string, entry: string): string {
  return `project: p\nvars: ${vars}\ngroups: { h: { members: [] } }\nschedules:\n  s: ${entry}\n`;
}

function read(vars: string, inputs: string): unknown {
  const loaded = load(project(vars, `{ target: group/h, once: x, inputs: ${inputs} }`), { env });
  expect(loaded.diagnostics).toEqual([]);
  const entry = loaded.project?.entries.at(-1);
  return (entry?.declared as { entry: JsonObject } | undefined)?.entry['inputs'];
}

describe('variables', () => {
  it.each<[string, string, unknown]>([
    ['{ n: 3 }', '{ a: "${var.n}", b: "x${var.n}y", c: "${var.n}${var.n}" }', { a: 3, b: 'x3y', c: '33' }],
    ['{ on: true }', '{ a: "${var.on}", b: " ${var.on}" }', { a: true, b: ' true' }],
    ['{ l: [1, { x: y }] }', '{ a: "${var.l}" }', { a: [1, { x: 'y' }] }],
    ['{ a: "${var.b}", b: "${var.c}!", c: 1 }', '{ a: "${var.a}" }', { a: '1!' }],
    ['{ l: ["${var.n}"], n: 1.5 }', '{ a: "${var.l}" }', { a: [1.5] }],
    [
      '{}',
      '{ a: "$${var.x}", b: "$$${", c: "$", d: "{}", e: "$$" }',
      { a: '${var.x}', b: '$${', c: '$', d: '{}', e: '$$' },
    ],
    ['{}', '{ a: "${env.TOKEN}", b: "<${env.EMPTY}>" }', { a: 'hunter2-secret', b: '<>' }],
    ['{ t: "${env.TOKEN}" }', '{ "${var.t}": "${var.t}" }', { '${var.t}': 'hunter2-secret' }],
    ['{ toString: 1 }', '{ a: "${var.toString}" }', { a: 1 }],
  ])('%s in %s', (vars, inputs, expected) => {
    expect(read(vars, inputs)).toEqual(expected);
  });

  it.each<[string, string, string, string[]]>([
    ['unknown', '{ zone: x }', '"${var.zome}"', ['roster.yaml:5:45 unknown-variable «${var.zome}»']],
    [
      'unknown, inherited from Object',
      '{}',
      '"${var.toString}"',
      ['roster.yaml:5:45 unknown-variable «${var.toString}»'],
    ],
    ['another form', '{}', '"${ var.x }"', ['roster.yaml:5:45 unknown-variable «${ var.x }»']],
    ['another namespace', '{}', '"${file.x}"', ['roster.yaml:5:45 unknown-variable «${file.x}»']],
    ['not closed', '{}', '"a ${var.x"', ['roster.yaml:5:47 unknown-variable «${»']],
    [
      'a cycle',
      '{ a: "${var.b}", b: "${var.a}" }',
      '"${var.a}"',
      ['roster.yaml:2:28 unknown-variable «${var.a}»'],
    ],
    [
      'the API key',
      '{}',
      '"${env.ROSTER_API_KEY}"',
      ['roster.yaml:5:45 unknown-variable «${env.ROSTER_API_KEY}»'],
    ],
    [
      'the API key in other letters',
      '{}',
      '"${env.roster_api_key}"',
      ['roster.yaml:5:45 unknown-variable «${env.roster_api_key}»'],
    ],
    [
      'not in the environment',
      '{}',
      '"${env.NOWHERE}"',
      ['roster.yaml:5:45 missing-environment-variable «${env.NOWHERE}»'],
    ],
    ['a list inside a text', '{ l: [] }', '"x${var.l}"', ['roster.yaml:5:46 unknown-variable «${var.l}»']],
    [
      'not in the environment, used twice',
      '{ a: "${env.NOWHERE}" }',
      '"${var.a}${var.a}"',
      ['roster.yaml:2:13 missing-environment-variable «${env.NOWHERE}»'],
    ],
  ])('%s is told where it is used', (_, vars, value, expected) => {
    const text = project(vars, `{ target: group/h, once: x, timeZone: ${value} }`);
    expect(problems(text, { env })).toEqual(expected);
  });
});

describe('values from the environment', () => {
  const told = (entry: string, vars = '{}') => load(project(vars, entry), { env });

  it('mark the fields that hold them, and are listed', () => {
    const { project: loaded } = told(
      '{ target: group/h, once: x, inputs: { deep: [{ v: "a ${var.t}" }], w: 1 }, timeZone: UTC }',
      '{ t: "${env.TOKEN}" }',
    );
    expect(loaded?.entries.at(-1)?.sensitive).toEqual(['inputs']);
    expect(loaded?.entries[0]?.sensitive).toEqual([]);
    expect(loaded?.secrets).toEqual(['hunter2-secret']);
  });

  it('mark every field of an entry that is as a whole one variable', () => {
    const vars = '{ e: { target: group/h, once: x, inputs: { v: "${env.TOKEN}" } }, f: "${var.e}" }';
    const { project: loaded } = told('${var.f}', vars);
    expect(loaded?.entries.at(-1)?.sensitive).toEqual(['target', 'once', 'inputs']);
    const plain = told('${var.e}', '{ e: { target: group/h, once: x } }').project;
    expect(plain?.entries.at(-1)?.sensitive).toEqual([]);
  });

  it.each([
    ['what the schema says', '{ target: "${env.TOKEN}", once: x }', 'schema'],
    ['a wrong type', '{ target: group/h, once: x, enabled: "${env.TOKEN}" }', 'schema'],
    ['what a kind says', '{ target: group/h, cron: "${env.CRON}", startTime: x }', 'invalid-cron'],
    ['a reference', '{ target: "group/${env.TOKEN}", once: x }', 'unknown-reference'],
    ['a list for which a variable stands', '{ target: group/h, once: x, inputs: "${env.TOKEN}" }', 'schema'],
    ['what cannot be seen', '{ target: group/h, once: "${env.CONTROL}" }', 'unsafe-text'],
    [
      'what a kind says of an entry that is one variable',
      '"${var.e}"',
      'invalid-cron',
      '{ e: { target: group/h, cron: "${env.CRON}", startTime: x } }',
    ],
    [
      'a reference in an entry that is one variable',
      '"${var.e}"',
      'unknown-reference',
      '{ e: { target: "group/${env.TOKEN}", once: x } }',
    ],
    [
      'what the schema says of an entry that is one variable',
      '"${var.e}"',
      'schema',
      '{ e: { target: "${env.TOKEN}", once: x } }',
    ],
  ])('are not shown by %s', (_, entry, code, vars = '{}') => {
    const { diagnostics } = told(entry, vars);
    expect(diagnostics).toMatchObject([{ code }]);
    for (const secret of [...Object.values(env).filter((each) => each !== ''), '202E'])
      expect(JSON.stringify(diagnostics)).not.toContain(secret);
  });

  it('are refused where plans show the setting', () => {
    expect(problems('project: "${env.NAME}"\n', { env: { NAME: 'p' } })).toEqual([
      'roster.yaml:1:1 schema «project»',
    ]);
    expect(
      load('project: p\nservice: { url: "https://${env.HOST}" }\n', { env: { HOST: 'h' } }).project?.url,
    ).toBe('https://h');
  });
});
