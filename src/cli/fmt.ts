import { format as formatProject } from '../engine/format.js';
import { escapeControls } from '../view/escape.js';
import { jsonText } from '../view/json/diagnostics-json.js';
import { filePatch } from '../view/line-diff.js';
import type { Implementation } from './command/command.js';
import { exitCode } from './command/exit.js';
import { projectOptions } from './command/flags.js';
import type { fmtCommand } from './commands/project.js';

/**
 * `roster fmt`: formats every file of the project. With `--check` it lists the files that are not in the style, and with
 * `--diff` it shows what would change in them; both write nothing.
 */
export const runFmt: Implementation<typeof fmtCommand> = async (flags, context) => {
  const { check = false, diff = false } = flags;
  const found = await formatProject(projectOptions(flags, context), { check: check || diff });
  const { changes, ...result } = context.output.redactor.value(found);
  const patch = changes.map(({ file, before, after }) => filePatch(file, before, after)).join('');
  return {
    exit: check && result.changed.length > 0 ? exitCode.changes : exitCode.fine,
    render: {
      text: () => (diff && patch !== '' ? patch : fmtText(result.changed, check)),
      json: () => jsonText({ formatVersion: 1, ...result, ...(diff ? { patch } : {}) }),
    },
  };
};

function fmtText(changed: readonly string[], check: boolean): string {
  if (changed.length === 0) return 'All files are formatted.\n';
  const verb = check ? 'would format' : 'formatted';
  return changed.map((name) => `${verb} ${escapeControls(name)}\n`).join('');
}
