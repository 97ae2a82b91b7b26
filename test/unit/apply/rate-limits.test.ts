import { expect, test } from 'vitest';
import { stateAfter } from '../../../src/apply/run-state.js';

test.each([
  ['refused', 'interrupt', 'skipped'],
  ['refused', 'deadline', 'skipped'],
  ['not-sent', 'interrupt', 'skipped'],
  ['unknown', 'interrupt', 'unknown'],
  ['unknown', 'deadline', 'unknown'],
  ['refused', null, 'failed'],
] as const)(
  'a change that is %s when waiting for a rate limit ends (%s) is %s',
  (certainty, givenUp, outcome) => {
    const verdict = { certainty, givenUp, gone: false, unauthorized: false, message: 'why' };
    expect(stateAfter(verdict)).toEqual({ outcome, error: 'why' });
  },
);
