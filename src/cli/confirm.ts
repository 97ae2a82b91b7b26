import { createInterface } from 'node:readline/promises';

export type Answer = 'yes' | 'no' | 'interrupted';

/** Asks on stderr, so that stdout holds the result alone. Anything but `yes` is a no; so is the end of the input. */
export async function confirm(question: string): Promise<Answer> {
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  const ended = new Promise<Answer>((resolve) => {
    // On a terminal the line editor takes Ctrl-C: no signal reaches the process.
    lines.once('SIGINT', () => {
      process.stderr.write('\n');
      resolve('interrupted');
    });
    lines.once('close', () => resolve('no'));
  });
  try {
    const asked = lines.question(question).then((line): Answer => (line === 'yes' ? 'yes' : 'no'));
    return await Promise.race([asked, ended]);
  } finally {
    lines.close();
  }
}
