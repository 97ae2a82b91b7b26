import { move } from '../engine/move/move.js';
import { writePulled } from '../engine/pull/write.js';
import { Problem } from '../model/diagnostic.js';
import type { Pulled } from '../model/pull.js';
import { jsonText } from '../view/json/diagnostics-json.js';
import { pullJson, pullPatch, pullText } from '../view/text/pull-text.js';
import type { FlagsOf, Implementation } from './command/command.js';
import { projectOptions, usage } from './command/flags.js';
import type { moveCommand } from './commands/project.js';
import { confirmFiles } from './host/confirm.js';
import type { CommandContext } from './host/host.js';

type MoveFlags = FlagsOf<typeof moveCommand>;

/** `roster move`: entries into another project of the work tree. `--format diff` writes nothing. */
export const runMove: Implementation<typeof moveCommand> = async (addresses, flags, context) => {
  const { to, as } = flags;
  if (to === undefined)
    throw new Problem(usage('`--to` is missing', 'Name the project file: `--to ../travel/roster.yaml`.'));
  const made = await move(projectOptions(flags, context), { addresses, to, as });
  if (flags.format !== 'diff') await write(made, flags, context);
  const shown = context.output.redactor.value(made);
  return {
    diagnostics: made.diagnostics,
    render: {
      text: () => pullText(shown),
      json: () => jsonText(pullJson(shown)),
      diff: () => pullPatch(shown.files),
    },
  };
};

/** What was shown is what is written. */
async function write(made: Pulled, { yes }: MoveFlags, { host, output }: CommandContext): Promise<void> {
  if (yes !== true) {
    output.err(pullPatch(made.files));
    await confirmFiles('', 'there is no terminal to ask for confirmation', host);
  }
  await writePulled(made);
}
