import { withReadSession } from '../engine/session.js';
import { listData } from '../operate/data/datasets.js';
import { datasetsJson } from '../view/data/data-json.js';
import { datasetsText } from '../view/data/data-text.js';
import { jsonText } from '../view/json/json-text.js';
import { declarations } from './command/declarations.js';
import { runSessionOptions } from './command/flags.js';
import { runCommand } from './command/run-command.js';
import { checkAddress } from './command/subcommands.js';
import { chooseLimit, type LimitFlags } from './data/row-flags.js';
import type { CommandContext } from './host/host.js';

/** `roster data [ADDRESS]`: what agents have collected, the newest datasets first. */
export function dataCommand(
  address: string | undefined,
  flags: LimitFlags,
  context: CommandContext,
): Promise<number> {
  return runCommand(flags, declarations.data.formats, context, async () => {
    const names = address === undefined ? [] : [address];
    for (const each of names) checkAddress(each, 'data');
    const limit = chooseLimit(flags) ?? Number.POSITIVE_INFINITY;
    const found = await withReadSession(runSessionOptions(names, flags, context), (session) =>
      listData(session, address, limit),
    );
    const { datasets, total, diagnostics } = context.output.redactor.value(found);
    return {
      diagnostics,
      render: {
        text: (style) => datasetsText(datasets, total, style),
        json: () => jsonText(datasetsJson(datasets, total, diagnostics)),
      },
    };
  });
}
