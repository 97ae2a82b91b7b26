import { describe, expect, test } from 'vitest';
import { isDiagnostic } from '../../../src/model/finding.js';
import {
  actionsOf,
  agents,
  apiKey,
  codesOf,
  group,
  owning,
  planOf,
  remoteGroup,
  remoteKey,
  remoteSchedule,
  type SmallWorld,
  schedule,
} from '../../support/small-world.js';

const a = remoteGroup('1', { name: 'a' });
const ownsA = owning({ 'group/a': '1' });

const actions: readonly [name: string, world: SmallWorld, actions: readonly string[]][] = [
  ['create: an entry without an object', { entries: [group('a')] }, ['create group/a']],
  [
    'adopt: an equal object is not in the inventory',
    { entries: [group('a')], objects: [a] },
    ['adopt group/a'],
  ],
  ['none: an owned object is equal', { entries: [group('a')], objects: [a], inventory: ownsA }, []],
  [
    'update: a field differs',
    { entries: [group('a', { description: 'new' })], objects: [a], inventory: ownsA },
    ['update group/a'],
  ],
  ['delete: an owned object is not declared', { objects: [a], inventory: ownsA }, ['delete group/a']],
  ['forget: an owned object no longer exists', { inventory: ownsA }, ['forget group/a']],
  ['nothing: an object that is not ours', { objects: [a] }, []],
  [
    'delete: with prune all, also an object that is not ours',
    { objects: [a], prune: 'all' },
    ['delete group/1'],
  ],
  [
    'none: with prune never, an undeclared object stays',
    { objects: [a], inventory: ownsA, prune: 'never' },
    [],
  ],
  [
    'forget: an owned object belongs to the operator now',
    { objects: [{ ...a, manageable: false }], inventory: ownsA },
    ['forget group/a'],
  ],
  [
    'replace: a kind without updates',
    { entries: [apiKey('ci', { scopes: ['x'] })], objects: [remoteKey('1', { name: 'ci' })] },
    ['replace key/ci'],
  ],
  [
    'none: members in another order',
    {
      entries: [group('a', { agents: ['acme', 'globex'] })],
      objects: [remoteGroup('1', { name: 'a', members: agents.map(({ id }) => id).reverse() })],
      inventory: ownsA,
    },
    [],
  ],
  [
    'none: an expired entry is not created',
    { entries: [schedule('s', { cron: null, startTime: null, once: '2020-01-01T00:00:00' })] },
    [],
  ],
];

describe('diff', () => {
  test.each(actions)('%s', (_, world, expected) => {
    expect(actionsOf(planOf({ allow: everything, ...world }))).toEqual(expected);
  });

  test('a field shows whether the manifest or the service changed it since the last apply', () => {
    const origin = (applied: string, declared: string, remote: string) =>
      planOf({
        entries: [group('a', { description: declared })],
        objects: [remoteGroup('1', { name: 'a', description: remote })],
        inventory: owning({ 'group/a': '1' }, { applied: { description: applied } }),
      }).changes.map((change) => change.origin);
    expect(origin('old', 'new', 'old')).toEqual(['manifest']);
    expect(origin('old', 'old', 'new')).toEqual(['remote']);
    expect(origin('old', 'new', 'newer')).toEqual(['both']);
  });

  test('a value from the environment is shown as its template', () => {
    const { changes } = planOf({
      entries: [group('a', { description: 'x' }, { templates: { description: '${env.X}' } })],
    });
    const field = changes[0]?.fields.find(({ path }) => path === 'description');
    expect(field).toMatchObject({ after: '${env.X}', sensitive: true });
  });

  test('with prune never, an undeclared object is reported', () => {
    expect(
      codesOf(planOf({ objects: [a], inventory: ownsA, prune: 'never' }).findings.filter(isDiagnostic)),
    ).toEqual(['left-alone']);
  });

  test('an interrupted create of an entry that was removed is reported unless its object is as intended', () => {
    const draft = { kind: 'group', name: 'a', identity: 'a', applied: { name: 'a', description: 'mine' } };
    const drafts = new Map([['group/a', draft]]);
    const plan = (description: string) =>
      planOf({
        objects: [remoteGroup('1', { name: 'a', description })],
        inventory: { ...owning({}), drafts },
      });
    expect(codesOf(plan('other').findings.filter(isDiagnostic))).toEqual(['possible-orphan']);
    expect(actionsOf(plan('other'))).toEqual(['forget group/a']);
    expect(actionsOf(plan('mine'))).toEqual(['delete group/a']);
  });

  test('only what has changed is sent', () => {
    const { steps } = planOf({
      entries: [schedule('s', { enabled: false })],
      objects: [remoteSchedule('1')],
      inventory: owning({ 'schedule/s': '1' }),
    });
    expect(steps.map(({ request }) => `${request.method} ${request.path}`)).toEqual([
      'POST /api/schedules/1/enabled',
    ]);
  });
});

const everything = {
  deletes: 99,
  selfRevoke: true,
  empty: true,
  accountChange: true,
  staleCheckout: true,
  editedInventory: true,
  exposedKey: true,
  policies: [],
  policyReason: null,
};
