import { resolve } from 'node:path';
import { checkWritable, writeAtomic } from '../inventory/atomic.js';
import { type Diagnostic, Problem } from '../model/diagnostic.js';
import { diagnosticsGithub } from '../view/diagnostics-github.js';
import { diagnosticsText } from '../view/diagnostics-text.js';
import { jsonText } from '../view/json-text.js';
import { failureJson } from '../view/plan-json.js';
import { sarif } from '../view/sarif.js';
import { exitCode, exitCodeFor } from './exit.js';
import type { Output } from './output.js';
import { fromRepositoryRoot } from './repository-paths.js';
import {
  type CommonFlags,
  chooseFormat,
  colourWanted,
  defaults,
  furtherOutputs,
  type Surroundings,
} from './settings.js';
import { version } from './version.js';

/** What a command came to: the exit code, and the result in whatever format is asked for. */
export interface Result<F extends string> {
  readonly exit: number;
  /** Told on stderr, unless the format holds them itself. */
  readonly diagnostics: readonly Diagnostic[];
  /** Something may have been changed: whatever goes wrong after it ends in 3. */
  readonly began: boolean;
  render(format: F, look: Look): string;
}

export interface Look {
  readonly color: boolean;
  readonly width: number;
  readonly verbose: boolean;
}

export interface Command<F extends string> {
  readonly flags: CommonFlags;
  readonly formats: readonly F[];
  readonly around: Surroundings;
  readonly output: Output;
}

/** Formats whose text holds the diagnostics, so that stderr stays quiet. */
const selfTelling: ReadonlySet<string> = new Set(['json', 'github', 'sarif']);

/** Runs a command and shows what came of it; expected trouble is told, a bug goes on to the caller. */
export async function present<F extends string>(
  command: Command<F>,
  run: () => Promise<Result<F>>,
): Promise<number> {
  const { flags, formats, around, output } = command;
  let format: F | null = null;
  let began = false;
  try {
    format = chooseFormat(flags, formats);
    const further = furtherOutputs(flags, formats);
    for (const { file } of further) checkWritable(resolve(around.cwd, file));
    const result = await run();
    began = result.began;
    if (!selfTelling.has(format)) tell(command, result.diagnostics);
    for (const { format: other, file } of further) {
      await writeAtomic(resolve(around.cwd, file), output.redact(result.render(other, plainLook)));
    }
    output.out(result.render(format, lookOf(command)));
    return result.exit;
  } catch (failure) {
    if (!(failure instanceof Problem)) throw failure;
    const told = failureIn(format ?? flags.format, output.hidden(failure.diagnostics), around);
    if (told !== null && output.arrives) output.out(told);
    else tell(command, failure.diagnostics);
    return began ? exitCode.incomplete : exitCodeFor(failure.diagnostics) || exitCode.error;
  }
}

/** What went wrong in a format that tells it by itself; null for the others. */
function failureIn(
  format: string | undefined,
  diagnostics: readonly Diagnostic[],
  around: Surroundings,
): string | null {
  if (format === 'json') return jsonText(failureJson(diagnostics));
  if (format === 'github') return diagnosticsGithub(fromRepositoryRoot(diagnostics, around));
  return format === 'sarif' ? jsonText(sarif(fromRepositoryRoot(diagnostics, around), version)) : null;
}

const plainLook: Look = { color: false, width: defaults.width, verbose: false };

export function lookOf({ flags, around }: Pick<Command<string>, 'flags' | 'around'>): Look {
  // Read when it is asked for: what renders no colours need not wait for the streams to be made.
  return {
    get color() {
      return colourWanted(flags, around, around.stdoutIsTerminal);
    },
    get width() {
      return around.columns ?? defaults.width;
    },
    verbose: flags.verbose === true,
  };
}

export function tell(
  { flags, around, output }: Pick<Command<string>, 'flags' | 'around' | 'output'>,
  diagnostics: readonly Diagnostic[],
): void {
  if (diagnostics.length === 0) return;
  const color = colourWanted(flags, around, around.stderrIsTerminal);
  output.err(diagnosticsText(output.hidden(diagnostics), { color, width: around.columns ?? defaults.width }));
}
