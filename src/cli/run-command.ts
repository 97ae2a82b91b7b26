import { resolve } from 'node:path';
import { checkWritable, writeAtomic } from '../files/atomic.js';
import { type Diagnostic, Problem } from '../model/diagnostic.js';
import { diagnosticsGithub } from '../view/ci/diagnostics-github.js';
import { sarif } from '../view/ci/sarif.js';
import { jsonText } from '../view/json/json-text.js';
import { failureJson } from '../view/json/plan-json.js';
import { diagnosticsText } from '../view/text/diagnostics-text.js';
import { exitCode, exitCodeFor } from './exit.js';
import type { Output } from './output.js';
import { fromRepositoryRoot } from './repository-paths.js';
import {
  type CommonFlags,
  chooseFormat,
  colourWanted,
  defaults,
  furtherOutputs,
  type Host,
} from './settings.js';
import { version } from './version.js';

/** What a command came to: the exit code, and the result in whatever format is asked for. */
export interface Result<F extends string> {
  readonly exit: number;
  /** Told on stderr, unless the format holds them itself. */
  readonly diagnostics: readonly Diagnostic[];
  /** Something may have been changed: whatever goes wrong after it ends in 3. */
  readonly began: boolean;
  render(format: F, look: RenderOptions): string;
}

export interface RenderOptions {
  readonly color: boolean;
  readonly width: number;
  readonly verbose: boolean;
}

export interface Command<F extends string> {
  readonly flags: CommonFlags;
  readonly formats: readonly F[];
  readonly host: Host;
  readonly output: Output;
}

/** Formats whose text holds the diagnostics, so that stderr stays quiet. */
const selfTelling: ReadonlySet<string> = new Set(['json', 'github', 'sarif']);

/** Runs a command and shows what came of it; expected trouble is told, a bug goes on to the caller. */
export async function runCommand<F extends string>(
  command: Command<F>,
  run: () => Promise<Result<F>>,
): Promise<number> {
  const { flags, formats, host, output } = command;
  let format: F | null = null;
  let began = false;
  try {
    format = chooseFormat(flags, formats);
    const further = furtherOutputs(flags, formats);
    for (const { file } of further) checkWritable(resolve(host.cwd, file));
    const result = await run();
    began = result.began;
    if (!selfTelling.has(format)) tell(command, result.diagnostics);
    for (const { format: other, file } of further) {
      await writeAtomic(resolve(host.cwd, file), output.redact(result.render(other, plainLook)));
    }
    output.out(result.render(format, renderOptions(command)));
    return result.exit;
  } catch (failure) {
    if (!(failure instanceof Problem)) throw failure;
    const told = failureIn(format ?? flags.format, output.hidden(failure.diagnostics), host);
    if (told !== null && output.arrives) output.out(told);
    else tell(command, failure.diagnostics);
    return began ? exitCode.incomplete : exitCodeFor(failure.diagnostics) || exitCode.error;
  }
}

/** What went wrong in a format that tells it by itself; null for the others. */
function failureIn(
  format: string | undefined,
  diagnostics: readonly Diagnostic[],
  host: Host,
): string | null {
  if (format === 'json') return jsonText(failureJson(diagnostics));
  if (format === 'github') return diagnosticsGithub(fromRepositoryRoot(diagnostics, host));
  return format === 'sarif' ? jsonText(sarif(fromRepositoryRoot(diagnostics, host), version)) : null;
}

const plainLook: RenderOptions = { color: false, width: defaults.width, verbose: false };

export function renderOptions({ flags, host }: Pick<Command<string>, 'flags' | 'host'>): RenderOptions {
  // Read when it is asked for: what renders no colours need not wait for the streams to be made.
  return {
    get color() {
      return colourWanted(flags, host, host.stdoutIsTerminal);
    },
    get width() {
      return host.columns ?? defaults.width;
    },
    verbose: flags.verbose === true,
  };
}

export function tell(
  { flags, host, output }: Pick<Command<string>, 'flags' | 'host' | 'output'>,
  diagnostics: readonly Diagnostic[],
): void {
  if (diagnostics.length === 0) return;
  const color = colourWanted(flags, host, host.stderrIsTerminal);
  output.err(diagnosticsText(output.hidden(diagnostics), { color, width: host.columns ?? defaults.width }));
}
