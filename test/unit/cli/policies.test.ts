import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { validate as validateProject } from '../../../src/engine/validate.js';
import { type Sandbox, startSandbox } from '../../../src/sandbox/index.js';
import type { PlanJson } from '../../../src/view/json/plan-json.js';
import { Workspace } from '../../support/roster.js';
import { expectFits } from '../schemas/schemas.js';

const hourly = `policies:
  hourly-at-most:
    match: [schedule/*]
    require:
      properties: { every: { not: { pattern: "minutes?$" } } }
    message: Nothing starts more often than hourly.
`;
const described = `policies:
  described:
    level: warning
    match: [group/*]
    require: { required: [description] }
    message: Describe what it collects
`;
const project = `project: pricing
policies: [policies/*.yaml]
groups:
  retail: { members: [acme-shop] }
schedules:
  often:
    target: group/retail
    every: 30 minutes
    startTime: 2026-12-01T06:00:00
`;
const repeated =
  'schedules:\n  s-${each.value}:\n    each: [acme-shop, globex]\n    target: agent/${each.value}\n    every: 30 minutes\n    startTime: 2026-12-01T06:00:00\n';

let sandbox: Sandbox;
let workspace: Workspace;
beforeAll(async () => {
  sandbox = await startSandbox();
});
beforeEach(() => {
  workspace = new Workspace({ 'roster.yaml': project, 'policies/a.yaml': hourly }, sandbox);
});
afterAll(() => sandbox.close());

/** A folder beside the project. */
function outside(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'roster-test-'));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return folder;
}

const validate = (...flags: string[]) => workspace.command(['validate', ...flags]);
async function found(...flags: string[]) {
  const { stdout } = await validate('--format', 'json', ...flags);
  return (JSON.parse(stdout) as PlanJson).diagnostics;
}
async function planned(...flags: string[]): Promise<PlanJson & { exit: number }> {
  const { exit, stdout } = await workspace.command(['plan', '--format', 'json', ...flags]);
  return { exit, ...(JSON.parse(stdout) as PlanJson) };
}

