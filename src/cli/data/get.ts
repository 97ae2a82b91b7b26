import { withReadSession } from '../../engine/session.js';
import { problem } from '../../model/diagnostic.js';
import { type GetResult, getData, openFolder } from '../../operate/data/download.js';
import { filesJson } from '../../view/data/data-json.js';
import { filesText } from '../../view/data/data-text.js';
import { jsonText } from '../../view/json/json-text.js';
import { declarations } from '../command/declarations.js';
import { exitCode, exitCodeFor } from '../command/exit.js';
import { type CommonFlags, runSessionOptions } from '../command/flags.js';
import { runCommand } from '../command/run-command.js';
import type { CommandContext } from '../host/host.js';
import { downloadProgress } from './download-progress.js';

export interface GetFlags extends CommonFlags {
  readonly out?: string;
  readonly latest?: boolean;
}

/** `roster data get ADDRESS|ID…`: downloads the files of datasets. */
export function getDataCommand(
  names: readonly string[],
  flags: GetFlags,
  context: CommandContext,
): Promise<number> {
  return runCommand(flags, declarations['data get'].formats, context, async () => {
    const { out, latest } = flags;
    if (out === undefined)
      throw problem('usage', '`--out` is missing', 'Name the folder of the files: `--out data`.');
    const { host, output } = context;
    const options = runSessionOptions(names, withoutFolder(flags), context);
    const found = await withReadSession(options, (session) => {
      const folder = openFolder(out, host.cwd, '--out');
      return getData(session, names, { folder, latest, onProgress: downloadProgress(context) });
    });
    const { files, diagnostics } = output.redactor.value(found);
    return {
      exit: exitOf(found),
      diagnostics,
      diagnosticsLast: true,
      render: {
        text: () => filesText(files, out),
        json: () => jsonText(filesJson(files, diagnostics)),
      },
    };
  });
}

/** With other commands, `out` is a file. No copy: a test watches that each flag is read. */
function withoutFolder(flags: GetFlags): CommonFlags {
  return Object.create(flags, { out: { value: undefined } });
}

/** An error after a file was saved is not one before which nothing was done. */
function exitOf({ files, diagnostics }: GetResult): number {
  const exit = exitCodeFor(diagnostics);
  return exit === exitCode.error && files.some(({ outcome }) => outcome === 'saved')
    ? exitCode.incomplete
    : exit;
}
