import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import type { Sandbox } from '../../../src/sandbox/index.js';
import type { PlanJson } from '../../../src/view/json/plan-json.js';
import { writesTo } from '../../faults/support/fixture.js';
import { Workspace } from '../../support/roster.js';
import { startSandbox } from '../../support/sandbox.js';
import { expectFits } from '../schemas/schemas.js';

const at = 'startTime: 2099-12-01T06:00:00';
const project = `project: pricing
policies: [policies/*.yaml]
schedules:
  shop-live: { target: agent/acme-shop, every: 30 minutes, ${at} }
  news-live: { target: agent/globex, every: 30 minutes, ${at} }
  daily: { target: agent/globex, every: 1 day, ${at} }
`;
const hourly = `policies:
  hourly-at-most:
    match: [schedule/*]
    require:
      properties: { every: { not: { pattern: "minutes?$" } } }
    message: Nothing starts more often than hourly.
`;
interface Written {
  policy?: string;
  match?: string;
  reason?: string;
  until?: string;
}
const exceptions = (...all: Written[]) =>
  `exceptions:\n${all
    .map(
      ({
        policy = 'hourly-at-most',
        match = 'schedule/*-live',
        reason = 'The sale is on.',
        until = '2027-03-31',
      }) => `  - { policy: ${policy}, match: [${match}], reason: "${reason}", until: ${until} }\n`,
    )
    .join('')}`;

let sandbox: Sandbox;
let workspace: Workspace;
let now = '';
beforeEach(async () => {
  now = '2027-01-01T00:00:00Z';
  const clock = () => new Date(now);
  sandbox = await startSandbox({ clock });
  workspace = new Workspace({ 'roster.yaml': project, 'policies/a.yaml': hourly }, sandbox);
  workspace.now = clock;
  workspace.sleep = () => new Promise((done) => setImmediate(done));
});

const write = (...all: Written[]) => workspace.write('policies/a.yaml', hourly + exceptions(...all));
async function planned(...flags: string[]): Promise<PlanJson & { exit: number }> {
  const { exit, stdout } = await workspace.command(['plan', '--format', 'json', ...flags]);
  return { exit, ...(JSON.parse(stdout) as PlanJson) };
}
async function validated() {
  const { exit, stdout } = await workspace.command(['validate', '--format', 'json']);
  const { diagnostics } = JSON.parse(stdout) as Pick<PlanJson, 'diagnostics'>;
  return [exit, diagnostics.map(({ severity, code }) => `${severity} ${code}`)];
}
const apply = (...flags: string[]) => workspace.command(['apply', ...flags]);

describe('by its last day', () => {
  test.each([
    ['2027-01-01T00:00:00Z', 0, ['info policy-exception']],
    ['2027-03-16T23:59:59Z', 0, ['info policy-exception']],
    ['2027-03-17T00:00:00Z', 0, ['warning policy-exception']],
    ['2027-03-31T23:59:59Z', 0, ['warning policy-exception']],
    ['2027-04-01T00:00:00Z', 1, ['error policy', 'error policy']],
  ])('an exception until 2027-03-31 is at %s: exit code %i, %j', async (time, exit, said) => {
    write({});
    now = time;
    expect(await validated()).toEqual([exit, said]);
    const plan = await planned();
    expect(plan.exit).toBe(exit === 0 ? 0 : 4);
    const codes = new Set(plan.diagnostics.map(({ severity, code }) => `${severity} ${code}`));
    expect([...codes]).toEqual([...new Set(said)]);
  });

  test('a breach that counts again names the exception that is over', async () => {
    write({});
    now = '2027-04-01T00:00:00Z';
    const { stderr } = await workspace.command(['validate']);
    const flat = stderr.replace(/\s+/g, ' ');
    expect(flat).toContain('The exception until 2027-03-31 (policies/a.yaml:8) is over.');
  });

  test('the one that ends last counts, whatever else is over', async () => {
    write(
      { until: '2026-12-31' },
      { match: 'schedule/shop-live', until: '2027-12-31', reason: 'Black Friday.' },
    );
    expect(await validated()).toEqual([1, ['error policy', 'info policy-exception']]);
  });
});