describe('validate', () => {
  test('an entry that breaks a policy is an error at the line of the property, with the message of the policy first', async () => {
    const { exit, stderr } = await validate();
    expect(exit).toBe(1);
    expect(stderr).toBe(`error[policy]: Nothing starts more often than hourly. \`every\` is
      \`30 minutes\`, which matches \`minutes?$\`
 --> roster.yaml:8:12
  |
8 |     every: 30 minutes
  |            ^^^^^^^^^^
  = help: This is required by the policy \`hourly-at-most\` (policies/a.yaml:2).

1 error
Learn more: roster explain policy
`);
  });

  test('at level `warning` the project is valid', async () => {
    workspace.write('policies/a.yaml', described);
    const { exit, stderr } = await validate();
    expect([exit, stderr]).toEqual([
      0,
      expect.stringContaining('warning[policy]: Describe what it collects: `description`'),
    ]);
    expect(await found()).toMatchObject([
      { severity: 'warning', code: 'policy', policy: 'described', file: 'roster.yaml', line: 4, column: 3 },
    ]);
  });

  test('one policy that fifty entries break is one block that lists the entries', async () => {
    const groups = Array.from({ length: 50 }, (_, at) => `  g${at}: { name: "G ${at}", members: [] }\n`).join(
      '',
    );
    workspace.write('roster.yaml', `project: p\npolicies: [policies/a.yaml]\ngroups:\n${groups}`);
    workspace.write('policies/a.yaml', described.replace('warning', 'error'));
    const { stderr } = await validate();
    expect(stderr.match(/error\[policy\]/g)).toHaveLength(1);
    expect(stderr).toContain('and 49 more: group/g1 (roster.yaml:5:3), group/g2');
    expect(stderr).toContain('group/g49 (roster.yaml:53:3)');
    expect((await validate('-v')).stderr.match(/error\[policy\]/g)).toHaveLength(50);
    expect(await found()).toHaveLength(50);
    const plan = await planned();
    expect(plan.diagnostics).toHaveLength(1);
    expect(plan.diagnostics[0]?.message).toMatch(
      /^Describe what it collects: 50 entries do not fit: group\/g0 .* and 45 more$/,
    );
  });

  test('an entry that breaks a policy in several environments is listed with each of them', async () => {
    const often = (key: string, every: string) =>
      `  ${key}: { target: agent/${key}, every: ${every}, startTime: 2099-01-01T00:00:00 }\n`;
    workspace.write(
      'roster.yaml',
      `project: p\npolicies: [policies/a.yaml]\nvars: { n: 1 hour }\nenvironments: { a: { vars: { n: 5 minutes } }, b: { vars: { n: 6 minutes } }, c: {} }\nschedules:\n${often('globex', '5 minutes')}${often('acme-shop', '"${var.n}"')}`,
    );
    const { stderr } = await validate('--all-environments');
    expect(stderr.replace(/\s+/g, ' ')).toContain(
      'and 2 more: schedule/acme-shop (roster.yaml:7:48, environment: a), schedule/acme-shop (roster.yaml:7:48, environment: b) (`-v`',
    );
  });

  test('an entry from `each` has the line of the entry and the items', async () => {
    workspace.write('roster.yaml', `project: p\npolicies: [policies/a.yaml]\n${repeated}`);
    expect(await found()).toMatchObject([
      { code: 'policy', line: 4, column: 3, each: ['acme-shop', 'globex'] },
    ]);
  });

  test('a value from `defaults` or a variable has its own line', async () => {
    const schedule = 'schedules: { s: { target: agent/globex, startTime: 2026-12-01T06:00:00 } }\n';
    workspace.write(
      'roster.yaml',
      `project: p\npolicies: [policies/a.yaml]\ndefaults: { schedules: { every: 5 minutes } }\n${schedule}`,
    );
    expect(await found()).toMatchObject([{ code: 'policy', line: 3 }]);
  });

  test('a value from the environment is judged as it is written, and never shown', async () => {
    const text =
      'project: p\npolicies: [policies/a.yaml]\ngroups: { g: { members: [], description: "${env.SECRET_NAME}" } }\n';
    workspace.write('roster.yaml', text);
    workspace.env['SECRET_NAME'] = 'hunter22222';
    workspace.write(
      'policies/a.yaml',
      'policies: { p: { require: { properties: { description: { maxLength: 3 } } }, message: No. } }\n',
    );
    const { stderr } = await validate();
    expect(stderr).toContain('${env.SECRET_NAME}');
    expect(stderr).not.toContain('hunter22222');
  });

  test('policies of an environment hold in it', async () => {
    workspace.write('policies/a.yaml', hourly.replace('match:', 'environments: [production]\n    match:'));
    workspace.write('roster.yaml', `${project}environments: { production: {}, staging: {} }\n`);
    expect((await validate()).exit).toBe(0);
    expect((await validate('-e', 'staging')).exit).toBe(0);
    expect((await validate('-e', 'production')).exit).toBe(1);
    const [only, ...others] = await found('--all-environments');
    expect([only?.message, others]).toEqual([expect.stringMatching(/\(environment: production\)$/), []]);
  });

  test.each(['github', 'sarif', 'gitlab', 'junit'])('--format %s has the line', async (format) => {
    const { exit, stdout } = await validate('--format', format);
    expect(exit).toBe(1);
    expect(stdout).toContain('Nothing starts more often than hourly.');
    expect(stdout).toMatch(/line=8|"startLine": 8|"begin": 8|roster.yaml:8:12/);
  });
});

