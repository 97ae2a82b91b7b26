import type { DiagnosticCode } from '../../../src/model/diagnostic.js';

/** Name, text, and what must be told of it. */
type Megabyte = readonly [name: string, text: string, expected: DiagnosticCode | 'fine'];

const head = 'project: p\n';
const size = 1_000_000;
const many = (text: string, length = size) => text.repeat(length / text.length);
/** As many entries as a file may hold: those of 1 MB have too many YAML tokens. */
const full = 330_000;
const numbered = (line: (i: number) => string, length = full) => {
  let text = '';
  for (let i = 0; text.length < length; i++) text += line(i);
  return text;
};
const bomb = numbered(
  (i) => (i === 0 ? 'x-0: &a0 [x]\n' : `x-${i}: &a${i} [${many(`*a${i - 1},`, 60)}]\n`),
  2_000,
);
const doubling = numbered(
  (i) => (i === 0 ? '  a0: xxx\n' : `  a${i}: "\${var.a${i - 1}}\${var.a${i - 1}}"\n`),
  600,
);

const names = ['Europe/Berlin', 'America/New_York', 'Asia/Kolkata', 'Australia/Lord_Howe'];
const schedules = (line: (i: number) => string) =>
  `schedules:\n${numbered((i) => `  s${i}: { target: agent/a, ${line(i)} }\n`)}`;
const sixty = Array.from({ length: 60 }, (_, i) => i).join(',');
const from = 'startTime: 2099-01-01T00:00';

