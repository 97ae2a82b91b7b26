import { refusal } from '../../model/finding.js';
import type { Rule } from '../world.js';

/** New keys that could not be delivered: those that the plan creates, and those that earlier runs have kept. */
export const deliveries: Rule = {
  name: 'deliveries',
  examine: ({ answers }) =>
    [...answers.undeliverable].map(([address, reason]) => {
      const message = `${address}: the new key could not be delivered: ${reason}`;
      const help =
        'The service shows a key only once: set `deliver:` to a file that can be written, or to a command that exists.';
      return refusal('undeliverable-key', address, message, help);
    }),
};