describe('a policy file that is wrong', () => {
  test.each([
    ['require: { evry: {} }', 'unknown-property', 'unknown property "evry"', 4],
    ['require: { format: date }', 'unknown-property', 'unknown property "format"', 4],
    [
      'require: { properties: { every: { minLength: x } } }',
      'schema',
      '`minLength` must be a whole number, not text',
      4,
    ],
    [
      'require: { $ref: "https://example.com/schema.json" }',
      'schema',
      '`$ref` must be a reference to a schema of this policy',
      4,
    ],
    [
      'require: { $ref: "other.json#/$defs/x" }',
      'schema',
      '`$ref` must be a reference to a schema of this policy',
      4,
    ],
    ['require: { $ref: "#/$defs/x" }', 'schema', 'there is no schema `#/$defs/x`', 4],
    [
      'require: { properties: { every: { pattern: "(" } } }',
      'schema',
      'the pattern is not a regular expression',
      4,
    ],
    ['require: { $id: "https://example.com" }', 'unknown-property', 'unknown property "$id"', 4],
    ['require: { const: null }', 'schema', 'a value is missing', 4],
    ['require: {}\n    level: fatal', 'schema', '`level` must be one of `error`, `warning`', 5],
    ['require: {}\n    match: [scedule/*]', 'schema', '`match[0]` must be an address', 5],
    ['require: {}\n    match: []', 'schema', '`match` needs', 5],
    ['require: { type: int }', 'schema', '`type` must be one of `string`, `number`, `integer`', 4],
    ['require: { type: 5 }', 'schema', '`type` must be one of `string`', 4],
    ['require: { type: [int] }', 'schema', '`type[0]` must be one of `string`', 4],
  ])('%s', async (lines, code, message, line) => {
    workspace.write('policies/a.yaml', `policies:\n  p:\n    message: No.\n    ${lines}\n`);
    const errors = (await found()).filter(({ severity }) => severity === 'error');
    expect(errors).toMatchObject([
      { code, message: expect.stringContaining(message), file: 'policies/a.yaml', line },
    ]);
    const plan = await workspace.command(['plan']);
    expect([plan.exit, plan.stderr]).toEqual([1, expect.stringContaining(`policies/a.yaml:${line}`)]);
  });

  test('a short form of a type is completed in the hint', async () => {
    workspace.write('policies/a.yaml', 'policies: { p: { message: No., require: { type: int } } }\n');
    expect((await found())[0]?.help).toBe('Did you mean `integer`?');
  });

  test.each([
    ['', 0, 'the file has no policies'],
    ['- a\n', 1, 'a policy file must be a map'],
    ['groups: {}\n', 1, 'unknown property "groups"'],
    ['policies: { p: {} }\n', 1, '`require` is missing in `p`'],
    ['policies: { p: { require: {}, message: "" } }\n', 1, '`message` must not be empty'],
    ['policies: [\n', 1, 'yaml-syntax'],
    ['x-a: &a { require: {}, message: No. }\npolicies: { p: *a, q: *a }\n', 0, ''],
  ])('%j', async (text, exit, message) => {
    workspace.write('policies/a.yaml', text);
    expect(await validate()).toMatchObject({ exit, stderr: expect.stringContaining(message) });
  });

  test('a rule about a property that is not below `properties` says so', async () => {
    workspace.write('policies/a.yaml', 'policies: { p: { message: No., require: { every: {} } } }\n');
    expect((await found())[0]?.help).toContain('`properties: { every: … }`');
  });

  test('a name may be used once', async () => {
    workspace.write('policies/b.yaml', hourly);
    expect(await found()).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ code: 'duplicate-entry', file: 'policies/b.yaml', line: 2 }),
      ]),
    );
  });

  test('a property that no entry has, and an environment that there is not, are warnings', async () => {
    const text =
      'policies: { p: { environments: [prodction], require: { required: [desription] }, message: No. } }\n';
    workspace.write('policies/a.yaml', text);
    workspace.write('roster.yaml', `${project}environments: { production: {} }\n`);
    expect(await found()).toMatchObject([
      { severity: 'warning', code: 'unknown-environment', help: 'Did you mean `production`?' },
      { severity: 'warning', code: 'unknown-property', help: 'Did you mean `description`?' },
    ]);
  });

  test('an address that no entry has in any environment is a warning, unless the policies are for many projects', async () => {
    const entries = 'groups: { g: { members: [] }, other: { members: [], environments: [production] } }\n';
    const match = '[group/g, group/other, group/othr, schedule/no-such-*, "*"]';
    const text = `policies: { p: { match: ${match}, require: {}, message: No. } }\n`;
    workspace.write(
      'roster.yaml',
      `project: p\nenvironments: { production: {} }\n${entries}policies: [policies/a.yaml]\n`,
    );
    workspace.write('policies/a.yaml', text);
    const place = { file: 'policies/a.yaml', line: 1, column: 1 + text.indexOf('group/othr') };
    const help = 'Did you mean `group/other`?';
    expect(await found()).toMatchObject([{ severity: 'warning', code: 'unknown-reference', help, ...place }]);
    workspace.write('roster.yaml', 'project: p\ngroups: { g: { members: [] } }\n');
    expect(await found('--policies', 'policies/a.yaml')).toEqual([]);
  });

  test('a path that does not exist is an error, a glob that matches nothing a warning, and a link is not followed', async () => {
    workspace.write('roster.yaml', project.replace('policies/*.yaml', 'policies/b.yaml'));
    expect(await found()).toMatchObject([{ severity: 'error', code: 'unreadable-file', line: 2 }]);
    workspace.write('roster.yaml', project.replace('policies/*.yaml', 'none/*.yaml'));
    expect(await found()).toMatchObject([{ severity: 'warning', code: 'unreadable-file', line: 2 }]);
    workspace.write('roster.yaml', project);
    symlinkSync(join(workspace.root, 'policies/a.yaml'), join(workspace.root, 'policies/z.yaml'));
    expect(await found()).toEqual(
      expect.arrayContaining([expect.objectContaining({ severity: 'error', code: 'unreadable-file' })]),
    );
  });

  test('another command does not read them', async () => {
    workspace.write('policies/a.yaml', 'policies: [\n');
    expect((await workspace.command(['graph'])).exit).toBe(0);
  });
});

