import { resolve } from 'node:path';
import { readRegular, writeAtomic } from '../files/atomic.js';
import { type Diagnostic, type DiagnosticCode, errorsIn, Problem, problem } from '../model/diagnostic.js';
import { escapeControls } from '../view/escape.js';
import { formatText, isTooMuchToFormat } from '../yaml/format.js';
import { yamlLimits } from '../yaml/limits.js';
import { type ProjectOptions, readProject } from './project.js';

/** Errors that keep a file from being read. Any other error in a manifest does not matter for its style. */
const blocking: ReadonlySet<DiagnosticCode> = new Set<DiagnosticCode>([
  'yaml-syntax',
  'unreadable-file',
  'limit-exceeded',
  'missing-setting',
  'unknown-environment',
]);

export interface FormattedFile {
  readonly file: string;
  readonly before: string;
  readonly after: string;
}

export interface Formatted {
  /** Files that are not in the style, or were not before. */
  readonly changed: readonly string[];
  readonly changes: readonly FormattedFile[];
  /** How many files the project has. */
  readonly files: number;
}

/** Formats every manifest of the project. With `check`, no file is written. Throws a Problem. */
export async function format(
  options: ProjectOptions,
  { check }: { readonly check: boolean },
): Promise<Formatted> {
  const files = readableFiles(options);
  // All files are formatted before the first one is written: if one cannot be formatted, none is changed.
  const changes = files.flatMap(({ file, text: before }) => {
    const after = formatFile(before, file);
    return after === before ? [] : [{ file, before, after }];
  });
  if (!check) {
    for (const { file, before, after } of changes) {
      const path = resolve(options.cwd, file);
      checkUnchanged(path, file, before);
      await writeAtomic(path, after);
    }
  }
  return { changed: changes.map(({ file }) => file), changes, files: files.length };
}

function readableFiles(options: ProjectOptions): ReturnType<typeof readProject>['files'] {
  const { files, allFiles, diagnostics } = readProject(options);
  const errors = errorsIn(diagnostics);
  // A missing file may not be in the style.
  if (!allFiles) throw new Problem(errors);
  const inTheWay = errors.filter((each) => blocking.has(each.code) && !isCount(each));
  if (inTheWay.length > 0) throw new Problem(inTheWay);
  const large = files.find(({ text }) => isTooMuchToFormat(text));
  if (large !== undefined) throw tooLarge(large.file);
  return files;
}

/** The diagnostic that counts what is not listed. It has no place, and keeps no file from being read. */
function isCount({ code, place }: Diagnostic): boolean {
  return code === 'limit-exceeded' && place === undefined;
}

function formatFile(text: string, file: string): string {
  try {
    return formatText(text);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    const help = 'No file was written. This is a bug in roster: please report it with the file.';
    throw problem('internal', `${escapeControls(file)} cannot be formatted: ${escapeControls(why)}`, help);
  }
}

function tooLarge(file: string): Problem {
  const message = `${escapeControls(file)} holds more than ${yamlLimits.formatted} syntax elements, too many to format`;
  return problem('limit-exceeded', message, 'Split the file into several and include them.');
}

/** What someone has written since the file was read must not be overwritten. */
function checkUnchanged(path: string, file: string, text: string): void {
  if (readRegular(path, file)?.replace(/^\ufeff/, '') === text) return;
  const message = `${file} was changed while it was being formatted`;
  throw problem('unreadable-file', message, 'Run `roster fmt` again.');
}
