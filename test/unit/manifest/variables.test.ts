import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/model/json.js';
import { stepsOf } from '../../support/cost.js';
import { isLong } from '../../support/size.js';
import { load, problems } from './project.js';

const env = {
  TOKEN: 'hunter2-secret',
  EMPTY: '',
  CRON: 'secret cron',
  CONTROL: 'a\u0007b',
  OTHER: 'hunter2-other',
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
    ['{}', '{ a: "${env.TOKEN}", b: "<${env.OTHER}>" }', { a: 'hunter2-secret', b: '<hunter2-other>' }],
    ['{ t: "${env.TOKEN}" }', '{ "${t}": "${var.t}" }', { '${t}': 'hunter2-secret' }],
    [
      '{ a: "x$" }',
      '{ a: "${var.a}{env.TOKEN}", b: "${env.TOKEN}" }',
      { a: 'x${env.TOKEN}', b: 'hunter2-secret' },
    ],
    ['{ toString: 1 }', '{ a: "${var.toString}" }', { a: 1 }],
  ])('%s in %s', (vars, inputs, expected) => {
    expect(read(vars, inputs)).toEqual(expected);
  });

  it.each<[string, string, string, string[]]>([
    ['unknown', '{ zone: x }', '"${var.zome}"', ['roster.yaml:5:48 unknown-variable «${var.zome}»']],
    [
      'unknown, inherited from Object',
      '{}',
      '"${var.toString}"',
      ['roster.yaml:5:48 unknown-variable «${var.toString}»'],
    ],
    ['another form', '{}', '"${ var.x }"', ['roster.yaml:5:48 unknown-variable «${ var.x }»']],
    ['another namespace', '{}', '"${file.x}"', ['roster.yaml:5:48 unknown-variable «${file.x}»']],
    ['not closed', '{}', '"a ${var.x"', ['roster.yaml:5:50 unknown-variable «${»']],
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
      ['roster.yaml:5:48 misplaced-variable «${env.ROSTER_API_KEY}»'],
    ],
    [
      'the API key in other letters',
      '{}',
      '"${env.roster_api_key}"',
      ['roster.yaml:5:48 misplaced-variable «${env.roster_api_key}»'],
    ],
    [
      'not in the environment',
      '{}',
      '"${env.NOWHERE}"',
      ['roster.yaml:5:48 missing-environment-variable «${env.NOWHERE}»'],
    ],
    ['a list inside a text', '{ l: [] }', '"x${var.l}"', ['roster.yaml:5:49 unknown-variable «${var.l}»']],
    [
      'not in the environment, used twice',
      '{ a: "${env.NOWHERE}" }',
      '"${var.a}${var.a}"',
      ['roster.yaml:2:13 missing-environment-variable «${env.NOWHERE}»'],
    ],
  ])('%s is reported where it is used', (_, vars, value, expected) => {
    const text = project(vars, `{ target: group/h, once: x, inputs: { z: ${value} } }`);
    expect(problems(text, { env })).toEqual(expected);
  });
});

