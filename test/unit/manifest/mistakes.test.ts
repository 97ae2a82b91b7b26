import { describe, expect, it } from 'vitest';
import { kinds } from '../../../src/kinds/index.js';
import { load } from './project.js';

const small = 'project: p\ngroups:\n  shops: { members: [] }\npipelines:\n  nightly: { stages: [a] }\n';
const schedule = (lines: string) => `${small}schedules:\n  s:\n${lines.replace(/^/gm, '    ')}\n`;
const from = 'startTime: 2099-01-01T00:00:00';

/** Everything that is reported for a project, by its line: code, message, help. */
function reported(text: string): string[] {
  return load(text, { kinds }).diagnostics.map(
    ({ place, code, message, help }) => `${place?.line} ${code}: ${message}${help ? ` | ${help}` : ''}`,
  );
}

describe('one invalid property hides none of the others', () => {
  it('in a schedule', () => {
    const lines = `target: grup/shops\nevery: 6 huors\nstartTime: 6:00\ntimeZone: Europe/Berln`;
    expect(reported(schedule(lines)).map((each) => each.slice(0, each.indexOf(':')))).toEqual([
      '8 schema',
      '9 invalid-time',
      '10 invalid-time',
      '11 invalid-time-zone',
    ]);
  });

  it('in a key', () => {
    const text = `${small}keys:\n  k:\n    name: 5\n    scopes: [agents.rnu]\n    rotateAfter: 90 dasy\n`;
    expect(reported(text).map((each) => each.slice(0, each.indexOf(':')))).toEqual([
      '8 schema',
      '9 unknown-scope',
      '10 invalid-time',
    ]);
  });

  it('in a map that comes from a variable', () => {
    const vars = 'vars: { d: { foo: 1, bar: 2, file: k.env } }\n';
    const key = 'keys: { k: { scopes: [agents.run], deliver: "${var.d}" } }\n';
    expect(reported(`${small}${vars}${key}`).map((each) => each.slice(0, each.indexOf(' |')))).toEqual([
      '7 unknown-property: unknown property "foo"',
      '7 unknown-property: unknown property "bar"',
    ]);
  });

  it('in a schedule with two timings, and a target that does not exist', () => {
    const lines = 'target: group/nope\nevery: 0 hours\ncron: x\nonce: soon\ntimeZone: Europe/Berln';
    expect(reported(schedule(lines)).map((each) => each.slice(0, each.indexOf(':')))).toEqual([
      '8 unknown-reference',
      '9 invalid-time',
      '10 schema',
      '10 invalid-cron',
      '11 invalid-time',
      '12 invalid-time-zone',
    ]);
  });

  it.each([
    [
      'a property that is unknown',
      'target: group/nope\nevery: 1 day\nstartTime: 2099-01-01T00:00:00\nfoo: 1',
    ],
    ['a start that is missing', 'target: group/nope\nevery: 1 day'],
    ['a value of the wrong type', `target: group/nope\nevery: 1 day\n${from}\nenabled: maybe`],
  ])('in a schedule with %s: what it targets does not exist', (_, lines) => {
    const codes = load(schedule(lines), { kinds }).diagnostics.map(({ code }) => code);
    expect([codes.length, codes]).toEqual([2, expect.arrayContaining(['unknown-reference'])]);
  });

  it('in entries that take the place of others', () => {
    const text = `${small}  a: { stages: [a], foo: 1, id: 7 }\n  b: { stages: [a], foo: 1, id: 7, formerly: nightly }\n`;
    const codes = load(text, { kinds }).diagnostics.map(({ code }) => code);
    expect(codes.sort()).toEqual([
      'duplicate-entry',
      'duplicate-name',
      'unknown-property',
      'unknown-property',
    ]);
  });

  it('but a target that is missing or no address is reported once', () => {
    const codes = ['every: 1 day', 'target: nope\nevery: 1 day'].map((lines) =>
      load(schedule(`${lines}\n${from}`), { kinds }).diagnostics.map(({ code }) => code),
    );
    expect(codes).toEqual([['schema'], ['schema']]);
  });

  it('and what is already reported is not reported again', () => {
    expect(reported(schedule(`target: agent/a\nevery: \${var.nope}\n${from}\ntimeZone: [UTC]`))).toEqual([
      expect.stringMatching(/^9 unknown-variable/),
      expect.stringMatching(/^11 schema: `timeZone` must be text, not a list/),
    ]);
  });
});

