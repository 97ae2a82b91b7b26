import { resolve } from 'node:path';
import { readRegular, writeAtomic } from '../inventory/atomic.js';
import { type Diagnostic, type DiagnosticCode, Problem, problem } from '../model/diagnostic.js';
import { escapeControls } from '../view/escape.js';
import { jsonText } from '../view/json/json-text.js';
import { formatText, isTooMuchToFormat } from '../yaml/format/format.js';
import { yamlLimits } from '../yaml/limits.js';
import { exitCode } from './exit.js';
import { load } from './load.js';
import type { Output } from './output.js';
import { runCommand } from './run-command.js';
import type { CommonFlags, Host } from './settings.js';

export interface FmtFlags extends CommonFlags {
  readonly check?: boolean;
}

/** What keeps a file from being read at all. Anything else that is wrong with a manifest is no matter of style. */
const blocking: ReadonlySet<DiagnosticCode> = new Set<DiagnosticCode>([
  'yaml-syntax',
  'unreadable-file',
  'limit-exceeded',
  'missing-setting',
  'unknown-environment',
]);

/** `roster fmt`: brings every file of the project into the one style, or tells with `--check` which are not. */
export function fmt(flags: FmtFlags, host: Host, output: Output): Promise<number> {
  return runCommand({ flags, formats: ['text', 'json'], host, output }, async () => {
    const { files, allFiles, diagnostics } = load(flags, host, output);
    const errors = diagnostics.filter((each) => each.severity === 'error');
    // Without all of them, nobody could say that every file is in style.
    if (!allFiles) throw new Problem(errors);
    const inTheWay = errors.filter((each) => blocking.has(each.code) && !isCount(each));
    if (inTheWay.length > 0) throw new Problem(inTheWay);
    const large = files.find(({ text }) => isTooMuchToFormat(text));
    if (large !== undefined) throw tooMuch(large.file);
    // All are formatted before the first is written: a file that cannot be leaves the others as they are.
    const changed = files.flatMap(({ file, text }) => {
      const formatted = formatFile(text, file);
      return formatted === text ? [] : [{ file, text, formatted }];
    });
    if (flags.check !== true) {
      for (const { file, text, formatted } of changed) {
        checkUnchanged(resolve(host.cwd, file), file, text);
        await writeAtomic(resolve(host.cwd, file), formatted);
      }
    }
    const names = changed.map(({ file }) => file);
    return {
      exit: flags.check === true && names.length > 0 ? exitCode.changes : exitCode.fine,
      diagnostics: [] as readonly Diagnostic[],
      began: false,
      render: (format) =>
        format === 'json'
          ? jsonText({ formatVersion: 1, changed: names, files: files.length })
          : said(names, flags.check === true),
    };
  });
}

/** What is not shown has no place. That more is wrong than is shown keeps no file from being read. */
function isCount({ code, place }: Diagnostic): boolean {
  return code === 'limit-exceeded' && place === undefined;
}

function formatFile(text: string, file: string): string {
  try {
    return formatText(text);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    const help = 'No file was written. This is a bug in roster: please report it with the file.';
    throw problem(
      'internal',
      `${escapeControls(file)} cannot be brought into style: ${escapeControls(why)}`,
      help,
    );
  }
}

function tooMuch(file: string): Problem {
  const message = `${escapeControls(file)} holds more than ${yamlLimits.formatted} pieces of syntax, too many to format`;
  return problem('limit-exceeded', message, 'Split the file into several and include them.');
}

/** What somebody has written since it was read must not be written over. */
function checkUnchanged(path: string, file: string, text: string): void {
  if (readRegular(path, file)?.replace(/^\ufeff/, '') === text) return;
  throw problem('unreadable-file', `${file} was changed while it was formatted`, 'Run it again.');
}

function said(names: readonly string[], check: boolean): string {
  if (names.length === 0) return 'Every file is in style.\n';
  const verb = check ? 'would format' : 'formatted';
  return names.map((name) => `${verb} ${escapeControls(name)}\n`).join('');
}
