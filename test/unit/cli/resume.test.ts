import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { plan } from '../../../src/engine/plan.js';
import { withReadSession } from '../../../src/engine/session.js';
import { isDiagnostic } from '../../../src/model/finding.js';
import type { Sandbox } from '../../../src/sandbox/index.js';
import { inventoryAt, jsonOf } from '../../support/json.js';
import { Workspace } from '../../support/roster.js';
import { saveWorld, startSandbox } from '../../support/sandbox.js';

/** `roster apply --expect DIGEST --resume`, after an apply of that plan that failed in part. */

let sandbox: Sandbox;
let workspace: Workspace;
/** Of the plan that was begun. */
let digest: string;

const group = (name: string, more = '') => `  ${name}: { members: [acme-shop]${more} }\n`;
const schedule =
  'schedules: { s: { target: group/c, every: 6 hours, startTime: 2099-12-01T06:00:00, inputs: { country: DE } } }\n';
const declare = (...groups: string[]) =>
  workspace.write('roster.yaml', `project: p\ngroups:\n${groups.join('')}${schedule}`);

const inventory = () => join(workspace.root, 'roster.inventory.json');
const intent = () =>
  inventoryAt<{ intent?: { digest: string; digestParts: string[] } }>(workspace.root).intent;
const forge = (intent: object) =>
  writeFileSync(inventory(), JSON.stringify({ ...inventoryAt<object>(workspace.root), intent }));
const apply = (...flags: string[]) => workspace.command(['apply', '--expect', digest, ...flags]);
const names = () => [...sandbox.world.groups.values()].map(({ name }) => name).sort();

async function planned(): Promise<string> {
  const { stdout } = await workspace.command(['plan', '--format', 'json']);
  return jsonOf<{ digest: string }>({ stdout }).digest;
}

/** Where each test begins: the service, the folder of the project, and the digest, which names the service. */
let begun: { restore: () => void; root: string; digest: string };

beforeAll(async () => {
  sandbox = await startSandbox();
  workspace = new Workspace({}, sandbox);
  declare(group('a'), group('b'), group('c'));
  digest = await planned();
  // One of three groups is not created, and the schedule that needs another one is.
  const refused = { act: 'status', status: 422, method: 'POST', path: '/api/search-groups', nth: 2 } as const;
  sandbox.faults.faults = [refused];
  expect((await apply()).exit).toBe(3);
  sandbox.faults.faults = [];
  expect(sandbox.world.groups.size).toBe(2);
  begun = { restore: saveWorld(sandbox), root: workspace.root, digest };
});
beforeEach(() => {
  begun.restore();
  digest = begun.digest;
  workspace = new Workspace({}, sandbox);
  cpSync(begun.root, workspace.root, { recursive: true });
});
afterAll(() => sandbox.close());

test('the rest of the plan is applied, and then there is nothing left to resume', async () => {
  expect(intent()?.digest).toBe(digest);
  const without = await apply();
  expect([without.exit, without.stderr]).toEqual([4, expect.stringContaining('error[stale-plan]')]);
  expect(without.stderr.replace(/\s+/g, ' ')).toContain(`roster apply --expect ${digest} --resume`);
  expect((await apply('--resume')).exit).toBe(0);
  expect(names()).toEqual(['a', 'b', 'c']);
  expect(intent()).toBeUndefined();
});

describe('plan says that an apply', () => {
  const noted = async () => {
    const { stderr } = await workspace.command(['plan']);
    return /note\[unfinished-apply\]: ([\s\S]*?)\n\n/.exec(stderr)?.[1]?.replace(/\s+/g, ' ') ?? null;
  };

  test('was interrupted, and how to finish it', async () => {
    const note = await noted();
    expect(note).toContain(`an apply of the plan ${digest} was interrupted or partly failed`);
    expect(note).toContain(`roster apply --expect ${digest} --resume`);
  });

  test('was interrupted, where the plan is not the rest of it', async () => {
    declare(group('a'), group('b'), group('c'), group('d'));
    const note = await noted();
    expect(note).toContain('this plan is not the rest of it');
    expect(note).not.toContain('--resume');
  });

  test('is running, and by whom', async () => {
    const lock = { token: 't', person: 'Ada', host: 'elsewhere', pid: 1, since: '2026-11-01T12:00:00.000Z' };
    writeFileSync(`${inventory()}.lock`, JSON.stringify(lock));
    const note = await noted();
    expect(note).toContain(
      `an apply of the plan ${digest} is running: Ada, process 1 on elsewhere, since 2026-11-01 12:00 UTC`,
    );
  });

  test('has ended, where it did while the service was being read', async () => {
    const made = await withReadSession({ cwd: workspace.root, env: workspace.env }, (session) => {
      let loads = 0;
      const load = async () => {
        const read = await session.store.load();
        loads += 1;
        if (loads === 1) expect((await apply('--resume')).exit).toBe(0);
        return read;
      };
      return plan({ ...session, store: { ...session.store, load } });
    });
    const messages = made.findings.filter(isDiagnostic).map(({ message }) => message);
    expect(messages).toEqual([`an apply of the plan ${digest} ended while the service was being read`]);
  });

  test('has begun no more once it has finished', async () => {
    expect((await apply('--resume')).exit).toBe(0);
    expect(await noted()).toBeNull();
  });
});

