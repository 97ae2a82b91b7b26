import { beforeEach, describe, expect, test } from 'vitest';
import type { Sandbox } from '../../../src/sandbox/index.js';
import { Workspace } from '../../support/roster.js';
import { startSandbox } from '../../support/sandbox.js';

/** What a person mistypes or overlooks, and must be told. */

let sandbox: Sandbox;
let workspace: Workspace;
beforeEach(async () => {
  sandbox = await startSandbox();
  workspace = new Workspace({}, sandbox);
});

const declare = (text: string) => workspace.write('roster.yaml', `project: p\n${text}`);
const applies = async () => expect(await workspace.apply()).toMatchObject({ exit: 0 });
const run = (line: string) => workspace.command(line.split(' '));

describe('an address under `removed`', () => {
  const two = 'groups:\n  a: { members: [acme-shop] }\n  old-import: { members: [acme-shop] }\n';
  const one = 'groups:\n  a: { members: [acme-shop] }\n';
  const codes = async () => (await workspace.planJson()).diagnostics.map(({ code }) => code);
  beforeEach(async () => {
    declare(two);
    await applies();
  });

  test.each(['group/old-imports', 'pipeline/old-import'])(
    'that is mistyped as %s is named',
    async (address) => {
      declare(`removed: [${address}]\n${one}`);
      const { diagnostics } = await workspace.planJson();
      expect(diagnostics).toMatchObject([
        { severity: 'warning', code: 'unknown-removed', line: 2, help: 'Did you mean `group/old-import`?' },
      ]);
    },
  );

  test('is no mistake before and after an apply has forgotten it', async () => {
    declare(`removed: [group/old-import]\n${one}`);
    expect(await codes()).toEqual([]);
    await applies();
    expect(await codes()).toEqual([]);
  });

  test('that resembles nothing left over is that of another environment, and no mistake', async () => {
    declare(`removed: [group/b, group/quite-another]\n${two}`);
    expect(await codes()).toEqual([]);
  });
});

describe('entries of other environments only', () => {
  const elsewhere = `environments: { staging: {}, production: {} }
groups:
  a: { members: [acme-shop], environments: [production] }
`;

  test.each(['why', 'plan', 'drift', 'pull'])('%s says where the address exists', async (name) => {
    declare(`${elsewhere}  b: { members: [acme-shop] }\n`);
    for (const address of ['group/a', 'group/a*']) {
      const { exit, stderr } = await run(`${name} -e staging ${address}`);
      const said = stderr.replace(/\s+/g, ' ');
      expect([exit, said]).toEqual([
        1,
        expect.stringContaining(`"${address}" exists in the environment production only`),
      ]);
      expect(said).toContain('`-e production`');
    }
  });

  test('a project without any other says why it has 0 resources', async () => {
    declare(elsewhere);
    const { stdout } = await run('validate -e staging');
    expect(stdout).toContain('0 resources, because `environments:` leaves out the only one.');
    expect((await run('validate -e production')).stdout).toContain('is valid: 1 resource.');
    const plan = await run('plan -e staging');
    expect([plan.exit, plan.stdout.replace(/\s+/g, ' ')]).toEqual([
      4,
      expect.stringContaining('declares no resources in this environment'),
    ]);
  });
});

describe('`ignore`', () => {
  const groups = (ignore: string) =>
    `groups:\n  a: { members: [acme-shop]${ignore} }\n  b: { members: [acme-shop], ignore: [active] }\n`;
  const risks = async () => (await workspace.planJson()).risks.map(({ message }) => message);

  test('that was added to an entry is a risk of the plan until it is applied', async () => {
    declare(groups(''));
    await applies();
    expect(await risks()).toEqual([]);
    declare(groups(', ignore: [description]'));
    expect(await risks()).toEqual([expect.stringContaining('group/a ignores `description` from now on')]);
    const text = await workspace.plan();
    expect(text.stdout.replace(/\s+/g, ' ')).toContain('group/a ignores `description` from now on');
    expect(text.stdout).toContain('No changes.');
    await applies();
    expect(await risks()).toEqual([]);
    declare(groups(', ignore: [active, description]'));
    expect(await risks()).toEqual([expect.stringContaining('group/a ignores `active` from now on')]);
    declare(groups(''));
    expect(await risks()).toEqual([]);
  });

  test('the line that counts what differs names only the entries that differ', async () => {
    declare(groups(', ignore: [description]'));
    await applies();
    for (const group of sandbox.world.groups.values())
      if (group.name === 'a') Object.assign(group, { description: 'other' });
    const { stdout } = await workspace.plan();
    expect(stdout).toContain('Ignored here: 1 difference (roster why group/a).');
    // An apply with nothing to do shows no plan before.
    expect((await workspace.apply()).stdout).toContain('Ignored here: 1 difference (roster why group/a).');
  });
});

test.each(['apply --yes', 'destroy --yes --expect DIGEST'])(
  'roster %s says once why it refuses',
  async (line) => {
    declare('groups:\n  a: { members: [acme-shop], protect: true }\n');
    await applies();
    declare('groups:\n  b: { members: [acme-shop] }\n');
    const { digest } = await workspace.planJson({ destroy: true });
    const { exit, stdout, stderr } = await run(line.replace('DIGEST', digest));
    expect(exit).toBe(4);
    expect(`${stdout}${stderr}`.match(/\[protected\]/g)).toHaveLength(1);
    expect(stdout).toContain('DELETE  group/a');
  },
);

test.each(['--by target', '--by kind'])(
  'pull %s for what is declared is an error, like other idle flags',
  async (flag) => {
    declare('groups:\n  a: { members: [acme-shop] }\n');
    await applies();
    const { exit, stderr } = await run(`pull group/a ${flag}`);
    expect([exit, stderr]).toEqual([1, expect.stringContaining('`--by` has no effect')]);
    expect((await run('pull group/a')).exit).toBe(0);
  },
);

test('drift without an inventory says what to do, and nothing of another account', async () => {
  declare('groups:\n  a: { members: [acme-shop] }\n');
  await applies();
  workspace.write(
    'roster.inventory.json',
    '{"version":1,"project":"p","environment":null,"entries":{},"drafts":{}}',
  );
  const { exit, stderr } = await run('drift');
  expect([exit, stderr]).toEqual([1, expect.stringContaining('[not-in-inventory]')]);
  expect(stderr).toContain('`roster apply`');
});

test('a list without an environment says that none is selected: it compares with an inventory that is new', async () => {
  declare('environments: { staging: {} }\ngroups:\n  a: { members: [acme-shop] }\n');
  expect(await workspace.command(['apply', '-e', 'staging', '--yes'])).toMatchObject({ exit: 0 });
  const { exit, stderr } = await run('list --unmanaged');
  expect([exit, stderr]).toEqual([0, expect.stringContaining('warning[no-environment]')]);
  expect((await run('list --unmanaged -e staging')).stderr).toBe('');
});