describe('plan and apply', () => {
  test('a plan is refused with exit code 4 and shown with the line, and an apply does nothing', async () => {
    const plan = await planned();
    expect(plan.exit).toBe(4);
    expect(plan.changes).toHaveLength(2);
    expect(plan.diagnostics).toMatchObject([
      {
        severity: 'error',
        code: 'policy',
        policy: 'hourly-at-most',
        file: 'roster.yaml',
        line: 8,
        column: 12,
      },
    ]);
    const apply = await workspace.command(['apply', '--yes']);
    expect([apply.exit, apply.stderr]).toEqual([4, expect.stringContaining('error[policy]')]);
  });

  test('the refusal of a plan names all entries, and so no single item of `each`', async () => {
    workspace.write('roster.yaml', project.slice(0, project.indexOf('schedules:')) + repeated);
    const { stdout, stderr } = await workspace.plan();
    expect(stdout).toContain('2 entries do');
    expect(stderr).not.toContain('(for ');
  });

  test('`--allow-policy` lets it pass, once for each policy, and the reviewer still sees it', async () => {
    workspace.write('policies/b.yaml', described.replace('warning', 'error'));
    const reason = ['--reason', 'incident 42'];
    expect((await planned('--allow-policy', 'described', ...reason)).exit).toBe(4);
    const allowed = ['--allow-policy', 'described', '--allow-policy', 'hourly-at-most'];
    const plan = await planned(...allowed, ...reason);
    expect(plan.exit).toBe(0);
    expect(plan.diagnostics).toMatchObject([
      { severity: 'warning', code: 'policy', policy: 'described' },
      { severity: 'warning', code: 'policy', policy: 'hourly-at-most' },
    ]);
    expect(plan.diagnostics.map(({ help }) => help)).toEqual([
      expect.stringMatching(/^This is required by .*\. Allowed here: incident 42$/),
      expect.stringMatching(/^This is required by .*\. Allowed here: incident 42$/),
    ]);
    expect(plan.digest).toBe((await planned()).digest);
    for (const format of ['text', 'markdown', 'html']) {
      const { stdout, stderr } = await workspace.command(['plan', '--format', format, ...allowed, ...reason]);
      expect((stdout + stderr).replace(/\s+/g, ' ')).toContain('Allowed here: incident 42');
    }
  });

  test.each([
    [['--allow-policy', 'hourly-at-most'], 'the reason is missing'],
    [['--allow-policy', 'hourly-at-most', '--reason', ' '], 'the reason is missing'],
    [['--allow-policy', 'hourly-at-most', '--reason', 'a\nb'], 'the text contains a line break'],
    [['--reason', 'incident 42'], '`--reason` is for `--allow-policy` only'],
  ])('%j is an error: whoever lets a policy be broken says why', async (flags, message) => {
    for (const words of [['plan'], ['apply', '--yes']])
      expect(await workspace.command([...words, ...flags])).toMatchObject({
        exit: 1,
        stderr: expect.stringContaining(message),
      });
  });

  test('a name that no policy has cannot be allowed', async () => {
    const { exit, stderr } = await workspace.command(['plan', '--allow-policy', 'hourly', '--reason', 'x']);
    expect([exit, stderr]).toEqual([
      1,
      expect.stringContaining('--allow-policy: there is no policy "hourly"'),
    ]);
  });

  test('only what is selected is judged', async () => {
    expect((await planned('group/retail')).exit).toBe(0);
    expect((await planned('schedule/often')).exit).toBe(4);
  });

  test('destroy is not refused', async () => {
    expect((await planned('--destroy')).exit).toBe(0);
  });

  test('the digest covers the policies, and not their order or message', async () => {
    workspace.write('policies/b.yaml', described);
    const { digest } = await planned();
    workspace.write('policies/0.yaml', described.replace('collects', 'gets'));
    rmSync(join(workspace.root, 'policies/b.yaml'));
    expect((await planned()).digest).toBe(digest);
    workspace.write('policies/0.yaml', described.replace('required: [description]', 'required: [name]'));
    expect((await planned()).digest).not.toBe(digest);
    rmSync(join(workspace.root, 'policies/0.yaml'));
    expect((await planned()).digest).not.toBe(digest);
  });

  test('without policies, a plan says nothing of them', async () => {
    workspace.write('roster.yaml', project.replace(/policies.*\n/, ''));
    expect((await planned()).policies).toBeUndefined();
  });
});

