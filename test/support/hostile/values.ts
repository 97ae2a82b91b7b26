import fc from 'fast-check';
import { type Draw, type Hostile, numbered, type Row, texts } from './hostile.js';

/** Values that are read, and mean something else, or too much. */
export function values(draw: Draw): Hostile[] {
  return [
    ...texts('variables', draw, variables(draw)),
    ...texts('keys of every object', draw, prototypes),
    ...texts('numbers', draw, numbers(draw)),
    ...texts('types', draw, types),
    ...texts('names that are unknown', draw, unknown),
    ...texts('one object twice', draw, same),
    ...texts('agents', draw, agents(draw)),
    ...texts('cron expressions', draw, crons),
    ...texts('times', draw, times),
    ...texts('time zones', draw, zones),
    ...texts('inputs', draw, inputs),
    ...texts('references', draw, references),
    ...texts('former keys', draw, former),
    ...texts('API keys', draw, keys),
    ...texts('addresses of services', draw, addresses),
    ...texts('paths to write to', draw, outputs),
  ];
}

function variables(draw: Draw): Row[] {
  const links = draw(fc.integer({ min: 17, max: 200 }));
  const doubling = numbered(
    (i) => (i === 0 ? '  a0: xx\n' : `  a${i}: "\${var.a${i - 1}}\${var.a${i - 1}}"\n`),
    17,
  );
  const lists = numbered(
    (i) => (i === 0 ? '  a0: [x, x]\n' : `  a${i}: ["\${var.a${i - 1}}", "\${var.a${i - 1}}"]\n`),
    17,
  );
  const chain = numbered((i) => `  a${i}: "\${var.a${i + 1}}"\n`, links);
  const use = (name: string) => `groups: { g: { members: ["\${var.${name}}"] } }`;
  const useAll = (name: string) => `groups: { g: { members: "\${var.${name}}" } }`;
  const named = (text: string) => `groups: { g: { members: [], name: "${text}" } }`;
  const described = (text: string) => `groups: { g: { members: [], description: "${text}" } }`;
  return [
    ['texts that double', `vars:\n${doubling}${use('a16')}`, 'limit-exceeded'],
    ['lists that double', `vars:\n${lists}${useAll('a16')}`, 'limit-exceeded'],
    ['a chain', `vars:\n${chain}  a${links}: x\n${use('a0')}`, 'limit-exceeded'],
    ['a circle', `vars: { a: "\${var.b}", b: "\${var.a}" }\n${use('a')}`, 'unknown-variable'],
    ['one of itself', `vars: { a: ["\${var.a}"] }\n${useAll('a')}`, 'unknown-variable'],
    ['many openings', named('${'.repeat(30_000)), 'unknown-variable', 'limit-exceeded'],
    ['many of one', `vars: { a: x }\n${named('${var.a}'.repeat(8_000))}`, 'schema'],
    ['the key that roster calls with', described('${env.ROSTER_API_KEY}'), 'misplaced-variable'],
    ['the same in another case', described('${env.roster_Api_Key}'), 'misplaced-variable'],
    ['what is not set', described('${env.NO_SUCH_VARIABLE}'), 'missing-environment-variable'],
    ['from the environment in a name', named('${env.HOME}'), 'misplaced-variable'],
    ['a key of every object', named('${var.constructor}'), 'unknown-variable'],
    [
      'a key of every object, from the environment',
      described('${env.__proto__}'),
      'missing-environment-variable',
    ],
    ...['${process.env.HOME}', '${{ secrets.KEY }}', '${var.a.b}', '${var.}', '${VAR}', '${a:-b}'].map(
      (text): Row => [text, named(text), 'unknown-variable'],
    ),
    ['of other languages', named('$(id) `id` {{ x }} <%= x %> #{x} $HOME %PATH%'), 'fine'],
    ['what only looks like one', named('$${env.ROSTER_API_KEY}'), 'fine'],
  ];
}