describe('when nothing is left to change', () => {
  beforeEach(async () => expect((await apply('--resume')).exit).toBe(0));

  test('there is nothing to resume, and that is not an error', async () => {
    const { exit, stdout } = await apply('--resume');
    expect([exit, stdout]).toEqual([0, expect.stringContaining('No changes.')]);
    expect((await apply()).exit).toBe(4);
  });

  test('settings that nobody has reviewed do not get into the inventory', async () => {
    const text = readFileSync(inventory(), 'utf8');
    const manifest = join(workspace.root, 'roster.yaml');
    writeFileSync(manifest, `${readFileSync(manifest, 'utf8')}limits: { deletes: 99 }\n`);
    expect((await apply('--resume')).exit).toBe(0);
    expect(readFileSync(inventory(), 'utf8')).toBe(text);
  });
});

test('the rest that was reviewed as a plan of its own is resumed as that plan', async () => {
  declare(group('a'), group('b'), group('c'), group('d'), group('e'));
  const refused = { act: 'status', status: 422, method: 'POST', path: '/api/search-groups' } as const;
  digest = await planned();
  sandbox.faults.faults = [
    { ...refused, nth: 2 },
    { ...refused, nth: 2 },
  ];
  expect((await apply()).exit).toBe(3);
  digest = await planned();
  sandbox.faults.faults = [{ ...refused, nth: 2 }];
  expect((await apply()).exit).toBe(3);
  sandbox.faults.faults = [];
  expect(intent()?.digest).toBe(digest);
  expect((await apply('--resume')).exit).toBe(0);
  expect(names()).toEqual(['a', 'b', 'c', 'd', 'e']);
});

test('the rest can fail again, and is still the rest of that plan', async () => {
  sandbox.faults.faults = [{ act: 'status', status: 422, method: 'POST', path: '/api/search-groups' }];
  expect((await apply('--resume')).exit).toBe(3);
  sandbox.faults.faults = [];
  expect((await apply('--resume')).exit).toBe(0);
  expect(names()).toEqual(['a', 'b', 'c']);
});

describe('after a part of it was applied by address', () => {
  const others = () =>
    ['a', 'b', 'c'].filter((name) => !names().includes(name)).map((name) => `group/${name}`);
  const isResumed = async () => {
    expect(intent()?.digest).toBe(digest);
    expect((await apply('--resume')).exit).toBe(0);
    expect(intent()).toBeUndefined();
  };

  test('that had nothing left to do, the plan is resumed', async () => {
    const text = readFileSync(inventory(), 'utf8');
    const [done = ''] = names();
    const { exit, stdout } = await workspace.apply({}, [`group/${done}`]);
    expect([exit, stdout]).toEqual([0, expect.stringContaining('No changes.')]);
    expect(readFileSync(inventory(), 'utf8')).toBe(text);
    await isResumed();
  });

  test('that was a part of it, the plan is resumed', async () => {
    declare(group('a'), group('b'), group('c'), group('d'));
    digest = await planned();
    sandbox.faults.faults = [{ act: 'status', status: 422, method: 'POST', path: '/api/search-groups' }];
    expect((await apply()).exit).toBe(3);
    sandbox.faults.faults = [];
    expect((await workspace.apply({}, ['group/d'])).exit).toBe(0);
    await isResumed();
    expect(names()).toEqual(['a', 'b', 'c', 'd']);
  });

  test('that was not a part of it, the plan is resumed', async () => {
    declare(group('a'), group('b'), group('c'), group('d'));
    expect((await workspace.apply({}, ['group/d'])).exit).toBe(0);
    await isResumed();
  });

  test('that was all of it, nothing is left after the next apply', async () => {
    expect((await workspace.apply({}, others())).exit).toBe(0);
    await workspace.apply();
    expect(intent()).toBeUndefined();
  });
});

