import { describe, expect, test } from 'vitest';
import { type Checkout, plannedCheckout } from '../../../src/model/inventory.js';

const [older, newer] = ['a', 'b'].map((letter) => letter.repeat(40)) as [string, string];

describe('the commit that an apply records', () => {
  test.each<[string, Checkout, boolean, string | null]>([
    ['is that of the checkout', { commit: newer, applied: older, state: 'current' }, false, newer],
    ['is that of the checkout at first', { commit: newer, applied: null, state: 'current' }, false, newer],
    ['is kept where the checkout has none', { commit: null, applied: older, state: 'current' }, false, older],
    ['is kept where the checkout is stale', { commit: older, applied: newer, state: 'stale' }, false, newer],
    [
      'is that of a stale checkout that is allowed',
      { commit: older, applied: newer, state: 'stale' },
      true,
      older,
    ],
    ['is kept where git cannot tell', { commit: older, applied: newer, state: 'unknown' }, false, newer],
    [
      'is kept where git cannot tell and is allowed',
      { commit: older, applied: newer, state: 'unknown' },
      true,
      newer,
    ],
    ['is kept outside of a repository', { commit: null, applied: newer, state: 'unknown' }, false, newer],
    [
      'is not recorded in a file that git tracks',
      { commit: null, applied: null, state: 'unknown' },
      false,
      null,
    ],
  ])('%s', (_, checkout, allowStale, recorded) =>
    expect(plannedCheckout(checkout, allowStale).record).toBe(recorded),
  );
});