const prototypes: Row[] = ['__proto__', 'constructor', 'prototype', '"__proto_\\x5f"'].flatMap(
  (key): Row[] => [
    [`${key} as a setting`, `${key}: { a: 1 }`, 'schema'],
    [`${key} as an entry`, `groups: { ${key}: { members: [] } }`, 'schema'],
    [`${key} as a property`, `groups: { g: { members: [], ${key}: { polluted: true } } }`, 'schema'],
    [`${key} in inputs`, schedule(`inputs: { a: [{ ${key}: { polluted: true } }] }`), 'schema'],
    [`${key} as a variable`, `vars: { ${key}: { polluted: true } }`, 'schema'],
    [`${key} as an environment`, `environments: { ${key}: {} }`, 'schema'],
    [`${key} in an anchor`, `x-a: &a { ${key}: 1 }\ngroups: { g: { <<: *a, members: [] } }`, 'schema'],
  ],
);

function numbers(draw: Draw): Row[] {
  const digits = '9'.repeat(draw(fc.integer({ min: 400, max: 60_000 })));
  const inexact = [
    '9007199254740993',
    '-9007199254740993',
    '1e999',
    '.inf',
    '-.inf',
    '.nan',
    '0xFFFFFFFFFFFFFFFF',
  ];
  return [
    ...[...inexact, digits].flatMap((each): Row[] => [
      [`${each.slice(0, 20)} in inputs`, schedule(`inputs: { a: ${each} }`), 'inexact-number'],
      [`${each.slice(0, 20)} as an id`, `groups: { g: { members: [], id: ${each} } }`, 'inexact-number'],
    ]),
    ...['-5', '1e300', '1.5', '-0.5', '1e21', '9007199254740994.0', 'true', '[]', '""', '"a/b"', '"a b"'].map(
      (each): Row => [`${each} as an id`, `groups: { g: { members: [], id: ${each} } }`, 'schema'],
    ),
    ...['-1', '0.5', '"5"', '1_000', '5d'].map(
      (each): Row => [`${each} as a limit`, `limits: { deletes: ${each} }`, 'schema'],
    ),
    ['.inf as a limit', 'limits: { deletes: .inf }', 'inexact-number'],
    ...['0', '1', '9007199254740991', '"9007199254740993"'].map(
      (each): Row => [`${each} as an id`, `groups: { g: { members: [], id: ${each} } }`, 'fine'],
    ),
  ];
}

const types: Row[] = [
  ...['"false"', '0', 'null', '~', 'no', '[]', '{}', ''].map(
    (each): Row => [`active: ${each}`, `groups:\n  g:\n    members: []\n    active: ${each}`, 'schema'],
  ),
  ...['123', 'true', 'null', '1.5', '[a]', '{ a: b }', '" a"', '"a "', '""'].map(
    (each): Row => [`name: ${each}`, `groups: { g: { members: [], name: ${each} } }`, 'schema'],
  ),
  ...['null', 'a', '1', '{}', '[null]', '[[a]]', '[""]', '[{ a: b }]', '[1]'].map(
    (each): Row => [`members: ${each}`, `groups: { g: { members: ${each} } }`, 'schema'],
  ),
  ...['null', '[]', 'text', '1'].map((each): Row => [`groups: ${each}`, `groups: ${each}`, 'schema']),
  ...['null', '[]', 'text', '1', '{}'].map(
    (each): Row => [`an entry: ${each}`, `groups: { g: ${each} }`, 'schema'],
  ),
];

const unknown: Row[] = [
  ['a property', 'groups: { g: { isActve: true, members: [] } }', 'unknown-property'],
  ['a section', 'agents: {}', 'unknown-property'],
  ['a setting', 'version: 2', 'unknown-property'],
  ['another tool', 'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: a }', 'unknown-property'],
  ['a property of another kind', 'groups: { g: { stages: [a] } }', 'unknown-property'],
  [
    'by the thousand',
    `groups:\n  g:\n${numbered((i) => `    p${i}: 1\n`, 5_000)}`,
    'unknown-property',
    'schema',
    'limit-exceeded',
  ],
  ['a key with a slash', 'groups: { a/b: { members: [] } }', 'schema'],
  ['a key that is a path', 'groups: { "../../etc/passwd": { members: [] } }', 'schema'],
  ['a key of spaces', 'groups: { " ": { members: [] } }', 'schema'],
  ['no key', 'groups: { "": { members: [] } }', 'schema'],
  ['a prune that is none', 'prune: everything', 'schema'],
];

