import type { Address } from '../model/resource.js';
import type { Entry } from '../yaml/tree.js';
import type { Diagnostics } from './diagnostics.js';
import type { RemovedAddress } from './settings.js';

/** What is declared, in whatever environment, cannot be removed. */
export function checkRemoved(
  removed: readonly RemovedAddress[],
  { addresses }: { readonly addresses: ReadonlyMap<Address, Entry> },
  diagnostics: Diagnostics,
): void {
  for (const { address, span } of removed) {
    const declared = addresses.get(address);
    if (declared === undefined) continue;
    const message = `\`${address}\` is listed under \`removed\`, but is still declared`;
    diagnostics.error('duplicate-entry', span, message, {
      help: 'Remove the entry, or remove its address from `removed`.',
      related: [{ message: 'it is declared here', span: declared.key }],
    });
  }
}
