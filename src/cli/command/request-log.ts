import type { SessionOptions } from '../../engine/session.js';
import { pauseLine, readingLine, requestLine } from '../../view/text/progress.js';
import type { CommandContext, Host } from '../host/host.js';

const LEAST_PAUSE_MS = 3_000;
const PAUSE_LINE_EVERY_MS = 60_000;
const READING_AFTER_MS = 1_000;
const REDRAW_EVERY_MS = 100;

interface LogContext {
  readonly host: Pick<Host, 'stderrIsTerminal' | 'env'>;
  readonly output: CommandContext['output'];
}

type RequestLog = Pick<SessionOptions, 'onAttempt' | 'onPause'>;

/**
 * Reports requests on stderr: each one with `-v`, and long waits and reads. A terminal shows waits
 * and reads on a line that the next output replaces. A log gets a line per minute of waiting, and nothing about reads.
 */
export function requestLog(
  { verbose }: { readonly verbose?: boolean },
  { host, output }: LogContext,
): RequestLog {
  if (host.stderrIsTerminal && host.env['CI'] === undefined) return terminalLog(verbose === true, output);
  let quietUntil = 0;
  return {
    onAttempt: (event) => {
      if (verbose === true) output.err(`${requestLine(event)}\n`);
    },
    onPause(milliseconds) {
      const now = performance.now();
      if (milliseconds < LEAST_PAUSE_MS || now < quietUntil) return;
      quietUntil = now + PAUSE_LINE_EVERY_MS;
      output.err(`${pauseLine(milliseconds)}.\n`);
    },
  };
}

function terminalLog(verbose: boolean, output: CommandContext['output']): RequestLog {
  let responses = 0;
  let drawnAt = performance.now();
  const draw = (line: string) => {
    drawnAt = performance.now();
    output.status(line);
  };
  return {
    onAttempt(event) {
      if (verbose) return output.err(`${requestLine(event)}\n`);
      if (event.method !== 'GET') return;
      responses += 1;
      // Not while anything else is printed, such as the progress of an apply.
      if (output.quietMs < READING_AFTER_MS || performance.now() - drawnAt < REDRAW_EVERY_MS) return;
      draw(readingLine(responses));
    },
    onPause(milliseconds) {
      if (milliseconds >= LEAST_PAUSE_MS) draw(pauseLine(milliseconds));
    },
  };
}