test('an exception reaches the entries that it matches, and no other policy', async () => {
  const other =
    'policies: { no-minutes: { require: { properties: { every: { not: { pattern: minutes } } } }, message: No. } }\n';
  write({ match: 'schedule/shop-live' });
  expect(await validated()).toEqual([1, ['error policy', 'info policy-exception']]);
  write({});
  workspace.write('policies/b.yaml', other);
  expect(await validated()).toEqual([1, ['error policy', 'error policy', 'info policy-exception']]);
});

test('what is excepted is listed with its reason in every format, once for each exception', async () => {
  write({ match: 'schedule/shop-live' }, { match: 'schedule/news-live', reason: 'Elections.' });
  for (const format of ['text', 'markdown', 'html', 'json']) {
    const { stdout, stderr } = await workspace.command(['plan', '--format', format]);
    const flat = (stdout + stderr).replace(/\s+/g, ' ').replaceAll('`', '');
    for (const said of [
      'schedule/shop-live may break the policy hourly-at-most until 2027-03-31: The sale is on.',
      'schedule/news-live may break the policy hourly-at-most until 2027-03-31: Elections.',
    ])
      expect(flat).toContain(said);
  }
  for (const format of ['github', 'sarif', 'gitlab', 'junit'])
    expect((await workspace.command(['validate', '--format', format])).stdout).toContain('Elections.');
});

test('exceptions of unchanged resources share the one line of what is not shown, and one that ends soon is shown', async () => {
  write({ match: 'schedule/shop-live' }, { match: 'schedule/news-live' });
  expect((await apply('--yes')).exit).toBe(0);
  const shown = async () => {
    const { stdout, stderr } = await workspace.command(['plan']);
    return (stdout + stderr).replace(/\s+/g, ' ');
  };
  expect(await shown()).toContain('2 notes of unchanged resources are not shown (2 policy-exception)');
  now = '2027-03-20T00:00:00Z';
  expect(await shown()).toContain('breaks the policy `hourly-at-most`, and the exception ends on 2027-03-31');
});

describe('a file with an exception', () => {
  test.each([
    [{ reason: '' }, 'schema', '`reason` must not be empty'],
    [{ reason: ' ' }, 'schema', '`reason` must be a text'],
    [{ until: 'soon' }, 'schema', '`until` must be a day such as `2027-03-31`'],
    [{ until: '2027-02-30' }, 'invalid-time', 'there is no day 2027-02-30'],
    [{ until: '2027-03-31T00:00:00Z' }, 'schema', '`until` must be a day'],
    [{ match: '' }, 'schema', '`match` needs'],
    [{ match: 'scedule/a' }, 'schema', '`match[0]` must be an address'],
    [{ policy: 'hourly' }, 'unknown-reference', 'this file has no policy "hourly"'],
  ])('that says %j is an error', async (written, code, message) => {
    write(written);
    const { exit, stdout } = await workspace.command(['validate', '--format', 'json']);
    const errors = (JSON.parse(stdout) as PlanJson).diagnostics.filter(
      ({ severity }) => severity === 'error',
    );
    const own = errors.filter((each) => each.code !== 'policy');
    expect([exit, own]).toMatchObject([1, [{ code, message: expect.stringContaining(message), line: 8 }]]);
    expect((await planned()).exit).toBe(1);
  });

  test.each(['policy', 'match', 'reason', 'until'])('without `%s` is an error', async (name) => {
    workspace.write(
      'policies/a.yaml',
      hourly + exceptions({}).replace(new RegExp(`${name}: [^,}]*,? ?`), ''),
    );
    const { exit, stderr } = await workspace.command(['plan']);
    expect([exit, stderr]).toEqual([1, expect.stringContaining(`\`${name}\` is missing`)]);
  });

  test('that matches an address that no entry has is a warning', async () => {
    write({}, { match: 'schedule/shop-liv' });
    expect(await validated()).toEqual([0, ['info policy-exception', 'warning unknown-reference']]);
  });
});