/** As much as fits into 1 MB of what costs the most for its size. */
const bad: readonly Megabyte[] = [
  ['nesting', `x-a: ${many('[')}`, 'limit-exceeded'],
  ['nested blocks', many('- '), 'limit-exceeded'],
  ['lists', `x-a: [${many('[],')}]`, 'limit-exceeded'],
  ['lists in lists', `x-a: [${many(`${'['.repeat(50)}${']'.repeat(50)},`)}]`, 'limit-exceeded'],
  ['commas', `x-a: [${many(',')}]`, 'limit-exceeded'],
  ['fewer commas', `x-a: [${many(',', 290_000)}]`, 'yaml-syntax'],
  ['brackets', many(']'), 'yaml-syntax'],
  ['a run of spaces where a list belongs', `groups: { g: { members: "x${many(' ', 60_000)}y" } }`, 'schema'],
  [
    'runs of spaces in the wrong places',
    `x-a: &a "x${many(' ', 60_000)}y"\ngroups:\n${numbered((i) => `  g${i}: { members: *a, active: *a, name: *a }\n`, 5_000)}`,
    'limit-exceeded',
  ],
  [
    'long names of branches that are none',
    `inventory: { git: { ref: "refs/heads/${many('a', 200 - 12)}!" } }`,
    'schema',
  ],
  [
    'numbers where agents belong',
    `groups:\n${numbered((i) => `  g${i}: { members: [1,2,3,4,5,6,7,8,9,1,2,3,4,5,6,7,8,9,1,2,3,4,5] }\n`, 180_000)}`,
    'schema',
  ],
  [
    'many unknown scopes in each key',
    `keys:\n${numbered((i) => `  k${i}: { scopes: [a,b,c,d,e,f,g,h,i,j] }\n`, 240_000)}`,
    'unknown-scope',
  ],
  ['quotes', many('"', 400_000), 'yaml-syntax'],
  [
    'brackets that close nothing',
    `groups:\n${numbered((i) => `  g${i}: { members: [x]] }\n`)}`,
    'yaml-syntax',
  ],
  [
    'entries after one that is not indented enough',
    `groups:\n  a: {}\n b: {}\n${many('  c: {}\n', 230_000)}`,
    'yaml-syntax',
  ],
  [
    'indentation that goes to and fro',
    `groups:\n${numbered((i) => `${' '.repeat(1 + (i % 7))}g${i}: {}\n`)}`,
    'yaml-syntax',
  ],
  ['values with maps below', `groups:\n${numbered((i) => `  g${i}: x\n    name: y\n`)}`, 'limit-exceeded'],
  ['merge conflicts', `groups:\n${many('<<<<<<< a\n')}`, 'yaml-syntax'],
  ['braces of templates', `groups:\n${numbered((i) => `  g${i}: {{ x }}\n`, 250_000)}`, 'yaml-syntax'],
  [
    'empty lines before mistakes',
    numbered((i) => `x-${i}: a: b\n${'\n'.repeat(9_000)}`, 280_000),
    'yaml-syntax',
  ],
  ['anchors', many('& ', 280_000), 'yaml-syntax'],
  ['aliases', `x-a: [&a [a, a], ${many('*a,')}]`, 'limit-exceeded'],
  ['a long text', `x-a: "${many('x')}"`, 'limit-exceeded'],
  ['a block of spaces and nothing else', `x-a: |2\n${many(' ')}x`, 'limit-exceeded'],
  ['a tab in front of each line of text', `x-a: "\n${many('\t\n', 60_000)}"`, 'yaml-syntax'],
  ['documents', many('---\n'), 'limit-exceeded'],
  ['directives', many('%a\n', 60_000), 'yaml-syntax'],
  ['an alias bomb', bomb, 'limit-exceeded'],
  ['an alias bomb of text', `x-a: [&a "${many('x', 60_000)}"${many(',*a', 200_000)}]`, 'limit-exceeded'],
  [
    'merge keys',
    `x-a: &a { ${numbered((i) => `k${i}: v, `, 80_000)} }\ngroups:\n${numbered((i) => `  g${i}: {<<: *a}\n`, 500_000)}`,
    'limit-exceeded',
  ],
  ['doubling variables', `vars:\n${doubling}groups: { g: { members: ["\${var.a15}"] } }`, 'limit-exceeded'],
  ['openings of variables', `groups: { g: { members: ["${many('${', 60_000)}"] } }`, 'unknown-variable'],
  ['equal keys', `groups:\n${many('  a: 1\n', 250_000)}`, 'duplicate-entry'],
  ['unknown properties', `groups:\n  a:\n${numbered((i) => `    m${i}: 1\n`, 500_000)}`, 'unknown-property'],
  ['many values in one entry', `groups:\n  a:\n${numbered((i) => `    m${i}: 1\n`)}`, 'limit-exceeded'],
  ['scopes', `scopes:\n${numbered((i) => `- s${i}\n`)}`, 'limit-exceeded'],
  ['includes', `include:\n${numbered((i) => `- f${i}.yaml\n`)}`, 'limit-exceeded'],
  ['a long pattern', `include: ["{${many('a,', 60_000)}}/*.yaml"]`, 'schema'],
  [
    'unknown references',
    `schedules:\n${numbered((i) => `  s${i}: { target: group/x${i}, once: 2099-01-01T00:00 }\n`)}`,
    'unknown-reference',
  ],
  ['wrong values on one line', `groups: { g: { members: [${many('1,', 90_000)}] } }`, 'schema'],
  ['cron expressions that are none', schedules((i) => `cron: "${i} 0 0 * * *", ${from}`), 'invalid-cron'],
  [
    'long cron expressions that are none',
    schedules((i) => `cron: "${'1,'.repeat(200)}1 ${i} 0 * * *", ${from}`),
    'invalid-cron',
  ],
  [
    'time zones that are none',
    schedules((i) => `once: 2099-01-01T00:00, timeZone: Europe/B${i}`),
    'invalid-time-zone',
  ],
  ['times that are none', schedules((i) => `once: 2099-01-01T00:0${i}`), 'invalid-time'],
  ['intervals that are none', schedules((i) => `every: ${i} huors, ${from}`), 'invalid-time'],
  [
    'variables that do not exist',
    `groups:\n${numbered((i) => `  g${i}: { members: ["\${var.v${i}}"] }\n`)}`,
    'unknown-variable',
  ],
  [
    'variables that are almost those that exist',
    `vars:\n${numbered((i) => `  variable${i}: 1\n`, 260_000)}groups:\n${numbered((i) => `  g${i}: { members: ["\${var.variabel${i}}"] }\n`, 380_000)}`,
    'limit-exceeded',
  ],
  [
    'paths that a large map does not have',
    `vars:\n  large: {${numbered((i) => `k${i}: 1, `, 90_000)}}\ngroups:\n${numbered((i) => `  g${i}: { members: ["\${var.large.zz${i}}"] }\n`, 200_000)}`,
    'unknown-variable',
  ],
  [
    'paths that no item has',
    `vars:\n  large: {${numbered((i) => `k${i}: 1, `, 90_000)}}\ngroups:\n  g-\${each.key}:\n    each: { a: "\${var.large}" }\n    members:\n${numbered((i) => `    - \${each.value.zz${i}}\n`, 200_000)}`,
    'unknown-variable',
  ],
  [
    'mistakes that many items share',
    `groups:\n  g-\${each.key}: { each: [${numbered((i) => `i${i}, `, 150_000)}], name: 3, members: 3, description: 3, active: 3, protect: 3, id: [], foo: "\${var.x}" }`,
    'schema',
  ],
  [
    'merged maps in many entries',
    `x-a: &a { ${numbered((i) => `k${i}: v, `, 6_000)} }\ngroups:\n${numbered((i) => `  g${i}: { <<: *a }\n`)}`,
    'limit-exceeded',
  ],
  [
    'names of one object',
    `groups:\n${numbered((i) => `  g${i}: { members: [], name: x }\n`)}`,
    'duplicate-name',
  ],
  [
    'agents that stand twice',
    `groups:\n${numbered((i) => `  g${i}: { members: [a, a, a, a, a, a] }\n`, 280_000)}`,
    'duplicate-agent',
  ],
  [
    'former keys that are taken',
    `groups:\n${numbered((i) => `  g${i}: { members: [], formerly: x }\n`)}`,
    'duplicate-entry',
  ],
  [
    'scopes that are unknown',
    `keys:\n${numbered((i) => `  k${i}: { scopes: [agents.rnu${i}] }\n`)}`,
    'unknown-scope',
  ],
  ['settings that are unknown', numbered((i) => `k${i}: 1\n`), 'unknown-property'],
  [
    'anchors that are almost those that are meant',
    `x-a: [${numbered((i) => `&anchor${i} 1, `, 500_000)}${numbered((i) => `*anchro${i} , `, 400_000)}]`,
    'yaml-syntax',
  ],
  ['mistakes on one line', `groups: {${numbered((i) => `g${i}: { x: 1 }, `, 280_000)}}`, 'unknown-property'],
  ['mistakes in the YAML of one line', `x-a: [${many('0123,', 490_000)}]`, 'inexact-number'],
  ['wide characters on one line', `groups: {${numbered((i) => `"价格${i}": { x: 1 }, `)}}`, 'schema'],
  ['wrong escapes', `x-a: "${many('\\z')}"`, 'limit-exceeded'],
  ['wrong escapes in many texts', numbered((i) => `x-${i}: "\\z"\n`), 'yaml-syntax'],
  ['tags', numbered((i) => `x-${i}: !t${i} x\n`), 'yaml-syntax'],
  ['keys without values', many('? '), 'limit-exceeded'],
  ['colons', many(': '), 'limit-exceeded'],
  ['a literal text', `x-a: |\n${many('  a\n')}`, 'limit-exceeded'],
  [
    'environments',
    `environments:\n${numbered((i) => `  e${i}: { vars: { a: "\${x}" } }\n`)}`,
    'limit-exceeded',
  ],
  [
    'includes that lead nowhere',
    `include:\n${numbered((i) => `- ${'a'.repeat(900)}/${i}.yaml\n`, size)}`,
    'limit-exceeded',
  ],
  [
    'patterns',
    `include:\n${numbered((i) => `- "**/*{a,b}*/**/*${'x'.repeat(900)}${i}.yaml"\n`, size)}`,
    'limit-exceeded',
  ],
];

