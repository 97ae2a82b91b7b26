import { mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ownersIn, ownersOfChanges } from '../../../src/engine/owners.js';
import { type Sandbox, startSandbox } from '../../../src/sandbox/index.js';
import type { PlanJson } from '../../../src/view/json/plan-json.js';
import { Workspace } from '../../support/roster.js';
import { isLong } from '../../support/size.js';
import { change, place } from '../view/samples.js';

/** A repository with these files. */
function repository(files: Readonly<Record<string, string>>): string {
  const root = mkdtempSync(join(tmpdir(), 'roster-test-'));
  for (const [name, text] of Object.entries({ '.git/HEAD': '', ...files })) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), text);
  }
  return root;
}

function owners(files: Readonly<Record<string, string>>, path: string) {
  const root = repository(files);
  return ownersIn(root)?.of(join(root, path)) ?? null;
}

function textOf({ root }: Workspace, file: string): string {
  return readFileSync(join(root, file), 'utf8');
}

/** The example of GitHub's documentation. */
const github = `# This is a comment.
*       @global-owner1 @global-owner2
*.js    @js-owner #This is an inline comment.
*.go docs@example.com
*.txt @octo-org/octocats
/build/logs/ @doctocat
docs/* docs@example.com
apps/ @octocat
/docs/ @doctocat
/scripts/ @doctocat @octocat
**/logs @logger
/apps/ @octocat
/apps/github
/my\\ path/ @spaces
[x]y @no-classes
!negated @nobody
/odd/ @first
/odd/team data-team
/odd/half @second data-team
/odd/two@@ats @@second
/odd/{a,b}/(c)/ @literal
/odd/none # @nobody
`;

describe('a CODEOWNERS file of GitHub', () => {
  test.each([
    ['roster.yaml', ['@global-owner1', '@global-owner2']],
    ['a/b/c.js', ['@js-owner']],
    ['a.go', ['docs@example.com']],
    ['deep/a.txt', ['@octo-org/octocats']],
    ['build/logs/a/b.yaml', ['@logger']],
    ['docs/a.yaml', ['@doctocat']],
    ['other/docs/a.yaml', ['@global-owner1', '@global-owner2']],
    ['x/apps/a.yaml', ['@octocat']],
    ['scripts/a.yaml', ['@doctocat', '@octocat']],
    ['deeply/nested/logs/a.yaml', ['@logger']],
    ['apps/a.yaml', ['@octocat']],
    ['apps/github/a.yaml', []],
    ['my path/a.yaml', ['@spaces']],
    ['odd/team', ['@first']],
    ['odd/half', ['@first']],
    ['odd/two@@ats', ['@first']],
    ['odd/{a,b}/(c)/d', ['@literal']],
    ['odd/a/(c)/d', ['@first']],
    ['odd/none', []],
  ])('%s', (path, expected) => {
    expect(owners({ '.github/CODEOWNERS': github }, path)).toEqual(expected);
  });

  test('a pattern that ends in `/*` means the files of the folder alone', () => {
    const text = 'teams/* @teams\n';
    expect(owners({ CODEOWNERS: text }, 'teams/a.yaml')).toEqual(['@teams']);
    expect(owners({ CODEOWNERS: text }, 'teams/retail/a.yaml')).toEqual([]);
  });
});

/** After the examples of GitLab's documentation. */
const gitlab = `[Documentation] @docs-team
docs/
README.md
^[Database][2] @database-team
model/db/
config/db/database-setup.md @docs-team
[docUMENTATION]
/config/ @config-team
[Ruby] @ruby-team
*.rb
!vendored.rb
!/config/**/*.rb
* this is no owner
/special/*.yaml @@maintainer user@example.com
`;

describe('a CODEOWNERS file of GitLab', () => {
  test.each([
    ['docs/a.yaml', ['@docs-team', '@ruby-team']],
    ['deep/docs/a/b.yaml', ['@docs-team', '@ruby-team']],
    ['model/db/a.yaml', ['@database-team', '@ruby-team']],
    ['config/a.yaml', ['@config-team', '@ruby-team']],
    ['config/x/a.rb', ['@config-team']],
    ['config/db/database-setup.md', ['@config-team', '@docs-team', '@ruby-team']],
    ['special/a.yaml', ['@@maintainer', 'user@example.com']],
  ])('%s', (path, expected) => {
    expect([...(owners({ '.gitlab/CODEOWNERS': gitlab }, path) ?? [])].sort()).toEqual([...expected].sort());
  });

  test('a path without a slash at its beginning is found in any folder', () => {
    const files = { CODEOWNERS: 'teams/retail.yaml @retail\n', '.gitlab-ci.yml': '' };
    expect(owners(files, 'a/teams/retail.yaml')).toEqual(['@retail']);
    expect(owners({ CODEOWNERS: files.CODEOWNERS }, 'a/teams/retail.yaml')).toEqual([]);
  });
});