describe('what an apply remembers', () => {
  const inventory = () => readFileSync(join(workspace.root, 'roster.inventory.json'), 'utf8');
  const risks = async (...flags: string[]) => (await planned(...flags)).risks;
  const hours = project.replace('30 minutes', '6 hours');
  let name = 0;

  beforeEach(async () => {
    name += 1;
    const own = hours
      .replaceAll('retail', `retail-${name}`)
      .replace('project: pricing', `project: pricing-${name}`);
    workspace.write('roster.yaml', own);
    workspace.write('policies/b.yaml', described);
    expect((await workspace.command(['apply', '--yes'])).exit).toBe(0);
  });

  test('the policies are in the inventory, and nothing is said while they stay', async () => {
    expect(JSON.parse(inventory())).toMatchObject({
      policies: [
        { name: 'described', level: 'warning', hash: expect.stringMatching(/^[\w-]{43}$/) },
        { name: 'hourly-at-most', level: 'error', hash: expect.stringMatching(/^[\w-]{43}$/) },
      ],
    });
    expect(await risks()).toEqual([]);
  });

  test.each([
    ['was removed', () => rmSync(join(workspace.root, 'policies/a.yaml'))],
    [
      'was weakened',
      () => workspace.write('policies/a.yaml', hourly.replace('match:', 'level: warning\n    match:')),
    ],
    ['has changed', () => workspace.write('policies/a.yaml', hourly.replace('schedule/*', 'schedule/x'))],
    ['has changed', () => workspace.write('policies/a.yaml', hourly.replace('minutes?', 'minute'))],
    [
      'no longer applies in this environment',
      () => workspace.write('policies/a.yaml', hourly.replace('match:', 'environments: [x]\n    match:')),
    ],
  ])('a policy that %s is a risk, in the digest, until an apply', async (what, change) => {
    const { digest } = await planned();
    change();
    const plan = await planned();
    expect(plan.risks).toEqual([
      { code: 'policy', message: expect.stringContaining(`\`hourly-at-most\` ${what}`) },
    ]);
    expect(plan.digest).not.toBe(digest);
    for (const format of ['text', 'markdown', 'html'])
      expect((await workspace.command(['plan', '--format', format])).stdout).toContain(what);
    expect((await workspace.command(['apply', '--yes'])).exit).toBe(0);
    expect(await risks()).toEqual([]);
  });

  test('a new policy and a stronger level are no risks', async () => {
    workspace.write(
      'policies/b.yaml',
      described.replace('level: warning', 'level: error').replace('group/*', 'group/none'),
    );
    workspace.write('policies/c.yaml', 'policies: { new: { require: true, message: No. } }\n');
    expect((await risks()).map(({ message }) => message)).toEqual([
      expect.stringContaining('`described` has changed'),
    ]);
  });

  test('the setting in roster.yaml cannot be removed unseen', async () => {
    const text = readFileSync(join(workspace.root, 'roster.yaml'), 'utf8');
    workspace.write('roster.yaml', text.replace(/policies.*\n/, ''));
    expect(await risks()).toHaveLength(2);
  });

  test('inventory, plan and report fit their schemas', async () => {
    expectFits('inventory.schema.json', JSON.parse(inventory()));
    workspace.write('policies/a.yaml', hourly.replace('minutes?', 'hours?'));
    const { exit: _, ...plan } = await planned();
    expect(plan.diagnostics).toMatchObject([{ code: 'policy' }, { code: 'policy' }]);
    expect(plan.policies?.changed).toEqual([{ name: 'hourly-at-most', change: 'changed' }]);
    expectFits('plan.schema.json', plan);
    const { stdout } = await workspace.command([
      ...['apply', '--yes', '--format', 'json', '--allow-policy', 'hourly-at-most', '--reason', 'x'],
    ]);
    expectFits('report.schema.json', JSON.parse(stdout));
  });

  test('warnings of policies about unchanged resources are one line in every format, and new ones name their entry first', async () => {
    const text = readFileSync(join(workspace.root, 'roster.yaml'), 'utf8');
    const named = described.replace('described', 'owned').replaceAll('description', 'ignore');
    workspace.write('policies/c.yaml', named);
    workspace.write('roster.yaml', text.replace('groups:\n', 'groups:\n  fresh: { members: [] }\n'));
    expect((await planned()).diagnostics).toHaveLength(4);
    const shown = async (...flags: string[]) => {
      const { stdout, stderr } = await workspace.command(['plan', ...flags]);
      return `${stdout}${stderr}`;
    };
    const line = /2 warnings\s+of\s+unchanged\s+resources\s+are\s+not\s+shown\s+\(2 policy\)/;
    for (const format of ['text', 'markdown', 'html']) {
      expect(await shown('--format', format)).toMatch(line);
      expect(await shown('--format', format, '-v')).not.toMatch(line);
    }
    const first = /group\/fresh`?: Describe what it collects/g;
    // The page shows them below the risks, and with their help under Problems.
    for (const [format, times] of [
      ['markdown', 2],
      ['html', 4],
    ] as const)
      expect((await shown('--format', format)).match(first)).toHaveLength(times);
  });

  test('an entry whose breach a flag lets pass is shown although it is unchanged', async () => {
    workspace.write('policies/b.yaml', described.replace('level: warning', 'level: error'));
    const { stdout } = await workspace.command([
      'plan',
      '--format',
      'markdown',
      '--allow-policy',
      'described',
      '--reason',
      'incident 42',
    ]);
    expect(stdout).toMatch(/group\/retail-\d+`: Describe what it collects/);
  });

  test('a policy that very many unchanged entries break counts them on the same line', async () => {
    const text = readFileSync(join(workspace.root, 'roster.yaml'), 'utf8');
    const many = Array.from({ length: 120 }, (_, n) => `  many-${name}-${n}: { members: [] }\n`).join('');
    workspace.write('roster.yaml', text.replace('groups:\n', `groups:\n${many}`));
    expect((await workspace.command(['apply', '--yes'])).exit).toBe(0);
    const { stdout } = await workspace.command(['plan', '--format', 'markdown']);
    expect(stdout).toContain('are not shown (101 policy)');
    expect(stdout).not.toContain('more entries break it');
  });

  test('a snapshot holds them, for plans without a key', async () => {
    await workspace.command(['snapshot', '--out', 'roster.snapshot.json']);
    rmSync(join(workspace.root, 'policies/a.yaml'));
    rmSync(join(workspace.root, 'roster.inventory.json'));
    expect(await risks('--snapshot', 'roster.snapshot.json')).toEqual([
      { code: 'policy', message: expect.stringContaining('`hourly-at-most` was removed') },
    ]);
  });

  test('an apply that fails in part records none: the rest of its plan can be resumed', async () => {
    const text = readFileSync(join(workspace.root, 'roster.yaml'), 'utf8');
    const more = 'groups:\n  x1: { members: [] }\n  x2: { members: [] }\n';
    workspace.write('roster.yaml', text.replace('groups:\n', more));
    rmSync(join(workspace.root, 'policies/a.yaml'));
    const { digest } = await planned();
    const refused = {
      act: 'status',
      status: 422,
      method: 'POST',
      path: '/api/search-groups',
      nth: 2,
    } as const;
    sandbox.faults.faults = [refused];
    expect((await workspace.command(['apply', '--expect', digest])).exit).toBe(3);
    sandbox.faults.faults = [];
    expect(JSON.parse(inventory()).policies).toHaveLength(2);
    expect((await workspace.command(['apply', '--expect', digest, '--resume'])).exit).toBe(0);
    expect(JSON.parse(inventory()).policies).toHaveLength(1);
  });

  test('a hold keeps them', async () => {
    const before = JSON.parse(inventory()).policies;
    await workspace.command(['hold', 'schedule/*', '--yes']);
    expect(JSON.parse(inventory()).policies).toEqual(before);
  });
});