/** As much as fits into 1 MB of what must be read. */
const good: readonly Megabyte[] = [
  [
    'of one item each',
    `groups:\n  g-\${each.key}: { each: [${numbered((i) => `i${i}, `, 240_000)}], members: [] }`,
    'fine',
  ],
  ['of one line each', `groups:\n${numbered((i) => `  g${i}: { members: [] }\n`)}`, 'fine'],
  [
    'of more than 1 MB',
    `groups:\n${numbered((i) => `  g${i}: { members: [], description: Every shop of the region with number ${i} }\n`, 1_060_000)}`,
    'fine',
  ],
  ['on one line', `groups: {${numbered((i) => `g${i}: { members: [] }, `)}}`, 'fine'],
  ['as JSON', `groups: {${numbered((i) => `"g${i}": {"members": ["a"]},`)}}`, 'fine'],
  ['in an anchored section', `groups: &all\n${numbered((i) => `  g${i}: { members: [] }\n`)}`, 'fine'],
  [
    'of many lines each',
    `groups:\n${numbered((i) => `  g${i}:\n    name: n${i}\n    members:\n      - a\n`)}`,
    'fine',
  ],
  [
    'that are made of aliases',
    `x-a: &a { members: [a] }\ngroups:\n${numbered((i) => `  g${i}: { <<: *a, active: true }\n`)}`,
    'fine',
  ],
  ['with long lists', `groups:\n  g:\n    members:\n${numbered((i) => `      - a${i}\n`, 500_000)}`, 'fine'],
  [
    'of cron expressions',
    `groups: {}\nschedules:\n${numbered((i) => `  s${i}: { target: agent/a, cron: "${i % 60} ${Math.floor(i / 60) % 60} ${Math.floor(i / 3600)} * * MON-FRI", startTime: 2099-01-01T00:00:00, enabled: true }\n`)}`,
    'fine',
  ],
  [
    'of long cron expressions',
    schedules(
      (i) =>
        `cron: "${sixty} ${sixty} ${i % 24} ${1 + (Math.floor(i / 24) % 28)} ${1 + (Math.floor(i / 672) % 12)} *", ${from}`,
    ),
    'fine',
  ],
  [
    'of times in many zones',
    schedules(
      (i) =>
        `once: 20${50 + (i % 50)}-03-28T02:${10 + (i % 50)}:${10 + (Math.floor(i / 50) % 50)}.${i}, timeZone: ${names[i % 4]}`,
    ),
    'fine',
  ],
  [
    'of long inputs',
    schedules(
      (i) =>
        `once: 2099-01-01T00:00:00.${100_000 + i}, inputs: { a: [1,2,3,4,5,6,7,8,9,1,2,3,4,5,6,7,8,9,1,2,3,4,5] }`,
    ),
    'fine',
  ],
  ['of inputs', schedules((i) => `once: 2099-01-01T00:00, inputs: { a: [{ b: [{ c: ${i} }] }] }`), 'fine'],
  [
    'of texts of variables',
    `vars: { a: x }\nx-a: 1\ngroups:\n${numbered((i) => `  g${i}: { members: ["${'${var.a}'.repeat(100)}"] }\n`)}`,
    'fine',
  ],
  ['of a block with a long run of spaces', `x-a: |2\n${many(' ', 60_000)}x\n`, 'fine'],
  ['of tabs', many('\t'), 'fine'],
  ['of empty lines', many('\n', 290_000), 'fine'],
  ['of comments', many('#\n', 290_000), 'fine'],
  [
    'of long descriptions',
    `groups:\n${numbered((i) => `  g${i}: { members: [], description: "${'x'.repeat(9_999)}" }\n`)}`,
    'fine',
  ],
];

/** Every file of 1 MB that a project may hold costs at most 2 s and 256 MB. */
export const megabytes = { bad: withHead(bad), good: withHead(good) };

function withHead(list: readonly Megabyte[]): Megabyte[] {
  return list.map(([name, text, expected]) => [name, head + text, expected]);
}
