import { problem } from '../../model/diagnostic.js';
import type { Address } from '../../model/resource.js';

/** The newest dataset of an agent is another one tomorrow: what changes datasets names them by id. */
export function refuseAddresses(addresses: readonly Address[], what: string): void {
  const [address] = addresses;
  if (address === undefined) return;
  const help = `\`roster data ${address}\` lists the ids.`;
  throw problem('usage', `datasets are ${what} by id, not by address: ${address}`, help);
}