test('a plan of a part is not resumed once it was applied', async () => {
  declare(group('a'), group('b'), group('c'), group('d'));
  const { stdout } = await workspace.command(['plan', 'group/d', '--format', 'json']);
  const part = jsonOf<{ digest: string }>({ stdout }).digest;
  const resume = () => workspace.command(['apply', 'group/d', '--expect', part, '--resume']);
  sandbox.faults.faults = [{ act: 'status', status: 422, method: 'POST', path: '/api/search-groups' }];
  expect((await resume()).exit).toBe(3);
  expect(intent()?.digest).toBe(part);
  sandbox.faults.faults = [];
  expect((await resume()).exit).toBe(0);
  expect(intent()).toBeUndefined();
});

test('each change of the plan has a line of its own in the inventory, sorted, so that it merges in git', () => {
  const text = readFileSync(inventory(), 'utf8');
  const parts = intent()?.digestParts ?? [];
  expect(parts).toHaveLength(4);
  expect(parts).toEqual([...parts].sort());
  const lines = parts.map((part) => `    "${part}"`).join(',\n');
  expect(text).toContain(`\n  "intent": { "digest": "${digest}", "digestParts": [\n${lines}\n  ] },\n`);
});

test('what was applied and then undone by hand is applied again, as the reviewer saw it', async () => {
  const done = [...sandbox.world.groups.values()].find(({ name }) => name !== 'c');
  sandbox.world.groups.delete(done?.id ?? '');
  workspace.sleep = () => new Promise((end) => setImmediate(end));
  expect((await apply('--resume')).exit).toBe(0);
  expect(names()).toEqual(['a', 'b', 'c']);
});

test('the rest of a saved plan is applied, too', async () => {
  const saved = join(workspace.root, 'saved.json');
  declare(group('a'), group('b'), group('c'), group('d'));
  await workspace.command(['plan', '--out', 'saved.json']);
  expect(readFileSync(saved, 'utf8')).toContain('sha256:');
  sandbox.faults.faults = [
    { act: 'status', status: 422, method: 'POST', path: '/api/search-groups', nth: 2 },
  ];
  expect((await workspace.command(['apply', '--plan', 'saved.json'])).exit).toBe(3);
  sandbox.faults.faults = [];
  expect((await workspace.command(['apply', '--plan', 'saved.json'])).exit).toBe(4);
  expect((await workspace.command(['apply', '--plan', 'saved.json', '--resume'])).exit).toBe(0);
});

test.each(['/api/schedules', '/api/search-groups'])(
  'what refers to an object that the first run created, or had yet to create, is applied as it was reviewed (%s fails)',
  async (path) => {
    expect((await workspace.apply()).exit).toBe(0);
    const later = 'every: 6 hours, startTime: 2099-12-01T06:00:00';
    const entries = `${group('a')}${group('b')}${group('c')}${group('new', ', active: false, description: New')}`;
    workspace.write(
      'roster.yaml',
      `project: p\ngroups:\n${entries}pipelines:\n  line: { stages: [login-check, prices] }\nschedules:\n  s: { target: group/c, ${later}, inputs: { country: DE } }\n  u: { target: group/new, ${later} }\n  t: { target: pipeline/line, ${later} }\n`,
    );
    digest = await planned();
    sandbox.faults.faults = [{ act: 'status', status: 422, method: 'POST', path }];
    expect((await apply()).exit).toBe(3);
    sandbox.faults.faults = [];
    expect((await apply()).exit).toBe(4);
    expect(await apply('--resume')).toMatchObject({ exit: 0 });
    expect((await workspace.plan()).stdout).toContain('No changes.');
    expect([sandbox.world.groups.size, sandbox.world.schedules.size]).toEqual([4, 3]);
  },
);

