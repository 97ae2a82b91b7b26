import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Sandbox, startSandbox } from '../../../src/sandbox/index.js';
import { Workspace } from '../../support/roster.js';

let sandbox: Sandbox;
let workspace: Workspace;
beforeAll(async () => {
  sandbox = await startSandbox();
  workspace = new Workspace({}, sandbox);
});
afterAll(async () => {
  workspace.remove();
  await sandbox.close();
});

const limit = 5;

/** Groups with names that only their numbers tell apart. */
function declare(count: number, limits?: object): void {
  const groups = Object.fromEntries(Array.from({ length: count }, (_, i) => [`g${i}`, { members: [] }]));
  workspace.write(
    'roster.yaml',
    JSON.stringify({ project: 'guards', groups, ...(limits === undefined ? {} : { limits }) }),
  );
}

const codes = (diagnostics: readonly { severity: string; code: string }[]) =>
  diagnostics.filter((each) => each.severity === 'error').map((each) => each.code);

describe.each(Array.from({ length: 13 }, (_, owned) => owned))('with %i objects of our own', (owned) => {
  beforeAll(async () => {
    declare(owned);
    const flags = { allowDeletes: '99', allowEmpty: true, allowAccountChange: true };
    expect((await workspace.apply(flags)).exit).toBe(0);
    expect(sandbox.world.groups.size).toBe(owned);
  });

  test.each(Array.from({ length: owned + 1 }, (_, deletes) => deletes))('%i deletes', async (deletes) => {
    declare(owned - deletes);
    const empty = owned === deletes ? ['empty-project'] : [];
    const tooMany = (allowed: number) => (deletes > Math.max(limit, allowed) ? ['too-many-deletes'] : []);
    const plan = await workspace.planJson();
    expect(plan.summary.delete).toBe(deletes);
    expect(codes(plan.diagnostics)).toEqual([...empty, ...tooMany(0)]);
    expect(plan.exit).toBe(empty.length + tooMany(0).length > 0 ? 4 : 0);
    for (const allowed of [deletes - 1, deletes, deletes + 1]) {
      if (allowed < 0) continue;
      const allowing = await workspace.planJson({ allowDeletes: String(allowed) });
      expect(codes(allowing.diagnostics)).toEqual([...empty, ...tooMany(allowed)]);
      const both = await workspace.planJson({ allowDeletes: String(allowed), allowEmpty: true });
      expect(both.exit).toBe(tooMany(allowed).length > 0 ? 4 : 0);
    }
  });

  test.each([0, 1, 12])('a limit of %i', async (deletes) => {
    declare(0, { deletes });
    const plan = await workspace.planJson({ allowEmpty: true });
    expect(codes(plan.diagnostics)).toEqual(owned > deletes ? ['too-many-deletes'] : []);
  });

  test.each(Array.from({ length: owned + 1 }, (_, missing) => missing))(
    '%i of them missing on the service',
    async (missing) => {
      declare(owned);
      const kept = new Map(sandbox.world.groups);
      for (const id of [...kept.keys()].slice(0, missing)) sandbox.world.groups.delete(id);
      const plan = await workspace.planJson({ allowEmpty: true });
      expect(codes(plan.diagnostics)).toEqual(missing * 2 > owned ? ['inventory-mismatch'] : []);
      expect((await workspace.planJson({ allowEmpty: true, allowAccountChange: true })).exit).toBe(0);
      for (const [id, each] of kept) sandbox.world.groups.set(id, each);
    },
  );
});