describe('policies from outside', () => {
  const group = 'project: p\ngroups: { g: { members: [] } }\n';
  const strict = described.replace('level: warning', 'level: error');

  beforeEach(() => workspace.write('roster.yaml', group));

  test.each(['file', 'glob'])('are checked with `--policies` and ROSTER_POLICIES: a %s', async (what) => {
    const path = join(outside({ 'company.yaml': strict }), what === 'file' ? 'company.yaml' : '*.yaml');
    expect((await validate('--policies', path)).exit).toBe(1);
    expect((await planned('--policies', path)).exit).toBe(4);
    workspace.env['ROSTER_POLICIES'] = path;
    expect((await validate()).exit).toBe(1);
    const plan = await planned();
    expect(plan.exit).toBe(4);
    expect(plan.policies?.checked).toMatchObject([{ name: 'described', outside: true }]);
    expect((await workspace.command(['plan'])).stdout).toContain(
      'Policies 1 checked, from outside the project',
    );
  });

  test('cannot be allowed or replaced by the project', async () => {
    workspace.env['ROSTER_POLICIES'] = join(outside({ 'company.yaml': strict }), 'company.yaml');
    workspace.write('roster.yaml', `policies: [own.yaml]\n${group}`);
    workspace.write('own.yaml', 'policies: { described: { require: true, message: Fine. } }\n');
    const plan = await planned('--allow-policy', 'described', '--reason', 'x');
    expect([plan.exit, plan.policies?.checked.length]).toEqual([4, 2]);
    expect(plan.diagnostics[0]?.help).toContain('No flag can override it');
  });

  test('are checked besides each other', async () => {
    workspace.env['ROSTER_POLICIES'] = join(outside({ 'a.yaml': strict }), 'a.yaml');
    const other = join(outside({ 'b.yaml': hourly }), 'b.yaml');
    expect((await planned('--policies', other)).policies?.checked).toHaveLength(2);
  });

  test.each([
    ['none.yaml', /none\.yaml"\s+cannot be read/],
    ['none/*.yaml', /no file matches/],
    ['none.txt', /must end in/],
  ])('%s that is not there is an error that names the flag', async (name, message) => {
    const { exit, stderr } = await validate('--policies', join(outside({}), name));
    expect([exit, stderr]).toEqual([1, expect.stringMatching(message)]);
    expect(stderr).toContain('`--policies`: ');
  });

  test('an empty ROSTER_POLICIES names none', async () => {
    workspace.env['ROSTER_POLICIES'] = '';
    expect((await validate()).exit).toBe(0);
  });

  test('a relative path begins at the working directory, whatever the project', async () => {
    mkdirSync(join(workspace.root, 'team'));
    workspace.write('team/roster.yaml', group);
    workspace.write('company.yaml', strict);
    expect((await validate('-f', 'team/roster.yaml', '--policies', 'company.yaml')).exit).toBe(1);
    expect((await validate('-f', 'team/roster.yaml', '--policies', '*any.yaml')).exit).toBe(1);
  });

  describe('for the files of a proposed change', () => {
    /** The project is proposed; the job stands in the folder `job`, and `path` is what ROSTER_POLICIES names there. */
    const judged = async (path: string, job: string) => {
      const { diagnostics } = await validateProject({
        cwd: workspace.root,
        env: { ROSTER_POLICIES: path },
        policiesFrom: { cwd: job, notIn: workspace.root },
      });
      return diagnostics.map(({ severity, code, message }) => [severity, code, message]);
    };
    const breach = ['error', 'policy', expect.stringContaining('Describe what it collects')];
    const refused = ['error', 'unreadable-file', expect.stringMatching(/^`ROSTER_POLICIES`: .* proposed/)];

    test.each(['company.yaml', '*.yaml', './company.yaml'])(
      'a relative path begins where the job stands, whatever the change has there: %s',
      async (path) => {
        workspace.write('company.yaml', 'policies: {}\n');
        expect(await judged(path, outside({ 'company.yaml': strict }))).toEqual([breach]);
        expect(await judged(path, outside({}))).toEqual([
          ['error', 'unreadable-file', expect.stringMatching(/^`ROSTER_POLICIES`: /)],
        ]);
      },
    );

    test('a file of the change is refused, also by a link', async () => {
      workspace.write('own/company.yaml', strict);
      const job = outside({});
      symlinkSync(join(workspace.root, 'own'), join(job, 'linked'));
      for (const path of [join(workspace.root, 'own/company.yaml'), 'linked/company.yaml', 'linked/*.yaml'])
        expect([path, await judged(path, job)]).toEqual([path, [refused]]);
      expect(await judged('own/*.yaml', workspace.root)).toEqual([refused]);
    });
  });

  test('one that is no longer given is a risk', async () => {
    const path = join(outside({ 'a.yaml': hourly }), 'a.yaml');
    expect((await workspace.command(['apply', '--yes', '--policies', path])).exit).toBe(0);
    expect((await planned()).risks).toEqual([
      {
        code: 'policy',
        message: expect.stringContaining('the policy from outside the project `hourly-at-most` was removed'),
      },
    ]);
    workspace.write('roster.yaml', `policies: [own.yaml]\n${group}`);
    workspace.write('own.yaml', hourly);
    expect((await planned()).risks).toEqual([
      { code: 'policy', message: expect.stringContaining('was weakened') },
    ]);
    expect((await planned('--policies', path)).risks).toEqual([]);
  });

  test('need no service, and no inventory of the project', async () => {
    workspace.env = { PATH: '', ROSTER_POLICIES: join(outside({ 'a.yaml': hourly }), 'a.yaml') };
    expect((await validate()).exit).toBe(0);
  });
});

test('a policy that two entries break with a default names both', async () => {
  const entry = (agent: string) => `{ target: agent/${agent}, startTime: 2026-12-01T06:00:00 }`;
  workspace.write(
    'roster.yaml',
    `project: pricing
policies: [policies/*.yaml]
defaults: { schedules: { every: 30 minutes } }
schedules:
  a: ${entry('globex')}
  b: ${entry('initech')}
`,
  );
  expect(await found()).toMatchObject([{ line: 3, addresses: ['schedule/a', 'schedule/b'] }]);
  expect((await validate()).stderr).toContain('(schedule/a, schedule/b)');
});
