import type { Session } from '../../engine/session.js';
import { problem } from '../../model/diagnostic.js';
import { openFolder, RunSaver, toFolder, toRecords } from '../../operate/data/download.js';
import { savedLine } from '../../view/data/data-text.js';
import { recordLine } from '../../view/data/rows-text.js';
import { logProgress } from '../data/download-progress.js';
import type { CommandContext } from '../host/host.js';

const STDOUT = '-';

/** Whether stdout gets records instead of the result. */
export function savesToStdout({ save }: { readonly save?: string }): boolean {
  return save === STDOUT;
}

/** Records and the result cannot share stdout. Throws a Problem. */
export function checkSave(flags: { readonly save?: string; readonly format?: string }): void {
  if (!savesToStdout(flags) || flags.format === undefined || flags.format === 'text') return;
  const help = `Write the result to a file: \`--write ${flags.format}=FILE\`.`;
  throw problem('usage', `\`--save -\` and \`--format ${flags.format}\` both write to stdout`, help);
}

/** For `--save DIR` and `--save -`, before anything is started. Throws a Problem. */
export function runSaver(
  session: Session,
  save: string,
  { host, output }: CommandContext,
  note: (line: string) => void,
): RunSaver {
  if (save === STDOUT) {
    const write = writerTo(output);
    const records = toRecords(session, ({ address }, dataset, rows) => {
      const lines = output.redactor.value(rows).map((row) => recordLine(address, dataset, row));
      write(lines.join(''));
      return output.arrives;
    });
    return new RunSaver(session, records, () => undefined);
  }
  const folder = openFolder(save, host.cwd, '--save');
  const onProgress = logProgress(note);
  return new RunSaver(session, toFolder(session, { folder, onProgress }), (saved) =>
    note(savedLine(saved, save)),
  );
}

/** After a failure, such as a full disk, nothing that follows arrives either: it must not pass for saved. */
function writerTo(output: CommandContext['output']): (text: string) => void {
  let failed: { readonly reason: unknown } | null = null;
  return (text) => {
    if (failed !== null) throw failed.reason;
    try {
      output.out(text);
    } catch (reason) {
      failed = { reason };
      throw reason;
    }
  };
}