describe('which file is read', () => {
  test('the one in .github, then the one at the top, then the one in docs', () => {
    const files = { 'docs/CODEOWNERS': '* @c\n' };
    expect(owners(files, 'a')).toEqual(['@c']);
    expect(owners({ ...files, CODEOWNERS: '* @b\n' }, 'a')).toEqual(['@b']);
    expect(owners({ ...files, CODEOWNERS: '* @b\n', '.github/CODEOWNERS': '* @a\n' }, 'a')).toEqual(['@a']);
  });

  test('none without a repository, without a file, and through a link', () => {
    const root = repository({ other: '* @a\n' });
    expect(ownersIn(root)).toBeNull();
    symlinkSync(join(root, 'other'), join(root, 'CODEOWNERS'));
    expect(ownersIn(root)).toBeNull();
    expect(ownersIn(mkdtempSync(join(tmpdir(), 'roster-test-')))).toBeNull();
  });

  test('any text is read', () => {
    const root = repository({});
    const text = fc.oneof(
      fc.string({ maxLength: 200 }),
      fc.string({ unit: fc.constantFrom('*', '/', 'a', ' ', '@', '\n', '[', '!', '\\') }),
    );
    fc.assert(
      fc.property(text, (each) => {
        writeFileSync(join(root, 'CODEOWNERS'), each);
        expect(Array.isArray(ownersIn(root)?.of(join(root, 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa/b')))).toBe(true);
      }),
      { numRuns: 200 },
    );
  });

  test('patterns with many wildcards are matched without trying every way to match them', () => {
    const path = `teams/${'a'.repeat(200)}/${'a'.repeat(200)}.yaml`;
    expect(owners({ CODEOWNERS: '* @a\n/teams/*a*a*a/*a*a*b @b\n' }, path)).toEqual(['@a']);
    expect(owners({ CODEOWNERS: `* @a\n${'*a'.repeat(40)} @b\n` }, 'a'.repeat(200))).toEqual(['@b']);
  });

  test('a text of unusual line breaks is read once', () => {
    expect(owners({ CODEOWNERS: `* @a\n${'\u2028['.repeat(500_000)}` }, 'a')).toEqual(['@a']);
  });

  test('no owners are known of a file with too many rules', () => {
    expect(owners({ CODEOWNERS: '* @a\n'.repeat(10_000) }, 'a')).toEqual(['@a']);
    expect(owners({ CODEOWNERS: '* @a\n'.repeat(10_001) }, 'a')).toBeNull();
  });

  test('no owners are known of a large file', () => {
    expect(owners({ CODEOWNERS: `* @a\n${'#'.repeat(3 * 1024 * 1024)}` }, 'a')).toBeNull();
  });

  test.runIf(isLong)('no owners are known once finding them takes too many steps', () => {
    const text = `* @a\n${`/${'*a'.repeat(200)}b @b\n`.repeat(5_000)}`;
    const root = repository({ CODEOWNERS: text });
    const find = ownersIn(root);
    expect(find?.of(join(root, 'b'))).toEqual(['@a']);
    expect(find?.of(join(root, 'a'.repeat(200)))).toBeNull();
    expect(find?.of(join(root, 'b'))).toEqual(['@a']);
  });
});

test.runIf(isLong)('owners that are known stay in a plan in which others are not', () => {
  const slow = `* @a\n${`/${'*a'.repeat(200)}b @b\n`.repeat(5_000)}`;
  const root = repository({ CODEOWNERS: slow });
  const source = (file: string) => ({ source: place(1, 1, 1, '', join(root, file)) });
  const changes = [
    change('group/a', source('b')),
    change('group/b', source('a'.repeat(200))),
    change('group/c', { action: 'none', ...source('a') }),
  ];
  const { byAddress, warnings } = ownersOfChanges(changes, root, root);
  expect([...byAddress]).toEqual([['group/a', ['@a']]]);
  expect(warnings).toMatchObject([
    {
      severity: 'warning',
      code: 'unknown-owners',
      message: expect.stringContaining('of 1 change are not known'),
    },
  ]);
});

describe('a plan', () => {
  let sandbox: Sandbox;
  beforeAll(async () => {
    sandbox = await startSandbox();
  });
  afterAll(() => sandbox.close());

  test('names the owners of each change in JSON and in the comment, and its digest does not change', async () => {
    const workspace = new Workspace(
      {
        '.git/HEAD': '',
        'roster.yaml': 'project: p\ninclude: [teams/*.yaml]\ngroups: { shared: { members: [] } }\n',
        'teams/retail.yaml': 'groups: { retail: { members: [acme-shop] } }\n',
      },
      sandbox,
    );
    const plan = async () => {
      const { stdout } = await workspace.command(['plan', '--format', 'json']);
      return JSON.parse(stdout) as PlanJson;
    };
    const { digest, changes } = await plan();
    expect(changes.every((each) => !('owners' in each))).toBe(true);
    workspace.write('.github/CODEOWNERS', 'teams/ @acme/retail @acme/leads\n');
    const owned = await plan();
    expect(owned.digest).toBe(digest);
    expect(owned.changes.map((each) => [each.address, 'owners' in each ? each.owners : null])).toEqual([
      ['group/retail', ['@acme/retail', '@acme/leads']],
      ['group/shared', []],
    ]);
    const { stdout } = await workspace.command(['plan', '--format', 'markdown']);
    expect(stdout).toMatch(/`group\/retail`.* owned by `@acme\/retail` and `@acme\/leads`/);
  });

  describe('of a project that was applied', () => {
    /** Git says that this is no repository: in one, each command starts git ten times. */
    const teams = {
      '.git/HEAD': '',
      '.github/CODEOWNERS': 'teams/retail.yaml @acme/retail\nteams/travel.yaml @acme/travel\n',
      'roster.yaml': 'project: p\ninclude: [teams/*.yaml]\nlimits: { deletes: 5 }\n',
      'teams/retail.yaml':
        'groups: { shops: { members: [acme-shop] }, malls: { members: [globex] } }\nschedules: { daily: { target: group/malls, every: 1 day, startTime: 2099-01-01T06:00 } }\n',
      'teams/travel.yaml': 'groups: { hotels: { members: [initech] } }\n',
    };
    const applied = async () => {
      const workspace = new Workspace(teams, await startSandbox());
      expect(await workspace.command(['apply', '--yes'])).toMatchObject({ exit: 0 });
      return workspace;
    };
    const deletesIn = async (workspace: Workspace, ...args: readonly string[]) => {
      const { stdout } = await workspace.command(['plan', '--format', 'json', ...args]);
      const { changes } = JSON.parse(stdout) as PlanJson;
      return changes.map(({ address, action, formerFile, owners: found }) => ({
        address,
        action,
        formerFile,
        owners: found,
      }));
    };
    const shopsOf = (file: string, owner: string) => [
      { address: 'group/shops', action: 'delete', formerFile: file, owners: [owner] },
    ];
    const withoutShops = teams['teams/retail.yaml'].replace('shops: { members: [acme-shop] }, ', '');

    test('names the file and the owners of what is deleted, in every format', async () => {
      const workspace = await applied();
      workspace.write('teams/retail.yaml', withoutShops);
      expect(await deletesIn(workspace)).toEqual(shopsOf('teams/retail.yaml', '@acme/retail'));
      const { stdout: text } = await workspace.command(['plan']);
      expect(text).toContain('teams/retail.yaml @acme/retail');
      const { stdout: markdown } = await workspace.command(['plan', '--format', 'markdown']);
      expect(markdown).toContain('last declared in `teams/retail.yaml` owned by `@acme/retail`');
      await workspace.command(['snapshot', '--out', 'saved.json']);
      expect(await deletesIn(workspace, '--snapshot', 'saved.json')).toEqual(
        shopsOf('teams/retail.yaml', '@acme/retail'),
      );
    });

    test('knows them from another folder, too', async () => {
      const workspace = new Workspace(
        {
          '.git/HEAD': '',
          'config/roster.yaml': 'project: q\ngroups: { shops: { members: [] } }\n',
          CODEOWNERS: 'config/ @acme/retail\n',
        },
        await startSandbox(),
      );
      await workspace.command(['apply', '--yes', '-f', 'config/roster.yaml']);
      expect(textOf(workspace, 'config/roster.inventory.json')).toContain('"file":"roster.yaml"');
      workspace.write('config/roster.yaml', 'project: q\ngroups: { malls: { members: [] } }\n');
      expect(await deletesIn(workspace, '-f', 'config/roster.yaml')).toContainEqual(
        shopsOf('config/roster.yaml', '@acme/retail')[0],
      );
    });

    test('an entry that was moved to another file is no change, and the next apply records the move', async () => {
      const workspace = await applied();
      const inventory = textOf(workspace, 'roster.inventory.json');
      workspace.write('teams/retail.yaml', withoutShops);
      const withShops = 'groups: { hotels: { members: [initech] }, shops: { members: [acme-shop] } }\n';
      workspace.write('teams/travel.yaml', withShops);
      expect(await deletesIn(workspace)).toEqual([]);
      expect(textOf(workspace, 'roster.inventory.json')).toBe(inventory);
      expect(await workspace.command(['apply', '--yes'])).toMatchObject({ exit: 0 });
      workspace.write('teams/travel.yaml', teams['teams/travel.yaml']);
      expect(await deletesIn(workspace)).toEqual(shopsOf('teams/travel.yaml', '@acme/travel'));
    });

    test('a hold keeps the file, and an inventory without files has deletes that nobody owns', async () => {
      const workspace = await applied();
      await workspace.command(['hold', 'schedule/daily', '--reason', 'incident', '--yes']);
      const inventory = textOf(workspace, 'roster.inventory.json');
      expect(inventory.match(/"file":"teams\/retail.yaml"/g)).toHaveLength(3);
      workspace.write('roster.inventory.json', inventory.replaceAll(/"file":"[^"]*",/g, ''));
      workspace.write('teams/retail.yaml', withoutShops);
      expect(await deletesIn(workspace)).toEqual([
        { address: 'group/shops', action: 'delete', formerFile: undefined, owners: [] },
      ]);
    });
  });
});
