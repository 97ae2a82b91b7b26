import { progressText } from '../../view/data/data-text.js';
import type { CommandContext } from '../host/host.js';

/** Between two lines of a terminal, and of a log, in seconds. */
const TERMINAL_SECONDS = 0.1;
const LOG_SECONDS = 10;

type OnProgress = (file: string, bytes: number, total: number | null) => void;

/** Shows how much of a file has arrived, on stderr: in one line of a terminal, seldom in a log. */
export function downloadProgress({ host, output }: CommandContext): OnProgress {
  const isTerminal = host.stderrIsTerminal && host.env['CI'] === undefined;
  if (!isTerminal) return logProgress((line) => output.err(`${output.redactor.value(line)}\n`));
  return atMostEvery(TERMINAL_SECONDS, (line) => output.status(output.redactor.value(line)));
}

/** A line now and then. */
export function logProgress(print: (line: string) => void): OnProgress {
  return atMostEvery(LOG_SECONDS, print);
}

function atMostEvery(seconds: number, print: (line: string) => void): OnProgress {
  let last = process.uptime();
  return (file, bytes, total) => {
    const now = process.uptime();
    if (now - last < seconds) return;
    last = now;
    print(progressText(file, bytes, total));
  };
}
