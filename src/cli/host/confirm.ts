import { createInterface } from 'node:readline/promises';
import type { Confirmation } from '../../engine/reviewed-run.js';
import { problem } from '../../model/diagnostic.js';
import type { Host } from './host.js';

/** Asks on stderr, because stdout is for the result. Any answer except `accepted` means no, and so does the end of the input. */
export async function confirm(question: string, accepted = 'yes'): Promise<Confirmation> {
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  const ended = new Promise<Confirmation>((resolve) => {
    // On a terminal, the line editor handles Ctrl-C: the process gets no signal.
    lines.once('SIGINT', () => {
      process.stderr.write('\n');
      resolve('interrupted');
    });
    lines.once('close', () => resolve('no'));
  });
  try {
    const asked = lines.question(question).then((line): Confirmation => (line === accepted ? 'yes' : 'no'));
    return await Promise.race([asked, ended]);
  } finally {
    lines.close();
  }
}

/** Asks before files are written, where their differences have been shown. Throws a Problem unless the answer is yes. */
export async function confirmFiles(
  question: string,
  refusal: string,
  { stdinIsTerminal }: Host,
): Promise<void> {
  if (!stdinIsTerminal)
    throw problem('not-confirmed', refusal, 'Use `--yes`, or review the changes with `--format diff` first.');
  const answer = await confirm(`${question}Write the files? Only 'yes' will be accepted: `);
  if (answer !== 'yes') throw problem('not-confirmed', 'Cancelled. Nothing was written.');
}

/** Without a terminal, what would be done has been shown: that is a dry run. */
export function confirmOrRefuse(question: string, { stdinIsTerminal }: Host): Promise<Confirmation> {
  if (stdinIsTerminal) return confirm(`${question}\nOnly 'yes' will be accepted: `);
  throw problem('not-confirmed', 'there is no terminal to ask for confirmation', 'Use `--yes`.');
}