describe('a policy from outside the project', () => {
  const folder = () => {
    const path = mkdtempSync(join(tmpdir(), 'roster-test-'));
    workspace.env['ROSTER_POLICIES'] = join(path, 'company.yaml');
    return (text: string) => writeFileSync(join(path, 'company.yaml'), text);
  };

  test('has the exceptions of its own file', async () => {
    folder()(hourly + exceptions({}));
    workspace.write('policies/a.yaml', 'policies: {}\n');
    expect(await validated()).toEqual([0, ['info policy-exception']]);
    expect((await planned()).risks).toContainEqual({
      code: 'policy',
      message: expect.stringContaining(
        'the policy from outside the project `hourly-at-most` has a new exception',
      ),
    });
  });

  test.each([
    ['names it', exceptions({}), ['error unknown-reference']],
    ['has a policy of its name', hourly + exceptions({}), ['info policy-exception']],
  ])('has none of a file of the project, which %s', async (_, text, said) => {
    folder()(hourly);
    workspace.write('policies/a.yaml', text.startsWith('policies:') ? text : `policies: {}\n${text}`);
    const [exit, found] = await validated();
    expect([exit, found]).toEqual([1, expect.arrayContaining([...said])]);
    const plan = await planned();
    expect(plan.exit).not.toBe(0);
  });
});

describe('what an apply remembers', () => {
  const risks = async () =>
    (await planned()).risks.filter(({ code }) => code === 'policy').map(({ message }) => message);
  const has = (how: string, match: string, until = '2027-03-31') =>
    `the policy \`hourly-at-most\` has a ${how} exception, for ${match} until ${until}: The sale is on.`;

  test('an exception is a risk until an apply, and nothing is said while it stays', async () => {
    write({});
    expect(await risks()).toEqual([has('new', 'schedule/*-live')]);
    for (const format of ['text', 'markdown', 'html']) {
      const { stdout } = await workspace.command(['plan', '--format', format]);
      expect(stdout.replace(/\s+/g, ' ')).toContain('has a new exception');
    }
    expect((await apply('--yes')).exit).toBe(0);
    expect(await risks()).toEqual([]);
  });

  test.each<[string, Written[], string[]]>([
    ['another reason', [{ reason: 'It goes on.' }], []],
    ['an earlier end', [{ until: '2027-02-01' }], []],
    ['fewer entries', [{ match: 'schedule/shop-live' }], []],
    ['none', [], []],
    ['the same in two', [{ match: 'schedule/shop-live' }, { match: 'schedule/news-live' }], []],
    ['a later end', [{ until: '2027-04-01' }], [has('longer', 'schedule/*-live', '2027-04-01')]],
    ['more entries', [{ match: 'schedule/*' }], [has('wider', 'schedule/*')]],
    ['one more', [{}, { match: 'schedule/daily' }], [has('new', 'schedule/daily')]],
    ['one more that is over', [{}, { match: 'schedule/daily', until: '2026-12-01' }], []],
  ])('%s, compared with the last apply', async (_, all, expected) => {
    write({});
    expect((await apply('--yes')).exit).toBe(0);
    workspace.write('policies/a.yaml', all.length === 0 ? hourly : hourly + exceptions(...all));
    expect(await risks()).toEqual(expected);
  });

  test('inventory, snapshot, plan and report fit their schemas', async () => {
    write({});
    const { exit: _, ...plan } = await planned();
    expect(plan.policies?.changed).toEqual([
      {
        name: 'hourly-at-most',
        change: 'excepted',
        exception: {
          match: ['schedule/*-live'],
          reason: 'The sale is on.',
          until: '2027-03-31',
          change: 'new',
        },
      },
    ]);
    expectFits('plan.schema.json', plan);
    expectFits('report.schema.json', JSON.parse((await apply('--yes', '--format', 'json')).stdout));
    const text = readFileSync(join(workspace.root, 'roster.inventory.json'), 'utf8');
    expectFits('inventory.schema.json', JSON.parse(text));
    await workspace.command(['snapshot', '--out', 'roster.snapshot.json']);
    const { digest } = await planned();
    rmSync(join(workspace.root, 'roster.inventory.json'));
    expect(await planned('--snapshot', 'roster.snapshot.json')).toMatchObject({ exit: 0, digest, risks: [] });
  });
});

