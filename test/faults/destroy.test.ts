import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { destroy as command, run } from './support/commands.js';
import { type Fixture, shapeOf, withFixture } from './support/fixture.js';

/** `roster destroy` deletes what the project owns and nothing else, however often it is interrupted. */

const whole = command.scenario;
const digestOf = async (fixture: Fixture) => (await command.words(fixture)).at(-1) ?? '';
const destroy = (fixture: Fixture) => run(command, fixture);

test('destroy deletes everything that the project owns, and the next apply creates it again', async () => {
  await withFixture(whole, async (fixture) => {
    const made = shapeOf(fixture.sandbox.world);
    const ended = await destroy(fixture);
    expect([ended.exit, ended.stdout]).toEqual([0, expect.stringContaining('Destroy complete: ')]);
    await command.done(fixture);
    expect(await fixture.apply()).toMatchObject({ exit: 0 });
    expect(shapeOf(fixture.sandbox.world)).toEqual(made);
  });
});

test('destroying again with the same digest, after everything is gone, is no error', async () => {
  await withFixture(whole, async (fixture) => {
    const digest = await digestOf(fixture);
    for (const last of ['Destroy complete: ', 'No changes. The inventory owns nothing that exists.']) {
      const ended = await fixture.command('destroy', '--yes', '--expect', digest);
      expect([ended.exit, ended.stdout]).toEqual([0, expect.stringContaining(last)]);
    }
  });
});

test.each([
  ['has another key', '{ formerly: kept, members: [acme-shop], protect: true }'],
  ['has the same name', '{ name: kept, members: [acme-shop], protect: true }'],
])('a protected entry that %s stops a destroy before any apply', async (_, entry) => {
  await withFixture(whole, async (fixture) => {
    fixture.workspace.write('roster.yaml', `project: faults\ngroups:\n  renamed: ${entry}\n`);
    const ended = await destroy(fixture);
    expect([ended.exit, ended.stderr]).toEqual([4, expect.stringContaining('group/kept is protected')]);
  });
});

test('an object that is declared as external by now is only forgotten', async () => {
  await withFixture(whole, async (fixture) => {
    fixture.workspace.write(
      'roster.yaml',
      'project: faults\ngroups:\n  kept: { external: true, name: kept }\n',
    );
    const ended = await destroy(fixture);
    expect([ended.exit, ended.stdout]).toEqual([0, expect.stringContaining('1 forgotten.')]);
    expect([...fixture.sandbox.world.groups.values()].map(({ name }) => name)).toContain('kept');
  });
});

test('destroy with the digest of another plan deletes nothing', async () => {
  await withFixture(whole, async (fixture) => {
    const digest = await digestOf(fixture);
    fixture.workspace.write(
      'roster.yaml',
      `${whole.manifest}  new: { target: agent/globex, every: 1 day, startTime: 2099-01-01T06:00:00 }\n`,
    );
    expect(await fixture.apply()).toMatchObject({ exit: 0 });
    const before = fixture.writes().length;
    const ended = await fixture.command('destroy', '--yes', '--expect', digest);
    expect([ended.exit, ended.stderr]).toEqual([4, expect.stringContaining('stale-plan')]);
    expect(fixture.writes().length).toBe(before);
  });
});

test('a key that sees none of the objects cannot destroy, and the inventory forgets nothing', async () => {
  await withFixture(whole, async (fixture) => {
    const { world } = fixture.sandbox;
    const saved = readFileSync(join(fixture.workspace.root, 'roster.inventory.json'), 'utf8');
    for (const records of [world.groups, world.pipelines, world.schedules]) records.clear();
    const ended = await destroy(fixture);
    expect([ended.exit, ended.stderr]).toEqual([4, expect.stringContaining('inventory-mismatch')]);
    expect(readFileSync(join(fixture.workspace.root, 'roster.inventory.json'), 'utf8')).toBe(saved);
  });
});
