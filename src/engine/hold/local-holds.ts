import { resolve } from 'node:path';
import { fileStore } from '../../inventory/file-store.js';
import { type Diagnostic, Problem } from '../../model/diagnostic.js';
import { type Hold, type Holds, hasEnded } from '../../model/hold.js';
import type { Address, Project } from '../../model/resource.js';
import { clockOf } from '../clock.js';
import type { ProjectOptions } from '../project.js';

/** What is on hold now, as far as an inventory in a file says. One that cannot be read is reported as a warning. */
export async function localHolds(
  project: Project,
  options: ProjectOptions,
): Promise<{ readonly holds: Holds; readonly warnings: readonly Diagnostic[] }> {
  const { inventory, root, name, environment } = project;
  if (!('file' in inventory)) return { holds: {}, warnings: [unread] };
  const path = resolve(root, inventory.file);
  try {
    const about = { project: name, environment, env: options.env };
    const { entries } = await fileStore({ path, name: inventory.file, ...about }).load();
    const now = clockOf(options).now();
    const held: Record<Address, Hold> = {};
    for (const [address, { hold }] of entries)
      if (hold !== undefined && !hasEnded(hold, now)) held[address] = hold;
    return { holds: held, warnings: [] };
  } catch (failure) {
    if (!(failure instanceof Problem)) throw failure;
    return { holds: {}, warnings: failure.diagnostics.map((each) => ({ ...each, severity: 'warning' })) };
  }
}

const unread: Diagnostic = {
  severity: 'info',
  code: 'held',
  message: 'the inventory is in git, and is not read offline: schedules on hold are counted as if they ran',
  help: 'To see what is on hold, run `roster plan` or `roster list schedules`.',
};
