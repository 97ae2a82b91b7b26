import type { Diagnostic } from '../model/diagnostic.js';
import type { Inventory } from '../model/inventory.js';
import type { Project } from '../model/resource.js';

/** Names that are listed. The rest are counted. */
const MOST_NAMES = 5;

/**
 * A warning when nothing was ever applied without an environment: then it was most likely forgotten, and the plan would
 * take over what an environment owns. After an apply, the project's own settings are a deployment like any other.
 */
export function noEnvironmentWarnings(
  { unselected }: Project,
  { entries, service }: Pick<Inventory, 'entries' | 'service'>,
): Diagnostic[] {
  if (unselected === undefined || entries.size > 0 || service !== null) return [];
  const names = unselected.names.map((name) => `\`${name}\``);
  const more = names.length - MOST_NAMES;
  const listed = [...names.slice(0, MOST_NAMES), ...(more > 0 ? [`${more} more`] : [])].join(', ');
  const message = `no environment is selected, so this run has an inventory of its own, which is new, and uses no settings of the environments (${listed})`;
  const help =
    'Select an environment with `-e`. If this is a deployment without one, apply it: the warning ends when its inventory exists.';
  return [{ severity: 'warning', code: 'no-environment', message, help, place: unselected.place }];
}
