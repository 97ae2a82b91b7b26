import { withSession } from '../../engine/session.js';
import { problem } from '../../model/diagnostic.js';
import { shareData } from '../../operate/data/share.js';
import { changesJson } from '../../view/data/data-json.js';
import { accessChangesText } from '../../view/data/data-text.js';
import { jsonText } from '../../view/json/json-text.js';
import { declarations } from '../command/declarations.js';
import { exitCode, exitCodeFor } from '../command/exit.js';
import { type CommonFlags, runSessionOptions } from '../command/flags.js';
import { runCommand } from '../command/run-command.js';
import type { CommandContext } from '../host/host.js';

export interface ShareFlags extends CommonFlags {
  readonly company?: boolean;
  readonly private?: boolean;
}

/** `roster data share ID…`: changes who can read datasets. */
export function shareDataCommand(
  ids: readonly string[],
  flags: ShareFlags,
  context: CommandContext,
): Promise<number> {
  return runCommand(flags, declarations['data share'].formats, context, async (begin) => {
    const level = chooseLevel(flags);
    const found = await withSession(runSessionOptions(ids, flags, context), (session) =>
      shareData(session, ids, level, begin),
    );
    const { changes, diagnostics } = context.output.redactor.value(found);
    const exit = exitCodeFor(diagnostics);
    const isPart = changes.some(({ done }) => done !== false) && exit === exitCode.error;
    return {
      exit: isPart ? exitCode.incomplete : exit,
      diagnostics,
      diagnosticsLast: true,
      render: {
        text: () => accessChangesText(changes, level),
        json: () => jsonText(changesJson(changes, 'changed', diagnostics)),
      },
    };
  });
}

function chooseLevel({ company = false, private: isPrivate = false }: ShareFlags): 'Company' | 'Private' {
  if (company !== isPrivate) return company ? 'Company' : 'Private';
  throw problem('usage', 'it is not clear who is to have access', 'Pass either `--company` or `--private`.');
}