const same: Row[] = [
  ['one name', 'groups: { a: { name: x, members: [] }, b: { name: x, members: [] } }', 'duplicate-name'],
  [
    'composed and decomposed',
    'groups: { a: { name: "\u00e9", members: [] }, b: { name: "e\u0301", members: [] } }',
    'duplicate-name',
  ],
  ['a name and a key', 'groups: { a: { name: b, members: [] }, b: { members: [] } }', 'duplicate-name'],
  ['outer spaces', 'groups: { a: { name: "x ", members: [] } }', 'schema'],
  ['one id', 'groups: { a: { id: 7, members: [] }, b: { id: "7", members: [] } }', 'duplicate-name'],
  [
    'alike schedules',
    `schedules:\n${numbered((i) => `  s${i}: { target: agent/a, once: 2099-01-01T00:00 }\n`, 2)}`,
    'duplicate-name',
  ],
  [
    'alike schedules in other words',
    'schedules:\n  a: { target: agent/a, cron: "0 0 0 * * mon", startTime: 2099-01-01T00:00, timeZone: Asia/Calcutta }\n  b: { target: agent/a, cron: " 0  0 0 * * MON", startTime: 2099-01-01T00:00:00.0, timeZone: asia/kolkata }',
    'duplicate-name',
  ],
  [
    'names that differ by case',
    'groups: { a: { name: x, members: [] }, b: { name: X, members: [] } }',
    'fine',
  ],
];

function agents(draw: Draw): Row[] {
  const many = draw(fc.integer({ min: 26, max: 2_000 }));
  return [
    [
      'too many stages',
      `pipelines: { p: { stages: [${numbered((i) => `a${i}, `, many)}] } }`,
      'too-many-stages',
    ],
    ['one twice', 'groups: { g: { members: [a, b, a] } }', 'duplicate-agent'],
    [
      'one by the thousand',
      `groups: { g: { members: [${'a, '.repeat(3_000)}] } }`,
      'duplicate-agent',
      'limit-exceeded',
    ],
    ['a stage twice', 'pipelines: { p: { stages: [a, a] } }', 'duplicate-agent'],
    ['none at all', 'groups: { g: {} }', 'schema'],
    ['none of a group', 'groups: { g: { members: [] } }', 'fine'],
  ];
}

const crons: Row[] = [
  ...[
    '',
    ' ',
    '* * * * *',
    '* * * * * * *',
    '@daily',
    '@reboot',
    'H * * * * *',

    '60 * * * * *',
  ],
  ...[
    '* * * * JANFEB *',
    '* * * * * 0MON',
    '* * * * * 5#1E0',
    '* * * * * 5#0X1',
    '0 0 0 31 2 *',
    '*/0 * * * * *',
  ],
  ...[
    '0 0 0 * * FRI-',
    '0,,1 * * * * *',
    '1-2-3 * * * * *',
    '0x1 * * * * *',
    '１ * * * * *',
    '0 0 0 32W * *',
  ],
  ...[
    `${'1,'.repeat(200)}1 * * * * x`,
    `${'*'.repeat(490)}`,
    '0 0 0 ${ * *'.replace('${', '$'),
    '-1 * * * * *',
  ],
]
  .map(
    (text): Row => [
      text.slice(0, 40),
      `schedules: { s: { target: agent/a, cron: "${text}", startTime: 2099-01-01T00:00 } }`,
      'invalid-cron',
    ],
  )
  .concat([
    [
      'a very long one',
      `schedules: { s: { target: agent/a, cron: "${'1,'.repeat(20_000)}1 * * * * *", startTime: 2099-01-01T00:00 } }`,
      'schema',
    ],
    [
      'a break at the end',
      'schedules: { s: { target: agent/a, cron: "0 0 0 * * *\\n", startTime: 2099-01-01T00:00 } }',
      'unsafe-text',
    ],
    [
      'each second',
      'schedules: { s: { target: agent/a, cron: "* * * * * *", startTime: 2099-01-01T00:00 } }',
      'fine',
    ],
  ]);

