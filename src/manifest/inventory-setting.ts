import type { InventorySetting } from '../model/resource.js';
import type { Settings } from './generated/settings.js';

/**
 * One inventory per environment. A branch gets `-E` and not `/E`: git cannot keep a branch beside others that have
 * its name as their folder.
 */
export function inventoryOf(
  written: NonNullable<Settings['inventory']>,
  environment: string | null,
): InventorySetting {
  if (written.git !== undefined) {
    const ref = written.git.ref ?? 'refs/heads/roster-inventory';
    const own = environment === null ? ref : `${ref}-${environment}`;
    return { git: { ref: own, remote: written.git.remote ?? 'origin' } };
  }
  const file = written.file ?? 'roster.inventory.json';
  return { file: environment === null ? file : file.replace(/(\.[^./]*)?$/, `.${environment}$1`) };
}

/** The default where the settings cannot be read. None where they are kept on branches. */
export function inventoriesOf(written: Settings['inventory'] = {}, names: Iterable<string>): string[] {
  const environments = [null, ...names];
  const all = environments.map((environment) => inventoryOf(written, environment));
  return all.flatMap((each) => ('file' in each ? [each.file] : []));
}
