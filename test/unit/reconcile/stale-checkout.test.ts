import { describe, expect, test } from 'vitest';
import type { Allowances } from '../../../src/model/finding.js';
import { isDiagnostic, isRefusal } from '../../../src/model/finding.js';
import type { Checkout } from '../../../src/model/inventory.js';
import {
  apiKey,
  codesOf,
  group,
  owning,
  planOf,
  remoteGroup,
  remoteKey,
  type SmallWorld,
} from '../../support/small-world.js';

const [older, newer] = ['a', 'b'].map((letter) => letter.repeat(40)) as [string, string];
const stale: Checkout = { commit: older, applied: newer, state: 'stale' };
const allow: Allowances = {
  deletes: null,
  selfRevoke: true,
  empty: true,
  accountChange: false,
  staleCheckout: false,
  editedInventory: false,
  exposedKey: false,
  policies: [],
  policyReason: null,
};

const refusalsOf = (world: SmallWorld) => codesOf(planOf({ allow, ...world }).findings.filter(isRefusal));
const notesOn = (world: SmallWorld) =>
  planOf({ allow, ...world })
    .findings.filter(isDiagnostic)
    .map(({ severity, code }) => `${severity} ${code}`);

/** Two owned groups, of which this checkout declares one. */
const deleting: SmallWorld = {
  entries: [group('a')],
  objects: [remoteGroup('a'), remoteGroup('b')],
  inventory: owning({ 'group/a': 'a', 'group/b': 'b' }),
};

describe('a stale checkout', () => {
  test('may not delete', () => {
    expect(refusalsOf({ ...deleting, checkout: stale })).toEqual(['stale-checkout']);
    expect(refusalsOf({ ...deleting, checkout: { ...stale, state: 'current' } })).toEqual([]);
    expect(refusalsOf({ ...deleting, checkout: { ...stale, state: 'unknown' } })).toEqual([]);
  });

  test('may delete with the flag', () =>
    expect(refusalsOf({ ...deleting, checkout: stale, allow: { ...allow, staleCheckout: true } })).toEqual(
      [],
    ));

  test('may not replace', () => {
    const world = {
      entries: [apiKey('ci', { scopes: ['read'] })],
      objects: [remoteKey('ci')],
      inventory: owning({ 'key/ci': 'ci' }),
    };
    expect(refusalsOf({ ...world, checkout: stale })).toEqual(['stale-checkout']);
  });

  test('that contains the last apply, but not its uncommitted changes, is noted beside what it may undo', () => {
    const dirty: Checkout = { commit: older, applied: `${older}-dirty`, state: 'current' };
    expect(notesOn({ ...deleting, checkout: dirty })).toEqual(['info stale-checkout']);
    expect(notesOn({ ...deleting, checkout: { ...dirty, applied: older } })).toEqual([]);
    expect(notesOn({ entries: [group('new')], checkout: dirty })).toEqual([]);
  });

  test('may create a key, which `--allow-self-revoke` guards', () =>
    expect(refusalsOf({ entries: [apiKey('ci')], checkout: stale })).toEqual([]));
});

describe('in a checkout whose inventory file git tracks', () => {
  const tracked: Checkout = { commit: null, applied: null, state: 'unknown' };
  const unknown: SmallWorld = { ...deleting, inventory: owning({ 'group/a': 'a' }), checkout: tracked };

  test('a note says of deletes of what the inventory does not know that others may have added it', () => {
    expect(notesOn({ ...unknown, prune: 'all' })).toEqual(['info stale-checkout']);
    expect(refusalsOf({ ...unknown, prune: 'all' })).toEqual([]);
  });

  test('deletes of what the inventory knows need no note', () => {
    expect(notesOn({ ...deleting, checkout: tracked, prune: 'all' })).toEqual([]);
    expect(notesOn({ ...deleting, checkout: tracked })).toEqual([]);
    expect(notesOn(unknown)).toEqual([]);
  });
});