describe('the digest', () => {
  test('covers exceptions, and is the same at any time and in any order', async () => {
    const one = { match: 'schedule/shop-live' };
    const two = { match: 'schedule/news-live' };
    write(one, two);
    const { digest } = await planned();
    write(two, one);
    expect((await planned()).digest).toBe(digest);
    now = '2027-06-01T00:00:00Z';
    expect((await planned()).digest).toBe(digest);
    write(one);
    expect((await planned()).digest).not.toBe(digest);
    write(one, { ...two, until: '2027-03-30' });
    expect((await planned()).digest).not.toBe(digest);
  });

  test.each([
    ['--expect', []],
    ['--expect and --resume', ['--resume']],
  ])(
    'of a plan that is applied with %s after the last day: the breach refuses it, and nothing is sent',
    async (_, more) => {
      write({});
      const { digest, exit } = await planned();
      expect(exit).toBe(0);
      now = '2027-04-01T00:00:00Z';
      const late = await apply('--expect', digest, ...more);
      expect([late.exit, late.stderr]).toEqual([4, expect.stringContaining('error[policy]')]);
      expect(late.stderr.replace(/\s+/g, ' ')).toContain('The exception until 2027-03-31');
      expect(writesTo(sandbox)).toEqual([]);
      now = '2027-03-31T23:59:59Z';
      expect((await apply('--expect', digest, ...more)).exit).toBe(0);
    },
  );

  test('of a plan that is confirmed on the last day and applied after it: it is refused', async () => {
    write({});
    await workspace.command(['plan', '--out', 'plan.json']);
    now = '2027-04-01T00:00:00Z';
    expect((await apply('--plan', 'plan.json')).exit).toBe(4);
    expect(writesTo(sandbox)).toEqual([]);
  });
});

describe('list --unmanaged --policies', () => {
  const groups =
    'policies: { described: { match: [group/*], require: { required: [description] }, message: Describe it. } }\n';
  const listed = async (...flags: string[]) => {
    const { exit, stdout } = await workspace.command(['list', ...flags, '--format', 'json']);
    const { diagnostics } = JSON.parse(stdout) as Pick<PlanJson, 'diagnostics'>;
    return { exit, diagnostics };
  };

  beforeEach(async () => {
    workspace.write(
      'roster.yaml',
      'project: other\ngroups: { ours: { members: [] }, theirs: { members: [] } }\n',
    );
    expect((await apply('--yes')).exit).toBe(0);
    // Now nobody declares one of them, and the inventory has none.
    rmSync(join(workspace.root, 'roster.inventory.json'));
    workspace.write(
      'roster.yaml',
      'project: pricing\npolicies: [policies/*.yaml]\ngroups: { ours: { members: [] } }\n',
    );
    workspace.write('policies/a.yaml', groups);
  });

  test('judges what nobody declares as pull would write it, and nothing else', async () => {
    const { exit, diagnostics } = await listed('--unmanaged', '--policies');
    const own = diagnostics.filter(({ code }) => code === 'policy');
    expect([exit, own]).toMatchObject([
      0,
      [
        {
          severity: 'warning',
          policy: 'described',
          message: expect.stringMatching(/^group "theirs" \(.+\): Describe it\. `description` is missing$/),
        },
      ],
    ]);
    expect((await listed('--unmanaged')).diagnostics).toEqual([]);
    expect((await listed('schedules', '--unmanaged', '--policies')).diagnostics).toEqual([]);
    const { stdout, stderr } = await workspace.command(['list', '--unmanaged', '--policies']);
    expect((stdout + stderr).replace(/\s+/g, ' ')).toContain('Describe it. `description` is missing');
  });

  test('goes by the exceptions, and by policies from outside', async () => {
    workspace.write(
      'policies/a.yaml',
      `${groups}${exceptions({ policy: 'described', match: 'group/theirs' })}`,
    );
    expect((await listed('--unmanaged', '--policies')).diagnostics).toMatchObject([
      { code: 'policy-exception' },
    ]);
    workspace.env['ROSTER_POLICIES'] = join(workspace.root, 'company.yaml');
    workspace.write('company.yaml', groups.replace('described', 'company'));
    expect((await listed('--unmanaged', '--policies')).diagnostics).toMatchObject([
      { code: 'policy-exception' },
      { code: 'policy', policy: 'company' },
    ]);
  });

  test('needs `--unmanaged`', async () => {
    expect(await workspace.command(['list', '--policies'])).toMatchObject({
      exit: 1,
      stderr: expect.stringContaining('`--policies` is for `--unmanaged` only'),
    });
  });
});