const times: Row[] = [
  ...[
    '2099-01-01T00:00:00Z',
    '2099-01-01T00:00:00+01:00',
    '2099-01-01',
    '2099-02-30T00:00:00',
    '2099-01-01T24:00:00',
  ],
  ...['2099-13-01T00:00:00', '0000-01-01T00:00:00', '+275760-09-13T00:00:00', 'tomorrow', '""', '1/1/2099'],
  ...[
    '2099-01-01T00:00:60',
    '2099-01-01T00:00:00.0000000001',
    '"2099-01-01T00:00:00\u00a0"',
    '２０９９-01-01T00:00',
  ],
].map((text): Row => [text, `schedules: { s: { target: agent/a, once: ${text} } }`, 'invalid-time']);
times.push(
  ...[
    '6h',
    '0 hours',
    '-1 days',
    '1.5 hours',
    '1e3 hours',
    '1000001 hours',
    'P1D',
    '',
    '1 fortnight',
    '６ hours',
  ].map(
    (text): Row => [
      `every ${text}`,
      `schedules: { s: { target: agent/a, every: "${text}", startTime: 2099-01-01T00:00 } }`,
      'invalid-time',
    ],
  ),
  ['a time that is a number', 'schedules: { s: { target: agent/a, once: 20990101 } }', 'schema'],
  ['a very long one', `schedules: { s: { target: agent/a, once: "${'2'.repeat(50_000)}" } }`, 'schema'],
  ['one that has passed', 'schedules: { s: { target: agent/a, once: 1999-01-01T00:00:00 } }', 'fine'],
  [
    'one that is skipped',
    schedule('timeZone: Europe/Berlin').replace('2099-01-01T00:00', '2099-03-29T02:30'),
    'fine',
  ],
);

const zones: Row[] = [
  ...[
    'PST',
    'IST',
    '+02:00',
    'UTC+2',
    'GMT-1',
    'Mars/Phobos',
    '""',
    '"Europe/Berlin "',
    '../../etc/localtime',
  ],
  ...[
    'Etc/GMT+99',
    'Europe/Berl\u0131n',
    '\u212aelvin/Zone',
    'constructor',
    'Europe//Berlin',
    '/usr/share/zoneinfo/UTC',
  ],
].map((text): Row => [text, schedule(`timeZone: ${text}`), 'invalid-time-zone']);
zones.push(
  ...['utc', 'europe/berlin', 'Asia/Calcutta', 'America/Argentina/Buenos_Aires', 'Etc/GMT+9', 'CET'].map(
    (text): Row => [text, schedule(`timeZone: ${text}`), 'fine'],
  ),
);

const inputs: Row[] = [
  ...['"{}"', '\'{"a": 1}\'', '[]', '[a]', 'null', '1', 'text'].map(
    (text): Row => [text, schedule(`inputs: ${text}`), 'schema'],
  ),
  ['null inside', schedule('inputs: { a: null }'), 'schema'],
  ['null deep inside', schedule('inputs: { a: [{ b: ~ }] }'), 'schema'],
  ['a list as a key', schedule('inputs: { [a]: b }'), 'yaml-syntax'],
  ['too many', schedule(`inputs: { a: [${'1, '.repeat(60_000)}] }`), 'limit-exceeded'],
  ['odd keys', schedule('inputs: { toString: 1, hasOwnProperty: 2, "": 3 }'), 'schema'],
  [
    'keys of every object that harm nobody',
    schedule('inputs: { toString: 1, hasOwnProperty: 2, length: 3 }'),
    'fine',
  ],
];