describe('limits of variables', () => {
  /** Each refers to the next; the last one is `end`. */
  const chain = (count: number, link: (next: string) => string, end: string) =>
    Array.from({ length: count }, (_, at) =>
      at === count - 1 ? `v${at}: ${end}` : `v${at}: ${link(`"\${var.v${at + 1}}"`)}`,
    );
  const nested = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`;
  const inputs = (value: string) => `{ target: group/h, once: x, inputs: ${value} }`;

  it.each<[string, string[], string, string[]]>([
    [
      'a chain of 16, used 100 times',
      chain(16, (next) => next, 'x'),
      inputs(`{ a: [${'"${var.v0}", '.repeat(100)}] }`),
      [],
    ],
    [
      'a long text that is handed on',
      chain(16, (next) => next, 'x'.repeat(60_000)),
      inputs(`{ a: [${'"${var.v0}", '.repeat(50)}] }`),
      [],
    ],
    [
      'lists of ten lists',
      chain(6, (next) => `[${`${next}, `.repeat(10)}]`, 'x'),
      inputs('{ a: "${var.v0}" }'),
      ['limit-exceeded'],
    ],
    [
      'a list of 40,000, used 20 times',
      [`v0: [${'x, '.repeat(40_000)}]`],
      inputs(`{ a: [${'"${var.v0}", '.repeat(20)}] }`),
      ['limit-exceeded'],
    ],
    // The file, the section, the entry, `inputs` and `a` are five levels of the 64.
    ['59 levels below the fifth', [`v0: ${nested(59)}`], inputs('{ a: ["${var.v0}"] }'), []],
    ['60 levels below the fifth', [`v0: ${nested(60)}`], inputs('{ a: ["${var.v0}"] }'), ['limit-exceeded']],
    [
      'levels of several variables',
      chain(3, (next) => `${'['.repeat(30)}${next}${']'.repeat(30)}`, '[]'),
      inputs('{ a: "${var.v0}" }'),
      ['limit-exceeded'],
    ],
    [
      'levels in a setting',
      [`v0: ${nested(64)}`],
      '{ target: group/h, once: x }\nscopes: "${var.v0}"',
      ['limit-exceeded'],
    ],
  ])('%s', (_, vars, entry, expected) => {
    expect(load(project(`{ ${vars.join(', ')} }`, entry)).diagnostics.map((each) => each.code)).toEqual(
      expected,
    );
  });
});

describe('the place of an invalid use', () => {
  const places = (value: string) =>
    problems(project('{ l: [] }', `{ target: group/h, once: x, timeZone: ${value} }`));
  it.each<[string, string, string[]]>([
    [
      'after an escaped one',
      '"$${var.nope} then ${var.nope}"',
      ['roster.yaml:5:63 unknown-variable «${var.nope}»'],
    ],
    [
      'twice in one text',
      '"${var.nope} and ${var.nope}"',
      ['roster.yaml:5:45 unknown-variable «${var.nope}»', 'roster.yaml:5:61 unknown-variable «${var.nope}»'],
    ],
    ['a list after an escaped one', '"$${var.l}${var.l}"', ['roster.yaml:5:54 unknown-variable «${var.l}»']],
    [
      'not set, after an escaped one',
      '"$${env.NOPE}${env.NOPE}"',
      ['roster.yaml:5:57 misplaced-variable «${env.NOPE}»'],
    ],
    [
      'next to an escape of YAML',
      '"\\u0024{var.nope}"',
      ['roster.yaml:5:44 unknown-variable «"\\u0024{var.nope}"»'],
    ],
  ])('%s', (_, value, expected) => {
    expect(places(value)).toEqual(expected);
  });

  it.runIf(isLong)('is found in linear time', () => {
    const text = (count: number) =>
      project('{}', `{ target: group/h, once: x, inputs: { a: "${'${x}'.repeat(count)}" } }`);
    const [short = 0, long = 0] = [500, 5_000].map((count) => stepsOf(() => problems(text(count))));
    expect(long / short).toBeLessThan(12);
  });
});

describe('values from the environment', () => {
  const reported = (entry: string, vars = '{}') => load(project(vars, entry), { env });

  it('mark the fields that contain them, and are listed', () => {
    const { project: loaded } = reported(
      '{ target: group/h, once: x, inputs: { deep: [{ v: "a ${var.t}" }], w: 1 }, timeZone: UTC }',
      '{ t: "${env.TOKEN}" }',
    );
    expect(loaded?.entries.at(-1)?.templates).toEqual({
      inputs: { deep: [{ v: 'a ${env.TOKEN}' }], w: 1 },
    });
    expect(loaded?.entries[0]?.templates).toEqual({});
    expect(loaded?.secrets).toEqual(['hunter2-secret']);
  });

  it('are not secret if a manifest writes them out', () => {
    const written = reported(
      '{ target: group/h, once: x, inputs: { v: "${env.TOKEN}", w: hunter2-secret } }',
    );
    expect(written.project?.secrets).toEqual([]);
    const joined = '{ target: group/h, once: x, inputs: { v: "${env.TOKEN}", w: "${var.a}-secret" } }';
    expect(reported(joined, '{ a: hunter2 }').project?.secrets).toEqual([]);
  });

  it.each(['${var.t}', '${env.TOKEN}', 'x-${roster.project}'])('are not put into a name: %s', (name) => {
    const entry = `{ target: group/h, once: x, inputs: { "${name}": 1 } }`;
    const [use] = /\$.*/.exec(name) ?? [];
    expect(problems(project('{ t: x }', entry), { env })).toEqual([
      expect.stringContaining(`misplaced-variable «${use}»`),
    ]);
  });

  it('cannot follow a `$`, which would make their template an escape', () => {
    const vars = '{ a: "x$", none: "", t: "${env.TOKEN}" }';
    for (const written of ['${var.a}${env.TOKEN}', '${var.a}${var.none}${var.t}!'])
      expect(
        problems(project(vars, `{ target: group/h, once: x, inputs: { v: "${written}" } }`), { env }),
      ).toEqual([expect.stringContaining('misplaced-variable')]);
    const { project: loaded, diagnostics } = reported(
      '{ target: group/h, once: x, inputs: { v: "${var.a}{env.TOKEN} ${env.TOKEN}", w: "${var.a} ${env.TOKEN}$" } }',
      vars,
    );
    expect(diagnostics).toEqual([]);
    expect(loaded?.entries.at(-1)?.templates).toEqual({
      inputs: { v: 'x$${env.TOKEN} ${env.TOKEN}', w: 'x$ ${env.TOKEN}$' },
    });
  });

  it('are not quoted where a list of them cannot be put into a text', () => {
    const { diagnostics } = reported(
      '{ target: group/h, once: x, inputs: { v: "x${var.l}" } }',
      '{ l: ["${env.TOKEN}", b] }',
    );
    expect(diagnostics.map(({ help }) => help)).toEqual([
      'Use `${var.l}` as the whole value. Lists are not joined: add a value that is the text, such as `"${env.TOKEN}, b"`, and use that here.',
    ]);
  });

  it('that are not set are reported where a variable with them may be used, and only there', () => {
    const vars = '{ t: "${env.NONE}", u: "<${var.t}>", m: { a: "${env.NONE}", b: x } }';
    const of = (entry: string, options = {}) => problems(project(vars, entry), { env, ...options });
    const missing = 'roster.yaml:2:13 missing-environment-variable «${env.NONE}»';
    expect(of('{ target: group/h, once: x, inputs: { v: "${var.u}", w: "${var.t}" } }')).toEqual([missing]);
    expect(of('{ target: group/h, once: "${var.u}" }')).toEqual([
      'roster.yaml:5:32 misplaced-variable «${var.u}»',
    ]);
    expect(of('{ target: group/h, once: "${var.m.b}" }')).toEqual([]);
    expect(of('{ target: group/h, once: x, inputs: { v: "${var.u}" } }', { allowMissingEnv: true })).toEqual([
      missing.replace('missing', 'warning missing'),
    ]);
  });

  it('leave literal openings escaped in their templates', () => {
    const { project: loaded } = reported(
      '{ target: group/h, once: x, inputs: { v: "$${env.A} ${var.l} ${env.TOKEN}", w: "${var.l}" } }',
      "{ l: '$${env.B}' }",
    );
    expect(loaded?.entries.at(-1)?.templates).toEqual({
      inputs: { v: '$${env.A} $${env.B} ${env.TOKEN}', w: '$${env.B}' },
    });
  });

  it.each([
    ['what the schema says', '{ target: group/h, once: x, inputs: "${env.TOKEN}" }', 'schema'],
    ['what cannot be seen', '{ target: group/h, once: x, inputs: { a: "${env.CONTROL}" } }', 'unsafe-text'],
  ])('are not shown by %s', (_, entry, code, vars = '{}') => {
    const { diagnostics } = reported(entry, vars);
    expect(diagnostics).toMatchObject([{ code }]);
    for (const secret of [...Object.values(env).filter((each) => each !== ''), 'U+7'])
      expect(JSON.stringify(diagnostics)).not.toContain(secret);
  });

  it.each([
    ['a setting', 'project: "${env.NAME}"\n', '${env.NAME}'],
    ['the URL', 'project: p\nservice: { url: "https://${env.NAME}" }\n', '${env.NAME}'],
    ['a reference', project('{}', '{ target: "group/${env.NAME}", once: x }'), '${env.NAME}'],
    ['a variable', project('{ t: "${env.NAME}" }', '{ target: "${var.t}", once: x }'), '${var.t}'],
    ['an entry', project('{ e: { inputs: { a: "${env.NAME}" } } }', '"${var.e}"'), '${var.e}'],
    [
      'a reserved name',
      project('{}', '{ target: group/h, once: x, inputs: { a: "${env.ci_x}" } }'),
      '${env.ci_x}',
    ],
  ])('are refused in %s', (_, text, written) => {
    const [found] = problems(text, { env: { NAME: 'p', ci_x: 'x' } });
    expect(found).toContain(`misplaced-variable «${written}»`);
  });

  it.each(['GH_TOKEN', 'GIT_CONFIG_VALUE_0', 'ACTIONS_RUNTIME_TOKEN'])(
    'are refused if they belong to a step of CI: %s',
    (name) => {
      const text = project('{}', `{ target: group/h, once: x, inputs: { a: "\${env.${name}}" } }`);
      expect(problems(text, { env: { [name]: 'x' } })[0]).toContain('misplaced-variable');
    },
  );

  it('are refused if they are empty', () => {
    const text = project('{}', '{ target: group/h, once: x, inputs: { a: "${env.EMPTY}" } }');
    expect(problems(text, { env })).toEqual(['roster.yaml:5:48 missing-environment-variable «${env.EMPTY}»']);
  });
});

describe('a variable of an environment that is never used', () => {
  const reported = (own: string, members: string) =>
    load(
      `project: p\nvars: { country: DE }\nenvironments: { e: { vars: { ${own} } } }\ngroups: { g: { members: [${members}] } }\n`,
      { environment: 'e' },
    ).diagnostics;

  it('is reported if it is similar to one of the project', () => {
    expect(reported('contry: XX', '"${var.country}"')).toMatchObject([
      {
        severity: 'warning',
        code: 'unknown-variable',
        place: { line: 3, column: 30 },
        help: 'Did you mean `country`?',
      },
    ]);
  });

  it('but not if its use may be in what cannot be read', () => {
    const text =
      'project: p\nvars: { country: DE }\nenvironments: { e: { vars: { contry: XX } } }\npipelines: ["${var.contry}"]\n';
    expect(load(text, { environment: 'e' }).diagnostics).toMatchObject([{ code: 'schema' }]);
  });

  it.each([
    ['one that is used', 'contry: XX', '"${var.contry}"'],
    ['one of the project', 'country: XX', 'a'],
    ['one unlike any of the project', 'depth: 3', 'a'],
  ])('but not %s', (_, own, members) => expect(reported(own, members)).toEqual([]));
});
