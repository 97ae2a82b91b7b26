import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { kinds } from '../../src/kinds/index.js';
import { Problem } from '../../src/model/diagnostic.js';
import { type Sandbox, startSandbox } from '../../src/sandbox/index.js';
import { openSnapshot, parseSnapshot } from '../../src/snapshot/open.js';
import { danger } from '../support/inert.js';
import { jsonOf } from '../support/json.js';
import { Workspace } from '../support/roster.js';
import { runs } from '../support/size.js';
import { planAgain } from '../support/snapshots.js';
import {
  inventoryText,
  isHidden,
  manifestText,
  type RandomWorld,
  randomWorld,
  seedOf,
} from '../support/worlds.js';

const worlds = runs(5, 200);

/** What the main branch declares, and what a fork declares instead. */
const forked = fc
  .tuple(randomWorld, randomWorld)
  .map(([main, other]): { main: RandomWorld; fork: RandomWorld } => ({
    main,
    fork: { ...main, manifest: other.manifest, prune: other.prune },
  }))
  .filter(({ main, fork }) => !namesHiddenGroup(main, fork));

/** Names a group by an id that no list shows and no inventory knows, so that the snapshot cannot contain it. */
function namesHiddenGroup(main: RandomWorld, fork: RandomWorld): boolean {
  const ids = ({ manifest }: RandomWorld) => Object.values(manifest.groups).flatMap(({ id }) => id ?? []);
  const known = new Set([...Object.values(main.owned), ...ids(main)]);
  const hidden = new Set(main.groups.filter(isHidden).map(({ id }) => id));
  return ids(fork).some((id) => hidden.has(id) && !known.has(id));
}

test("in a random world, a fork's plan from a snapshot equals the live plan", async () => {
  let changes = 0;
  await fc.assert(
    fc.asyncProperty(forked, async ({ main, fork }) => {
      const sandbox = await startSandbox({ seed: seedOf(main) });
      const files = { 'roster.yaml': manifestText(main), 'roster.inventory.json': inventoryText(main) };
      const workspace = new Workspace(files, sandbox);
      workspace.sleep = () => new Promise((done) => setImmediate(done));
      try {
        // Invalid manifests are never merged.
        fc.pre((await workspace.validate()).exit === 0);
        const saving = ['snapshot', '--out', 'snapshot.json', '--allow-account-change'];
        expect((await workspace.command(saving)).exit).toBe(0);
        workspace.write('roster.yaml', manifestText(fork));
        const flags = { allowDeletes: '99', allowEmpty: true, allowAccountChange: true };
        const { live, saved, requests } = await planAgain(sandbox, workspace, flags);
        expect(saved).toEqual(live);
        expect(requests).toBe(0);
        changes += live.changes?.length ?? 0;
      } finally {
        await sandbox.close();
      }
    }),
    { numRuns: worlds },
  );
  expect(changes).toBeGreaterThan(0);
});

describe('untrusted snapshot', () => {
  let sandbox: Sandbox;
  let workspace: Workspace;
  let text: string;

  beforeAll(async () => {
    sandbox = await startSandbox();
    const timed = 'startTime: 2099-12-01T06:00:00, inputs: { country: DE } }';
    const manifest = `project: pricing
groups: { shops: { members: [acme-shop] } }
pipelines: { nightly: { stages: [globex, initech] } }
schedules:
  often: { target: group/shops, every: 6 hours, ${timed}
  daily: { target: agent/globex, cron: "0 0 6 * * *", ${timed}
`;
    workspace = new Workspace({ 'roster.yaml': manifest }, sandbox);
    expect((await workspace.apply()).exit).toBe(0);
    const saving = ['snapshot', '--out', 'snapshot.json', '--allow-account-change'];
    expect((await workspace.command(saving)).exit).toBe(0);
    text = readFileSync(join(workspace.root, 'snapshot.json'), 'utf8');
    workspace.write('roster.yaml', manifest.replaceAll('DE', 'FR').replace('every: 6', 'every: 2'));
  });
  afterAll(async () => {
    await sandbox.close();
  });

  const strange = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.constantFrom('\u001b[2J', '\n::error::x', '\u202e', '__proto__', '<!-- -->', '@all', ''),
    fc.jsonValue({ maxDepth: 2 }),
    fc.constantFrom(-1, 0, 1e308, 2 ** 53),
  );

  test('a snapshot with any one value changed is refused, or planned against without harm', async () => {
    const outcomes = new Set<number>();
    await fc.assert(
      fc.asyncProperty(fc.nat(), strange, fc.boolean(), async (nth, value, take) => {
        const changed = changedAt(JSON.parse(text), nth, take ? undefined : value);
        writeFileSync(join(workspace.root, 'changed.json'), changed);
        for (const format of ['text', 'json', 'markdown']) {
          const ran = await workspace.command(['plan', '--snapshot', 'changed.json', '--format', format]);
          outcomes.add(ran.exit);
          expect([0, 1, 4]).toContain(ran.exit);
          expect([danger(ran.stdout), danger(ran.stderr)]).toEqual([null, null]);
          if (format === 'json') jsonOf(ran);
        }
      }),
      { numRuns: runs(30, 300) },
    );
    expect(outcomes.has(0) && outcomes.has(1)).toBe(true);
  });

  test('a snapshot with `__proto__` or `constructor` as keys pollutes no prototype', () => {
    for (const key of ['__proto__', 'constructor', 'prototype']) {
      const polluted = text.replaceAll(/\{"country":/g, `{"${key}":"${'a'.repeat(43)}","country":`);
      expect(polluted).not.toBe(text);
      const { objects } = openSnapshot(parseSnapshot(polluted, 's', kinds), kinds, []);
      const specs = objects.get('schedule')?.map(({ spec }) => spec as { inputs: object });
      expect(specs?.map(({ inputs }) => Object.keys(inputs))).toEqual([
        [key, 'country'],
        [key, 'country'],
      ]);
    }
    expect(Object.keys(Object.prototype)).toEqual([]);
  });

  test('a snapshot that nests too deeply, or is not a snapshot, is refused with an error', () => {
    for (const broken of [
      '',
      'null',
      '[]',
      '{}',
      '"x"',
      `${'['.repeat(1e6)}`,
      `{"formatVersion":${'[1'.repeat(1e5)}`,
    ]) {
      expect(() => parseSnapshot(broken, 's', kinds)).toThrow(Problem);
    }
    const deep = `${'['.repeat(50_000)}${']'.repeat(50_000)}`;
    const applied = text.replace('"applied":{', `"applied":{"deep":${deep},`);
    expect(() => parseSnapshot(applied, 's', kinds)).toThrow(Problem);
  });
});

/** The value with its `nth` part replaced; `undefined` removes the part. */
function changedAt(value: object, nth: number, by: unknown): string {
  const places: [holder: Record<string, unknown>, key: string][] = [];
  const visit = (each: unknown): void => {
    if (typeof each !== 'object' || each === null) return;
    for (const key of Object.keys(each)) {
      places.push([each as Record<string, unknown>, key]);
      visit((each as Record<string, unknown>)[key]);
    }
  };
  visit(value);
  const [holder, key] = places[nth % places.length] ?? [{}, ''];
  holder[key] = by;
  return JSON.stringify(value);
}
