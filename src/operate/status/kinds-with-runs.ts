import { kinds } from '../../kinds/index.js';

/** What can run has a health. Keys have none. */
export const kindsWithRuns = kinds.filter(({ startByHand }) => startByHand !== undefined);
