import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type CollectionRecord, defaultSeed, type World } from '../../src/sandbox/index.js';
import { Workspace } from '../support/roster.js';
import { startSandbox } from '../support/sandbox.js';

/** A service whose answers to creates below `path` name the id that `answer` returns. */
async function arrange(sections: string, path: string, answer: (world: World, nth: number) => string) {
  const groups = [{ name: 'Of somebody else', members: ['initech'] }];
  let creates = 0;
  const sandbox = await startSandbox({
    seed: { ...defaultSeed(), groups },
    behaviour: (reply, exchange) => {
      const usual = reply();
      if (exchange?.route.method !== 'POST' || exchange.route.path !== path) return usual;
      creates += 1;
      const data = { id: answer(exchange.core.world, creates) };
      return { status: 200, body: { success: true, data } };
    },
  });
  const workspace = new Workspace({ 'roster.yaml': `project: ids\n${sections}` }, sandbox);
  workspace.sleep = () => new Promise((done) => setImmediate(done));
  const run = (...words: string[]) => workspace.command(words);
  const inventory = () => readFileSync(join(workspace.root, 'roster.inventory.json'), 'utf8');
  return { sandbox, run, inventory };
}

const paused = 'groups:\n  mine: { members: [acme-shop], active: false }\n';
const groupsPath = '/api/search-groups';

const foreignIn = ({ groups }: World): CollectionRecord => {
  const found = [...groups.values()].find(({ name }) => name === 'Of somebody else');
  if (found === undefined) throw new Error('the group of somebody else is gone');
  return found;
};

test('ids in answers: the id of an object that somebody else has just created is not believed', async () => {
  const theirs = randomUUID();
  const { sandbox, run, inventory } = await arrange(paused, groupsPath, (world) => {
    world.groups.set(theirs, { ...foreignIn(world), id: theirs, name: 'New, of somebody else' });
    return theirs;
  });
  expect((await run('apply', '--yes')).exit).toBe(0);
  expect(sandbox.world.groups.get(theirs)).toMatchObject({ name: 'New, of somebody else', isActive: true });
  expect(inventory()).not.toContain(theirs);
  expect((await run('plan', '--detailed-exitcode')).exit).toBe(0);
});

const three = `schedules:
${[1, 2, 3].map((n) => `  s${n}: { target: agent/acme-shop, every: ${n} hours, startTime: 2099-01-01T06:00:00 }\n`).join('')}`;

test('ids in answers: the id of another create of the same run is not believed', async () => {
  const first = ({ schedules }: World) => [...schedules.values()][0]?.id ?? '';
  const { sandbox, run } = await arrange(three, '/api/schedules', first);
  expect((await run('apply', '--yes')).exit).toBe(0);
  expect(sandbox.world.schedules.size).toBe(3);
  expect((await run('plan', '--detailed-exitcode')).exit).toBe(0);
});

test.each(['runs', 'page', 'preview', 'bulk', 'Upcoming'])(
  'ids in answers: %s is a path segment and not an id, so that later plans work',
  async (word) => {
    const { run, inventory } = await arrange(three, '/api/schedules', () => word);
    expect((await run('apply', '--yes')).exit).toBe(0);
    expect(inventory()).not.toContain(`"${word}"`);
    expect((await run('plan', '--detailed-exitcode')).exit).toBe(0);
  },
);
