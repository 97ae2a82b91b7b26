import { checkWritable, writeAtomic } from '../../files/atomic.js';
import { type Diagnostic, Problem } from '../../model/diagnostic.js';
import { diagnosticsText } from '../../view/text/diagnostics-text.js';
import { type CommandContext, defaultWidth, type Host, useColor } from '../host/host.js';
import { linksFor } from '../host/links.js';
import { wholeText } from '../host/output.js';
import type { CommandResult, CommonFlags, Definition, RenderOptions, RunContext } from './command.js';
import { exitCode, exitCodeFor } from './exit.js';
import { chooseFormat, furtherOutputs } from './flags.js';

/** Formats that include the diagnostics, so that stderr stays empty. */
const withDiagnostics: ReadonlySet<string> = new Set(['json', 'github', 'sarif']);

/** Runs a command and prints its result. A Problem is reported; a bug is thrown. Returns the exit code. */
export async function runCommand<F extends string>(
  { formats, page }: { readonly formats: readonly F[]; readonly page?: Definition['page'] },
  flags: CommonFlags,
  given: CommandContext,
  run: (context: RunContext) => Promise<CommandResult<F>>,
): Promise<number> {
  const { host, output } = given;
  let format: F | null = null;
  let further: { format: F; path: string }[] = [];
  let began = false;
  const begin = () => {
    began = true;
  };
  const context: RunContext = { ...given, page, begin };
  try {
    format = chooseFormat(flags, formats);
    further = furtherOutputs(flags, formats, host.cwd);
    for (const { path } of further) checkWritable(path);
    const result = await run(context);
    await deliver(result, { format, further, flags, context });
    return result.exit ?? exitCodeFor(result.diagnostics ?? [], began);
  } catch (failure) {
    if (!(failure instanceof Problem)) {
      if (!began) throw failure;
      (await import('./usage.js')).reportBug(failure, ['--format', format ?? ''], output);
      return exitCode.incomplete;
    }
    const reasons = context.signal.aborted && !began ? ofInterrupt(failure) : failure.diagnostics;
    const failed = { flags, context, diagnostics: reasons };
    const { failureIn, writeFailure } = await import('./failure.js');
    const unwritten = await writeFailure(further, failed);
    const diagnostics = [...reasons, ...unwritten];
    const shownIn = format ?? flags.format;
    const text = output.arrives ? failureIn(shownIn, { ...failed, diagnostics }) : null;
    if (text !== null) output.out(text);
    if (text === null || !withDiagnostics.has(shownIn ?? '')) printDiagnostics(diagnostics, flags, context);
    return exitCodeFor(diagnostics, began) || exitCode.error;
  }
}

/** Reads that an interrupt cuts off fail as if the service or the CI host had not answered. */
function ofInterrupt({ diagnostics }: Problem): readonly Diagnostic[] {
  if (!diagnostics.every(({ code }) => code === 'service-error' || code === 'ci-host-error'))
    return diagnostics;
  return [{ severity: 'error', code: 'interrupted', message: 'interrupted: nothing was changed' }];
}

interface ResultPrinting<F> {
  readonly format: F;
  readonly further: readonly { readonly format: F; readonly path: string }[];
  readonly flags: CommonFlags;
  readonly context: CommandContext;
}

async function deliver<F extends string>(
  { diagnostics = [], diagnosticsLast, render }: CommandResult<F>,
  { format, further, flags, context }: ResultPrinting<F>,
): Promise<void> {
  const { host, output } = context;
  const shown = withDiagnostics.has(format) ? [] : diagnostics;
  const verbose = flags.verbose === true;
  if (diagnosticsLast !== true) printDiagnostics(shown, flags, context);
  try {
    for (const { format: other, path } of further)
      await writeAtomic(path, output.redactor.text(wholeText(await render[other]({ ...plain, verbose }))));
    output.out(await render[format](renderOptions(flags, host)));
  } finally {
    // Also when a file cannot be written.
    if (diagnosticsLast === true) printDiagnostics(shown, flags, context);
  }
}

const plain: RenderOptions = { color: false, width: defaultWidth, verbose: false, breaksRows: false };

export function renderOptions(
  flags: CommonFlags,
  host: Host,
  stream: 'stdout' | 'stderr' = 'stdout',
): RenderOptions {
  const isTerminal = stream === 'stdout' ? host.stdoutIsTerminal : host.stderrIsTerminal;
  return {
    color: useColor(flags, host, isTerminal),
    width: host.columns ?? defaultWidth,
    breaksRows: isTerminal,
    verbose: flags.verbose === true,
    linkOf: linksFor(flags, host, isTerminal),
  };
}

export function printDiagnostics(
  diagnostics: readonly Diagnostic[],
  flags: CommonFlags,
  { host, output }: CommandContext,
): void {
  if (diagnostics.length === 0) return;
  const color = useColor(flags, host, host.stderrIsTerminal);
  const width = host.columns ?? defaultWidth;
  const verbose = flags.verbose === true;
  const linkOf = linksFor(flags, host, host.stderrIsTerminal);
  output.err(diagnosticsText(output.redactor.value(diagnostics), { color, width, verbose, linkOf }));
}