describe('a hint leads to a manifest that is valid', () => {
  const key = (settings: string, scope: string) =>
    `${small}${settings}keys: { k: { scopes: [agents.run, ${scope}] } }\n`;
  const members = (list: string) => `project: p\nvars: { a: x }\ngroups: { g: { members: [${list}] } }\n`;

  it.each<[string, string, string]>([
    ['the default scopes are in the list', key('', 'data.export'), '`scopes: [agents.run, data.export]`.'],
    [
      'the declared scopes are in the list',
      key('scopes: [agents.run, a.b]\n', 'data.export'),
      '`scopes: [agents.run, a.b, data.export]`.',
    ],
    ['a misspelt scope is in no list', key('', 'agents.rnu'), 'roster.yaml, together with all others.'],
    ['the quotes are around the whole text', members('a-${var.a}'), 'Write `"a-${var.a}"`.'],
    [
      'with its spaces and other variables',
      members('b, a: ${var.a} ${var.a}:c, d'),
      'Write `"${var.a} ${var.a}:c"`.',
    ],
    ['but not around a quote', members('a"${var.a}'), 'Put the whole text in quotes.'],
    ['two braces are one too many', members('"${{ var.a }}"'), 'Did you mean `${var.a}`?'],
    [
      'and so they are for what no manifest knows',
      members('"${{ github.sha }}"'),
      'Variables have one brace on each side. Use `${var.NAME}` or `${env.NAME}`, or write `$${` for a literal `${`.',
    ],
  ])('%s', (_, text, help) => {
    expect(reported(text)).toEqual([expect.stringContaining(help)]);
  });
});

describe('a word of the interface gets the property of manifests as a hint', () => {
  const hintOf = (text: string) =>
    load(text, { kinds }).diagnostics.find(({ code }) => code === 'unknown-property')?.help;

  it.each([
    ['paused: true', 'enabled: false'],
    ['paused: false', 'enabled: true'],
    ['paused: "yes"', 'enabled'],
    ['isEnabled: false', 'enabled'],
    ['cronExpression: 0 0 6 * * *', 'cron'],
    ['timeZoneId: UTC', 'timeZone'],
    ['inputParameters: {}', 'inputs'],
    ['intervalValue: 5', 'every'],
    ['targetId: a', 'target'],
  ])('`%s` in a schedule: `%s`', (line, property) => {
    const text = schedule(`${line}\ntarget: agent/a\nevery: 1 day\n${from}`);
    expect(hintOf(text)).toBe(`Did you mean \`${property}\`?`);
  });

  it.each([
    ['groups', 'steps: [a]', 'members'],
    ['groups', 'scraperAgents: [a]', 'members'],
    ['groups', 'agentIds: [a]', 'members'],
    ['groups', 'isEnabled: true, members: []', 'active'],
    ['groups', 'paused: true, members: []', 'active: false'],
    ['pipelines', 'steps: [a]', 'stages'],
    ['pipelines', 'agents: [a]', 'stages'],
    ['pipelines', 'members: [a]', 'stages'],
  ])('%s with `%s`: `%s`', (section, entry, property) => {
    const text = `project: p\n${section}: { e: { ${entry} } }\n`;
    expect(hintOf(text)).toBe(`Did you mean \`${property}\`?`);
  });
});

