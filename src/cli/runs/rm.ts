import type { Confirmation } from '../../engine/reviewed-run.js';
import { withSession } from '../../engine/session.js';
import { problem } from '../../model/diagnostic.js';
import type { ServiceRun } from '../../model/run.js';
import { type RemoveCallbacks, removeRun } from '../../operate/runs/change.js';
import { jsonText } from '../../view/json/json-text.js';
import { removedRunJson } from '../../view/json/runs-json.js';
import { removalText, removedRunText } from '../../view/text/runs-text.js';
import { declarations } from '../command/declarations.js';
import { type CommonFlags, runSessionOptions } from '../command/flags.js';
import { renderOptions, runCommand } from '../command/run-command.js';
import { confirm } from '../host/confirm.js';
import type { CommandContext } from '../host/host.js';

export interface RemoveFlags extends CommonFlags {
  readonly yes?: boolean;
}

/** `roster runs rm ID`: deletes a group run or a pipeline run, after a confirmation. */
export function removeRunCommand(id: string, flags: RemoveFlags, context: CommandContext): Promise<number> {
  return runCommand(flags, declarations['runs rm'].formats, context, async (begin) => {
    const isConfirmed = flags.yes === true;
    const callbacks: RemoveCallbacks = {
      onBegin: begin,
      ...(isConfirmed ? {} : { confirm: (run) => answered(run, flags, context) }),
    };
    const found = await withSession(runSessionOptions([], flags, context), (session) =>
      removeRun(session, id, callbacks),
    );
    const shown = context.output.redactor.value(found);
    return {
      render: { text: () => removedRunText(shown), json: () => jsonText(removedRunJson(shown)) },
    };
  });
}

/** What would be deleted is shown on stderr. Without a terminal, that is a dry run. */
function answered(
  run: ServiceRun,
  flags: RemoveFlags,
  { host, output }: CommandContext,
): Promise<Confirmation> {
  output.err(`${removalText(output.redactor.value(run), renderOptions(flags, host, 'stderr'))}\n`);
  if (host.stdinIsTerminal)
    return confirm("Delete it with its jobs and their history, permanently?\nOnly 'yes' will be accepted: ");
  throw problem('not-confirmed', 'there is no terminal to ask for confirmation', 'Use `--yes`.');
}
