import { type Formatted, format as formatProject } from '../engine/format.js';
import { escapeControls } from '../view/escape.js';
import { jsonText } from '../view/json/json-text.js';
import { declarations } from './command/declarations.js';
import { exitCode } from './command/exit.js';
import { type CommonFlags, projectOptions } from './command/flags.js';
import { runCommand } from './command/run-command.js';
import type { CommandContext } from './host/host.js';

type FmtFlags = CommonFlags & { readonly check?: boolean };

/** `roster fmt`: formats every file of the project, or with `--check` lists the files that are not in the style. */
export function fmtCommand(flags: FmtFlags, context: CommandContext): Promise<number> {
  const { check = false } = flags;
  return runCommand(flags, declarations.fmt.formats, context, async () => {
    const result = await formatProject(projectOptions(flags, context), { check });
    return {
      exit: check && result.changed.length > 0 ? exitCode.changes : exitCode.fine,
      render: {
        text: () => fmtText(result, check),
        json: () => jsonText({ formatVersion: 1, ...result }),
      },
    };
  });
}

function fmtText({ changed }: Formatted, check: boolean): string {
  if (changed.length === 0) return 'All files are formatted.\n';
  const verb = check ? 'would format' : 'formatted';
  return changed.map((name) => `${verb} ${escapeControls(name)}\n`).join('');
}