describe('nothing is applied', () => {
  const isRefused = async () => {
    const before = structuredClone(sandbox.world.groups);
    const { exit, stderr } = await apply('--resume');
    expect([exit, stderr]).toEqual([4, expect.stringContaining('error[stale-plan]')]);
    expect(sandbox.world.groups).toEqual(before);
  };

  /** One schedule and the group that it is for, which the first run cannot create, or creates. */
  const beginPair = async (path: string): Promise<void> => {
    expect((await workspace.apply()).exit).toBe(0);
    const later = 'every: 6 hours, startTime: 2099-12-01T06:00:00';
    workspace.write(
      'roster.yaml',
      `project: p\ngroups:\n${group('a')}${group('b')}${group('c')}${group('new', ', name: Harmless')}schedules:\n  s: { target: group/c, ${later}, inputs: { country: DE } }\n  t: { target: group/new, ${later} }\n`,
    );
    digest = await planned();
    sandbox.faults.faults = [{ act: 'status', status: 422, method: 'POST', path }];
    expect((await apply()).exit).toBe(3);
    sandbox.faults.faults = [];
  };

  test('if the address of what could not be created has become that of another object', async () => {
    await beginPair('/api/search-groups');
    const schedules = sandbox.world.schedules.size;
    const text = readFileSync(inventory(), 'utf8').replace('"group/b"', '"group/new"');
    writeFileSync(inventory(), text);
    const manifest = join(workspace.root, 'roster.yaml');
    const retargeted = readFileSync(manifest, 'utf8')
      .replace(group('b'), '')
      .replace('name: Harmless', 'name: b');
    writeFileSync(manifest, retargeted);
    await isRefused();
    expect(sandbox.world.schedules.size).toBe(schedules);
  });

  test('if the rest refers to what the first run created, and somebody has changed that', async () => {
    await beginPair('/api/schedules');
    for (const each of sandbox.world.groups.values()) if (each.name === 'Harmless') each.agentIds.pop();
    await isRefused();
  });

  test('if the rest refers to what the first run created, and its entry has changed since', async () => {
    await beginPair('/api/schedules');
    const manifest = join(workspace.root, 'roster.yaml');
    writeFileSync(manifest, readFileSync(manifest, 'utf8').replace('name: Harmless', 'name: Other'));
    for (const each of sandbox.world.groups.values()) if (each.name === 'Harmless') each.name = 'Other';
    await isRefused();
  });

  test('if a manifest adds a change', async () => {
    declare(group('a'), group('b'), group('c'), group('d'));
    await isRefused();
  });

  test('if a manifest alters one of the changes', async () => {
    declare(...['a', 'b', 'c'].map((name) => group(name, ', description: other')));
    await isRefused();
  });

  test('if somebody changes what was applied', async () => {
    for (const each of sandbox.world.groups.values()) each.description = 'by hand';
    await isRefused();
  });

  test('if an object is no longer as it was when its change was reviewed', async () => {
    expect((await workspace.apply()).exit).toBe(0);
    declare(...['a', 'b', 'c'].map((name) => group(name, ', description: new')));
    digest = await planned();
    sandbox.faults.faults = [{ act: 'status', status: 422, method: 'PUT', path: '/api/search-groups/*' }];
    expect((await apply()).exit).toBe(3);
    sandbox.faults.faults = [];
    for (const each of sandbox.world.groups.values())
      if (each.description !== 'new') each.description = 'by hand';
    await isRefused();
  });

  test('if the inventory has the digest of another plan that was begun', async () => {
    const forged = { ...intent(), digest: `sha256:${'0'.repeat(64)}` };
    forge(forged);
    digest = forged.digest;
    await isRefused();
  });

  test.each([
    ['leaves out a change', (parts: readonly string[]) => parts.slice(1)],
    ['repeats a change', (parts: readonly string[]) => [...parts, ...parts.slice(0, 1)]],
    ['holds no change', () => []],
  ])('if the inventory %s of the plan', async (_, change) => {
    forge({ digest, digestParts: change(intent()?.digestParts ?? []) });
    await isRefused();
  });

  test('if another plan has been started since', async () => {
    const first = digest;
    declare(group('a'), group('b'), group('c'), group('d'));
    digest = await planned();
    sandbox.faults.faults = [{ act: 'status', status: 422, method: 'POST', path: '/api/search-groups' }];
    expect((await apply()).exit).toBe(3);
    sandbox.faults.faults = [];
    declare(group('a'), group('b'), group('c'));
    digest = first;
    await isRefused();
  });

  test('if the inventory adds a change to the plan: the digest does not match', async () => {
    declare(group('a'), group('b'), group('c'), group('d'));
    const saved = readFileSync(inventory(), 'utf8');
    sandbox.faults.faults = [{ act: 'status', status: 422, method: 'POST', path: '/api/search-groups' }];
    await workspace.apply();
    sandbox.faults.faults = [];
    const parts = [...(JSON.parse(saved) as { intent: { digestParts: string[] } }).intent.digestParts];
    const forged = { digest, digestParts: [...parts, ...(intent()?.digestParts ?? [])] };
    writeFileSync(inventory(), saved);
    forge(forged);
    expect(intent()).toEqual(forged);
    await isRefused();
  });
});

test('the order of the changes in the inventory makes no difference', async () => {
  forge({ digest, digestParts: [...(intent()?.digestParts ?? [])].reverse() });
  expect((await apply('--resume')).exit).toBe(0);
});

test('--resume needs the digest of the plan', async () => {
  const { exit, stderr } = await workspace.command(['apply', '--yes', '--resume']);
  expect([exit, stderr]).toEqual([1, expect.stringContaining('--resume needs --expect or --plan')]);
});
