import { resolve } from 'node:path';
import { withReadSession } from '../engine/session.js';
import { snapshot } from '../engine/snapshot.js';
import { checkWritable, writeAtomic } from '../files/atomic.js';
import { problem } from '../model/diagnostic.js';
import { escapeJson, jsonText } from '../view/json/plan-json.js';
import { snapshotSaved, snapshotSavedJson } from '../view/text/snapshot-text.js';
import type { Implementation } from './command/command.js';
import { sessionOptions } from './command/flags.js';
import type { snapshotCommand } from './commands/inspect.js';
import type { Output } from './host/output.js';

/** `roster snapshot`: the observed state without secrets, for those who have no API key. Sends reads only. */
export const runSnapshot: Implementation<typeof snapshotCommand> = async (flags, context) => {
  const { out } = flags;
  const path = out === undefined ? null : resolve(context.host.cwd, out);
  if (path !== null) checkWritable(path);
  const taken = await withReadSession(sessionOptions(flags, context), snapshot);
  const text = escapeJson(taken.text);
  if (path === null) checkIntact(text, context.output);
  else await writeAtomic(path, text);
  const { snapshot: saved, warnings } = taken;
  return {
    diagnostics: warnings,
    render: {
      text: () => (out === undefined ? text : snapshotSaved(saved, out)),
      json: () => (out === undefined ? text : jsonText(snapshotSavedJson(saved, out, warnings))),
    },
  };
};

/** Values that are masked in every output would be missing in this one. */
function checkIntact(text: string, { redactor }: Output): void {
  if (redactor.text(text) === text) return;
  const message = 'the snapshot happens to contain a value from the environment, so it cannot be printed';
  throw problem('invalid-snapshot', message, 'Save it to a file: `roster snapshot --out FILE`.');
}