describe('a target that does not exist gets the closest one as a hint', () => {
  it.each<[string, string]>([
    ['grup/shops', 'Did you mean "group/shops"?'],
    ['groups/shops', 'Did you mean "group/shops"?'],
    ['groups/shpos', 'Did you mean "group/shops"?'],
    ['Group/shops', 'Did you mean "group/shops"?'],
    ['pipline/shops', 'Did you mean "group/shops"?'],
    ['pipelines/nigthly', 'Did you mean "pipeline/nightly"?'],
    ['agents/acme', 'Did you mean "agent/acme"?'],
    ['shops', 'Did you mean "group/shops"?'],
    ['acme', 'To refer to the agent of that name, write "agent/acme".'],
    ['group/', 'Declared in this project: `group/shops`, `pipeline/nightly`.'],
    ['agent/', 'Declared in this project: `group/shops`, `pipeline/nightly`.'],
    ['group/shosp', 'Did you mean `group/shops`?'],
    ['pipeline/shops', 'Did you mean `group/shops`?'],
    ['group/s', 'Declare the group in this project. If someone else manages it, add `external: true`.'],
    ['group/k', 'Declare the group in this project. If someone else manages it, add `external: true`.'],
  ])('%s', (target, help) => {
    const key = 'keys: { k: { scopes: full } }\n';
    const { diagnostics } = load(`${schedule(`target: ${target}\nevery: 1 day\n${from}`)}${key}`, { kinds });
    expect(diagnostics.map((each) => each.help)).toEqual([help]);
  });
});

describe('a value of the wrong type gets a hint on how to write it', () => {
  const group = (lines: string) => `project: p\n${lines}\n`;
  it.each<[string, string, string]>([
    ['every', schedule(`target: agent/a\nevery: 6\n${from}`), 'Add the unit: `6 hours`.'],
    ['every', schedule(`target: agent/a\nevery: -6\n${from}`), 'Add the unit: `6 hours`.'],
    ['rotateAfter', group('keys: { k: { scopes: full, rotateAfter: 30 } }'), 'Add the unit: `30 days`.'],
    [
      'a hexadecimal name',
      group('groups: { g: { members: [], name: 0x10 } }'),
      'Put it in quotes: `"0x10"`.',
    ],
    [
      'a map of one letter too few',
      group('groups:\n  a:\n    members:[x]'),
      'Add a space after the colon: `members: [x]`.',
    ],
    [
      'a setting alike',
      group('service:\n  url:https://a.b'),
      'Add a space after the colon: `url: https://a.b`.',
    ],
    [
      'a delivery that is text',
      group('keys: { k: { scopes: full, deliver: a } }'),
      'For example: `{ file: .secrets/ci.key }`.',
    ],
    [
      'a service that is text',
      group('service: https://a.b'),
      'For example: `{ url: https://collect.example.com }`.',
    ],
    [
      'items without their space',
      group('groups:\n  g:\n    members:\n      -acme\n      -b'),
      'Add a space after the dash: `- acme`.',
    ],
    [
      'items that are not plain',
      group('groups: { g: { members: "a: b, c d" } }'),
      'Write it as a list: `["a: b", "c d"]`.',
    ],
    [
      'a first dash that is missing',
      group('groups:\n  g:\n    members:\n      a\n      - b'),
      'Begin each item of the list with `- `, on a separate line.',
    ],
    ['seconds', schedule(`target: agent/a\nevery: 21600\n${from}`), 'Add the unit: `6 hours`.'],
    ['a yes for scopes', group('keys: { k: { scopes: true } }'), 'For example: `[agents.run]`.'],
    ['all scopes in capitals', group('keys: { k: { scopes: FULL } }'), 'Did you mean `full`?'],
    ['one scope', group('keys: { k: { scopes: agents.run } }'), 'Write it as a list: `[agents.run]`.'],
    [
      'a list without its bracket',
      group('groups: { g: { members: "a, b]" } }'),
      'Write it as a list: `[a, b]`.',
    ],
    [
      'a command line',
      group('keys: { k: { scopes: full, deliver: { command: "cat > x" } } }'),
      'Write it as a list: `[sh, -c, "cat > x"]`.',
    ],
    [
      'a target as a map',
      schedule('target: { group: a }\nonce: 2099-01-01T00:00'),
      'Write it as text: `group/a`.',
    ],
    ['an agent as a map', group('pipelines: { p: { stages: [{ agent: a }] } }'), 'Write it as text: `a`.'],
    ['a number for a yes', group('groups: { g: { members: [], active: 1 } }'), 'Write `true` or `false`.'],
    ['a no for a word', group('prune: false'), 'Valid values: `owned`, `all`, `never`.'],
    ['a timestamp', schedule('target: agent/a\nonce: 1764568800'), 'For example: `2026-12-24T08:00:00`.'],
    ['spaces around a name', group('groups: { g: { members: [], name: " x " } }'), 'Write "x".'],
    ['an address without https', group('service: { url: a.example.com }'), 'Write "https://a.example.com".'],
    ['a name with spaces for the project', 'project: My Project\n', 'Write "my-project".'],
    ['a manifest of one word', 'project:p\n', 'Add a space after the colon: `project: p`.'],
    [
      'zeros at the beginning',
      group('groups: { g: { members: [], name: 007 } }'),
      'Put it in quotes if it is text: `"007"`.',
    ],
    ['a power of ten', group('groups: { g: { members: [1e3] } }'), 'Put it in quotes: `"1e3"`.'],
    ['True', group('groups: { g: { members: [True] } }'), 'Put it in quotes: `"True"`.'],
    [
      'a variable that is a number',
      group('vars: { n: 12 }\ngroups: { g: { members: [], name: "${var.n}" } }'),
      'Change the value of the variable "n".',
    ],
    [
      'a variable that is text',
      group('vars: { s: "60" }\nlimits: { startsPerMinute: "${var.s}" }'),
      'Change the value of the variable "s".',
    ],
  ])('%s', (_, text, help) => {
    expect(load(text, { kinds }).diagnostics.map((each) => each.help)).toEqual([help]);
  });
});

