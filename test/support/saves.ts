import { relative } from 'node:path';
import { type Sandbox, worldFromLog, worldToLog } from '../../src/sandbox/index.js';
import type { Workspace } from './roster.js';
import { filesBelow } from './secrets.js';

type Restore = (sandbox: Sandbox, workspace: Workspace) => void;

/** Where many tests begin, such as an applied project: made once, and then restored, which is much faster. */
export class Saves {
  private readonly saved = new Map<string, Restore>();

  /** Brings a new sandbox and a new workspace to the state in which `make` leaves them. */
  async begin(key: string, sandbox: Sandbox, workspace: Workspace, make: () => Promise<unknown>) {
    const restore = this.saved.get(key);
    if (restore !== undefined) return restore(sandbox, workspace);
    await make();
    this.saved.set(key, save(sandbox, workspace));
  }
}

function save({ url, world, now }: Sandbox, { root }: Workspace): Restore {
  const objects = worldToLog(world);
  const files = filesBelow(root);
  const savedAt = now();
  return (sandbox, workspace) => {
    sandbox.advance(Math.max(0, savedAt.getTime() - sandbox.now().getTime()));
    Object.assign(sandbox.world, worldFromLog(objects));
    // An inventory belongs to one address.
    for (const [path, text] of files)
      workspace.write(relative(root, path), text.replaceAll(url, sandbox.url));
  };
}