const references: Row[] = [
  ...['group/nothing', 'pipeline/nothing', 'group/__proto__', 'group/constructor'].map(
    (text): Row => [
      text,
      schedule('enabled: true', text),
      text.includes('__') ? 'schema' : 'unknown-reference',
    ],
  ),
  ...[
    'schedule/s',
    'key/k',
    'grp/a',
    'group/',
    '/',
    'agent/',
    'group/a/b',
    'GROUP/a',
    'group/../a',
    '""',
  ].map((text): Row => [text, schedule('enabled: true', text), 'schema']),
  [
    'to an entry of another kind',
    `groups: { g: { members: [] } }\n${schedule('enabled: true', 'pipeline/g')}`,
    'unknown-reference',
  ],
  [
    'to nothing, by the thousand',
    `schedules:\n${numbered((i) => `  s${i}: { target: group/g${i}, once: 2099-01-01T00:00 }\n`, 3_000)}`,
    'unknown-reference',
    'limit-exceeded',
  ],
];

const former: Row[] = [
  [
    'one that is declared',
    'groups: { a: { members: [] }, b: { members: [], formerly: a } }',
    'duplicate-entry',
  ],
  [
    'one taken twice',
    'groups: { a: { members: [], formerly: x }, b: { members: [], formerly: x } }',
    'duplicate-entry',
  ],
  ['itself', 'groups: { a: { members: [], formerly: a } }', 'duplicate-entry'],
  ['an address', 'groups: { a: { members: [], formerly: group/b } }', 'schema'],
  ['a path', 'groups: { a: { members: [], formerly: ../b } }', 'schema'],
];

const keys: Row[] = [
  ...['[]', 'null', 'Full', '"full "', '[""]', '["a b"]', '"*"', '{}', '[null]', '" agents.run"'].map(
    (text): Row => [`scopes: ${text}`, `keys: { k: { scopes: ${text} } }`, 'schema'],
  ),
  ['no scopes', 'keys: { k: { name: x } }', 'schema'],
  ...['[agent.run]', '[Agents.Run]', '[full]', '[agents.run, "*"]', '[agents.*]'].map(
    (text): Row => [`scopes: ${text}`, `keys: { k: { scopes: ${text} } }`, 'unknown-scope'],
  ),
  ['too many scopes', `scopes: [${numbered((i) => `s${i}, `, 301)}]`, 'limit-exceeded'],
  ['a rotation in months', 'keys: { k: { scopes: full, rotateAfter: 3 months } }', 'invalid-time'],
  ['full access', 'keys: { k: { scopes: full } }', 'fine'],
];

const addresses: Row[] = [
  ...[
    'http://collect.example.com',
    'https://user:pass@example.com',
    'https://example.com?a=b',
    'https://example.com#a',
  ].map((url): Row => [url, `service: { url: "${url}" }`, 'insecure-url']),
  ...['javascript:alert(1)', 'file:///etc/passwd', 'ftp://x', '//x', 'x', '""', 'HTTPS//x'].map(
    (url): Row => [url, `service: { url: ${url} }`, 'schema'],
  ),
  [
    'one that the environment decides',
    'service: { url: "https://${env.NO_SUCH_HOST}" }',
    'misplaced-variable',
  ],
  ['a key beside it', 'service: { url: "https://example.com", apiKey: svc_live_x }', 'unknown-property'],
];

const outputs: Row[] = ['../x', '/etc/passwd', 'a/../../x', 'C:/x', 'a\\b', '"a\\0b"', '""'].flatMap(
  (path): Row[] => {
    const expected = path.includes('\\0') ? 'unsafe-text' : 'schema';
    return [
      [`an inventory at ${path}`, `inventory: { file: ${path} }`, expected],
      [`a key at ${path}`, `keys: { k: { scopes: full, deliver: { file: ${path} } } }`, expected],
    ];
  },
);

function schedule(more: string, target = 'agent/a'): string {
  return `schedules: { s: { target: ${target}, once: 2099-01-01T00:00:00, ${more} } }`;
}