describe('a path that must not contain a key is reported offline', () => {
  const files = { 'teams/a.yaml': 'groups: { g: { members: [] } }\n' };
  it.each<[string, string]>([
    ['.secrets/', '`file` must be the path of a file'],
    ['.', '`file` must be the path of a file'],
    ['a/.', '`file` must be the path of a file'],
    ['.git/config', '`file` must be the path of a file'],
    ['a/.GIT/hooks/x', '`file` must be the path of a file'],
    ['roster.yaml', '"roster.yaml" is a file of the project itself'],
    ['./teams//a.yaml', '"./teams//a.yaml" is a file of the project itself'],
    ['state.json', '"state.json" is a file of the project itself'],
    ['state.json.lock', '"state.json.lock" is a file of the project itself'],
    ['teams/new.YML', '"teams/new.YML" has the name of a manifest'],
  ])('%s', (file, message) => {
    const text = `project: p\ninclude: [teams/a.yaml]\ninventory: { file: state.json }\nkeys: { k: { scopes: full, deliver: { file: ${file} } } }\n`;
    const { diagnostics } = load({ ...files, 'roster.yaml': text }, { kinds });
    const code = message.startsWith('`') ? 'schema' : 'undeliverable-key';
    expect(diagnostics).toMatchObject([{ code, message: expect.stringContaining(message) }]);
  });

  it.each(['.secrets/ci.key', 'a.git/b', '.github/x', 'ci.'])('and %s is not one of them', (file) => {
    const text = `project: p\nkeys: { k: { scopes: full, deliver: { file: ${file} } } }\n`;
    expect(load(text, { kinds }).diagnostics).toEqual([]);
  });
});

