import { describe, expect, test } from 'vitest';
import { extrasOf, withdrawExtras } from '../../../src/apply/withdraw.js';
import { kinds } from '../../../src/kinds/index.js';
import type { Observed } from '../../../src/model/resource.js';
import { Workspace } from '../../support/roster.js';
import { startSandbox } from '../../support/sandbox.js';
import { remoteGroup, remoteSchedule } from '../../support/small-world.js';

/** Objects that are alike, or refer to each other, when an apply looks for those that it has created. */

describe('the create of a schedule, whose answer is lost', () => {
  const schedule = { target: 'agent/acme-shop', every: '6 hours', startTime: '2099-01-01T00:00:00' };
  const manifest = (inputs: object) =>
    JSON.stringify({ project: 'p', schedules: { s: { ...schedule, inputs } } });

  /** It did not take effect, but somebody else has just created a schedule with the same target and timing. */
  async function lostBeside(inputs: object) {
    const sandbox = await startSandbox();
    const workspace = new Workspace({ 'roster.yaml': manifest(inputs) }, sandbox);
    workspace.sleep = () => new Promise((done) => setImmediate(done));
    await workspace.apply();
    const theirs = [...sandbox.world.schedules];
    sandbox.world.schedules.clear();
    const own = new Workspace({ 'roster.yaml': manifest({ country: 'AT' }) }, sandbox);
    own.sleep = workspace.sleep;
    sandbox.faults.intercept = async ({ method, path, reset }, next) => {
      if (method !== 'POST' || path !== '/api/schedules') return next();
      for (const [id, each] of theirs) sandbox.world.schedules.set(id, each);
      reset();
    };
    const { exit, changes } = await own.applyJson();
    return { exit, outcomes: changes.map(({ outcome, id }) => [outcome, id]), theirs: theirs[0]?.[0] };
  }

  test('is not found in one with the same timing and other inputs: nothing may correct that', async () => {
    const { exit, outcomes } = await lostBeside({ country: 'FR' });
    expect([exit, outcomes]).toEqual([3, [['unknown', null]]]);
  });

  test('is found in one that is equal in every field', async () => {
    const { outcomes, theirs } = await lostBeside({ country: 'AT' });
    expect(outcomes).toEqual([['done', theirs]]);
  });
});

describe('a group and its schedule, which another run has created as well', () => {
  const own = [
    remoteGroup('own', { name: 'a' }),
    remoteSchedule('own-s', { target: { kind: 'group', id: 'own' } }),
  ];
  const created = new Map([
    ['group/a', 'own'],
    ['schedule/s', 'own-s'],
  ]);
  const inputsWith = (more: readonly Observed[]) => ({
    kinds,
    created,
    before: new Map(),
    after: new Map(kinds.map(({ name }) => [name, [...own, ...more].filter(({ kind }) => kind === name)])),
  });
  const theirs = [remoteGroup('theirs', { name: 'a' })];

  test('are both superfluous, the schedule first', () => {
    const extras = extrasOf(inputsWith(theirs));
    expect(extras.map(({ address, why }) => [address, why.split(' ')[0]])).toEqual([
      ['schedule/s', 'it'],
      ['group/a', 'another'],
    ]);
  });

  const withdrawn = async (more: readonly Observed[], refused: readonly string[] = []) => {
    const sent: string[] = [];
    const writer = {
      async send({ method, path }: { method: string; path: string }) {
        const id = path.split('/').at(-1) ?? '';
        sent.push(`${method} ${id}`);
        if (refused.includes(id)) throw new Error('refused');
        return { data: null };
      },
      judge: () => ({ gone: false, message: 'refused' }),
    };
    const inputs = inputsWith(more);
    const results = await withdrawExtras(extrasOf(inputs), inputs, writer as never);
    return { sent, failures: results.map(({ address, failure }) => [address, failure]) };
  };

  test('are both withdrawn', async () => {
    expect(await withdrawn(theirs)).toEqual({
      sent: ['DELETE own-s', 'DELETE own'],
      failures: [
        ['schedule/s', null],
        ['group/a', null],
      ],
    });
  });

  test('stay, if the schedule cannot be withdrawn: it would refer to nothing', async () => {
    expect(await withdrawn(theirs, ['own-s'])).toEqual({
      sent: ['DELETE own-s'],
      failures: [
        ['schedule/s', 'refused'],
        ['group/a', 'schedule own-s refers to it'],
      ],
    });
  });

  test('a schedule of somebody else keeps the group', async () => {
    const { sent, failures } = await withdrawn([
      ...theirs,
      remoteSchedule('else', { target: { kind: 'group', id: 'own' }, cron: '0 0 9 * * *' }),
    ]);
    expect([sent, failures.at(-1)]).toEqual([['DELETE own-s'], ['group/a', 'schedule else refers to it']]);
  });

  test('schedules with other inputs are not the same', () => {
    const target = { kind: 'group', id: 'own' };
    const inputs = inputsWith([remoteSchedule('other', { target, inputs: { country: 'FR' } })]);
    expect(extrasOf(inputs)).toEqual([]);
    const same = inputsWith([remoteSchedule('other', { target })]);
    expect(extrasOf(same).map(({ address }) => address)).toEqual(['schedule/s']);
  });

  test('what existed before the run is no object of another run', () => {
    const inputs = inputsWith(theirs);
    expect(extrasOf({ ...inputs, before: new Map([['group', theirs]]) })).toEqual([]);
  });
});