describe('a hint is right', () => {
  const rest = 'vars: { country: DE, a: 1 }\nenvironments: { e: { vars: { z: 1 } } }\n';
  const group = (members: string) => small.replace('members: []', `members: ${members}`) + rest;
  it.each<[string, string]>([
    ['${vars.country}', 'Did you mean `${var.country}`?'],
    ['${country}', 'Did you mean `${var.country}`?'],
    ['${ var.contry }', 'Did you mean `${var.country}`?'],
    ['${ENV.HOME}', 'Did you mean `${env.HOME}`?'],
    ['${var.l}', 'Declare it under `vars:` in `roster.yaml`.'],
    ['${var.country', 'Close it with `}`.'],
    ['${{ secrets.X }}', 'Variables have one brace on each side.'],
    ['${var.z}', 'It is declared for the environment "e"'],
  ])('for %s', (written, help) => {
    const [only, ...others] = reported(group(`["${written}"]`));
    expect(only).toContain(help);
    expect(others).toEqual([]);
  });

  it('for an entry that was renamed', () => {
    const [only] = reported(
      'project: p\ngroups: { b: { members: [], formerly: a } }\nschedules: { s: { target: group/a, once: 2099-01-01T00:00 } }\n',
    );
    expect(only).toContain('It was renamed to `group/b`');
  });

  it.each([
    'inventory: { file: ../x/inv.json }',
    'keys: { k: { scopes: full, deliver: { file: /abs/key } } }',
    'keys: { k: { scopes: ["a b"] } }',
    'service: { url: "ftp://a.b" }',
    'groups: { g: { members: [], name: { a: b } } }',
  ])('and is not guessed for %s', (lines) => {
    const [only] = reported(`project: p\n${lines}\n`);
    expect(only).not.toMatch(/Write (it|")/);
  });

  it('and a mistake that an anchor repeats is reported at the anchor', () => {
    const list = reported(
      'project: p\nx-a: &a { file: 3, fil: 2 }\nkeys: { k: { scopes: full, deliver: *a } }\ngroups: { g: { members: *a } }\n',
    );
    expect(list.map((each) => each.slice(0, each.indexOf(':')))).toContain('2 schema');
    expect(list.join('\n')).toContain('`file` must be text, not a number');
  });

  it('where a text begins with #', () => {
    const [only] = reported(`${small}keys:\n  k:\n    scopes: full\n    name: #1\n`);
    expect(only).toContain('Put text that begins with `#` in quotes.');
  });

  it('and suggests no invalid key', () => {
    const list = reported(
      'project: p\ngroups: { my shop: { membrs: [] } }\nschedules: { s: { target: group/my shop, once: 2099-01-01T00:00 } }\n',
    );
    expect(list.map((each) => each.slice(0, each.indexOf(':')))).toEqual([
      '2 schema',
      '2 unknown-property',
      '3 schema',
    ]);
    expect(list.join()).not.toContain('Did you mean "group/my shop"');
  });

  it('inside a variable it points to the use', () => {
    const { diagnostics } = load(
      `project: p\nvars: { m: [a, a] }\ngroups:\n  g: { members: "\${var.m}" }\n`,
      { kinds },
    );
    expect(diagnostics.map(({ code, place }) => `${code} ${place?.line}:${place?.column}`)).toEqual([
      'duplicate-agent 4:17',
    ]);
  });
});

describe('a map', () => {
  it('has one merge key', () => {
    const text = `project: p\nx-a: &a { members: [] }\ngroups:\n  g:\n    <<: *a\n    <<: *a\n`;
    expect(reported(text)).toEqual([
      '6 duplicate-entry: "<<" is listed twice in this map | Merge several maps with one key: `<<: [*a, *b]`. The first map takes precedence.',
    ]);
  });
});

describe('a URL without encryption is reported in every environment', () => {
  it.each<[string, string | null, string[]]>([
    ['that is not selected', null, ['4 insecure-url']],
    ['that is chosen', 'one', ['4 insecure-url']],
    ['next to one that is selected', 'two', ['4 insecure-url']],
  ])('%s', (_, environment, expected) => {
    const text = `project: p\nservice: { url: https://a.example.com }\nenvironments:\n  one: { service: { url: http://b.example.com } }\n  two: { service: { url: "https://\${var.host}" }, vars: { host: h } }\n`;
    const { diagnostics } = load(text, { kinds, environment });
    expect(diagnostics.map((each) => `${each.place?.line} ${each.code}`)).toEqual(expected);
  });

  it('and in the project where an environment has another', () => {
    const text = `project: p\nservice: { url: http://a.example.com }\nenvironments: { one: { service: { url: https://b.example.com } } }\n`;
    expect(load(text, { environment: 'one' }).diagnostics).toMatchObject([{ code: 'insecure-url' }]);
  });
});

describe('a syntax error hides as little as possible', () => {
  const codes = (text: string) => reported(text).map((each) => each.slice(0, each.indexOf(':')));
  const cron = (line: string) =>
    `${schedule(`target: agent/a\n${line}\n${from}\ntimeZone: Europe/Berln`)}prune: ownd\n`;

  it.each(['cron: * * * * * *', 'cron: */5 0 * * * *   # often', 'cron: *', 'cron: * 1,2 * * * MON#2'])(
    '%s',
    (line) => {
      expect(codes(cron(line))).toEqual(['9 yaml-syntax', '11 invalid-time-zone', '12 schema']);
      const written = line.replace(/ {2,}#.*/, '').slice('cron: '.length);
      expect(reported(cron(line))[0]).toContain(`Put the cron expression in quotes: \`"${written}"\``);
    },
  );

  it('and in braces', () => {
    const text = `${small}schedules:\n  s: { target: agent/a, cron: * 1,2 * * * *, ${from}, x: 1 }\n  t: {cron: */5 * * * * *}\n`;
    expect(codes(text)).toEqual([
      '7 yaml-syntax',
      '7 unknown-property',
      '8 schema',
      '8 schema',
      '8 yaml-syntax',
    ]);
  });

  it('very many cron expressions without quotes are reported one by one, and then that there are more', () => {
    const line = (index: number) => `  s${index}: { target: agent/a, cron: * * * * * *, ${from} }\n`;
    const many = reported(
      `${small}schedules:\n${Array.from({ length: 1_500 }, (_, index) => line(index)).join('')}`,
    );
    expect(many.slice(0, -1).every((each) => each.includes('Put the cron expression in quotes'))).toBe(true);
    expect(many.at(-1)).toContain('500 more problems are not shown');
  });

  it.each<[string, string[]]>([
    ['x-a: !foo b', ['1 yaml-syntax']],
    ['x-a: !!set { a, b }', ['1 yaml-syntax']],
    ['x-a: !!binary &b "x"', ['1 yaml-syntax']],
    ['x-a: { ? [a] : [a] }', ['1 yaml-syntax']],
    ['groups: !foo { g: {} }', ['1 yaml-syntax']],
    ['groups: { g: !foo { membres: [] } }', ['1 yaml-syntax']],
    ['groups: { g: { members: !foo [1] } }', ['1 yaml-syntax']],
  ])('%s', (line, expected) => {
    expect(codes(`${line}\nproject: p\nprune: ownd\nlimits: { deletes: -1 }\n`)).toEqual([
      ...expected,
      '3 schema',
      '4 schema',
    ]);
  });

  it('says where reading stops', () => {
    const many = reported(`project: p\n${'x-a: @\n'.repeat(200)}`);
    expect(many).toHaveLength(101);
    expect(many.at(-1)).toMatch(/^102 yaml-syntax: too many syntax errors/);
    expect(reported(`project: p\n${'x-a: @\n'.repeat(100)}`)).toHaveLength(100);
  });

  it('reports tabs once', () => {
    expect(reported('project: p\ngroups:\n\tshops:\n\t\tmembers: []\n')).toEqual([
      '3 yaml-syntax: tabs are not allowed for indentation | Indent all lines with spaces.',
    ]);
  });

  it.each([
    ['target:agent/a\nevery: 6 hours', '8'],
    ['every: 6 hours\ntarget:agent/a', '9'],
  ])('reports the missing space in %j', (lines, line) => {
    expect(reported(schedule(lines))).toEqual([`${line} yaml-syntax: a space is missing after this colon`]);
  });

  it('reports it in braces', () => {
    const text = `${small}schedules: { s: { target:agent/a, every: 6 hours, ${from} } }\n`;
    expect(reported(text)).toEqual(['6 yaml-syntax: a space is missing after this colon']);
  });

  it('reports only the merge of nothing', () => {
    expect(codes('project: p\ngroups:\n  g: { <<: *nope }\n  h: { <<: [*nope], x: 1 }\n')).toEqual([
      '3 yaml-syntax',
      '4 yaml-syntax',
      '4 unknown-property',
    ]);
  });
});

describe('a choice between alternatives', () => {
  it.each<[string, number, string]>([
    ['every: 6 hours\ncron: "0 0 0 * * *"', 10, ', but has `every` and `cron`'],
    [
      'every: 6 hours\ncron: "0 0 0 * * *"\nonce: 2099-01-01T00:00',
      10,
      ', but has `every` and `cron` and `once`',
    ],
    ['enabled: true', 7, ''],
  ])('names the chosen ones in %j', (lines, line, found) => {
    const [message] = reported(schedule(`target: agent/a\n${lines}`));
    expect(message).toBe(
      `${line} schema: \`s\` needs exactly one of \`every\`, \`cron\` and \`once\`${found}`,
    );
  });

  it('between a list of scopes and the word for all', () => {
    const [message] = reported('project: p\nkeys: { k: { scopes: [full] } }\n');
    expect(message).toContain("For the user's full access, write `scopes: full`.");
  });
});

describe('a block that is not indented is one mistake', () => {
  const lines = (text: string) =>
    reported(text).map((each) => each.replace(/ (?:is not indented|is listed twice|must be) .*/s, ''));
  it.each<[string, string, string[]]>([
    [
      'entries',
      'project: p\ngroups:\nshops:\n  members: []\nmore:\n  members: []\nprune: ownd\n',
      ['3 schema: "shops"', '7 schema: `prune`'],
    ],
    [
      'entries that are referred to',
      `project: p\nschedules: { s: { target: group/shops, every: 1 day, ${from} } }\ngroups:\nshops:\n  members: []\n`,
      ['4 schema: "shops"'],
    ],
    ['properties', 'project: p\ngroups:\n  shops:\n  name: x\n  members: []\n', ['4 schema: "name"']],
    [
      'properties of several entries',
      `${small}schedules:\n  s:\n  target: group/shops\n  every: 1 day\n  ${from}\n  t:\n  target: group/shops\n  every: 1 day\n`,
      ['8 schema: "target"', '12 duplicate-entry: "target"', '13 duplicate-entry: "every"'],
    ],
  ])('%s', (_, text, expected) => {
    expect(lines(text)).toEqual(expected);
    expect(reported(text)[0]).toMatch(
      /Indent the lines that belong to "(groups|shops|s)" by two more spaces/,
    );
  });

  it.each<[string, string, RegExp[]]>([
    [
      'an empty section before one that is misspelt',
      'project: p\ngroups:\npipelins: {}\n',
      [/groups/, /pipelines/],
    ],
    ['an empty entry before another', 'project: p\ngroups:\n  a:\n  b: { members: [] }\n', [/null|`a`/]],
  ])('%s is not one', (_, text, expected) => {
    expect(reported(text)).toEqual(expected.map((each) => expect.stringMatching(each)));
  });
});
