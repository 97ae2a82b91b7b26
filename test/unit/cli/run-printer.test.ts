import { expect, test } from 'vitest';
import { runPrinter } from '../../../src/cli/command/run-printer.js';
import type { Host } from '../../../src/cli/host/host.js';
import { Output } from '../../../src/cli/host/output.js';
import type { ServiceRun } from '../../../src/model/run.js';

/** A terminal that knows what the printer sends: lines, cursor up, and erase to the end. */
class Screen extends Output {
  readonly lines: string[] = [''];
  private at = 0;
  /** Lines that left a window of that height can no longer be erased. */
  constructor(private readonly height = Number.POSITIVE_INFINITY) {
    super();
  }

  override err(text: string): void {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these move the cursor.
    for (const piece of text.split(/(\u001b\[\d*[AJ]|\r|\n)/)) this.put(piece);
  }

  private put(piece: string): void {
    const top = Math.max(0, this.lines.length - this.height);
    if (piece.endsWith('A')) this.at = Math.max(top, this.at - Number.parseInt(piece.slice(2), 10));
    else if (piece.endsWith('J')) this.lines.splice(this.at, this.lines.length, '');
    else if (piece === '\n') {
      this.at += 1;
      if (this.at === this.lines.length) this.lines.push('');
    } else if (piece !== '\r') this.lines[this.at] = piece;
  }
}

function printerOn(screen: Screen, rows: number | null = null) {
  const stop = new AbortController();
  const terminal = { stdinIsTerminal: true, stdoutIsTerminal: false, stderrIsTerminal: true };
  const host: Host = { cwd: '/', env: {}, ...terminal, columns: 80, rows };
  return { stop, printer: runPrinter({ color: false }, { host, output: screen, signal: stop.signal }) };
}

const job = (name: string, state: ServiceRun['state'], id = name): ServiceRun => ({
  ...{ address: `agent/${name}`, id, idKind: 'job', state, startedAt: null, finishedAt: null },
  ...{ records: null, errors: null, anomaly: 'none', message: null, members: [] },
});

test('a table that is drawn again replaces the one before, and its end leaves nothing', () => {
  const screen = new Screen();
  const { printer } = printerOn(screen);
  printer.onRuns([job('a', 'running'), job('b', 'running')]);
  printer.note('saved a.csv');
  printer.onRuns([job('a', 'succeeded')]);
  expect(screen.lines).toEqual([
    'saved a.csv',
    'running    agent/b',
    'succeeded  agent/a',
    '1 succeeded, 1 running',
    '',
  ]);
  printer.end();
  expect(screen.lines).toEqual(['saved a.csv', '']);
});

test('what is printed after an interrupt stays, and the table is drawn below it', () => {
  const screen = new Screen();
  const { printer, stop } = printerOn(screen);
  printer.onRuns([job('a', 'running'), job('b', 'running')]);
  stop.abort();
  screen.err('\nInterrupted: waiting.\n');
  printer.onRuns([job('a', 'stopped')]);
  expect(screen.lines).toEqual([
    '',
    'Interrupted: waiting.',
    'running  agent/b',
    'stopped  agent/a',
    '1 stopped, 1 running',
    '',
  ]);
  printer.end();
  expect(screen.lines).toEqual(['', 'Interrupted: waiting.', '']);
});

test('a table is never higher than the terminal, which would keep a copy of each', () => {
  const screen = new Screen(6);
  const { printer } = printerOn(screen, 6);
  const runs = Array.from({ length: 12 }, (_, index) => job(`a-${index}`, 'running'));
  for (let poll = 0; poll < 3; poll += 1) printer.onRuns(runs);
  expect(screen.lines).toHaveLength(6);
  expect(screen.lines.at(-2)).toBe('12 running');
});

test('two runs of one agent are told apart by their ids', () => {
  const screen = new Screen();
  printerOn(screen).printer.onRuns([
    job('a', 'running', '11111111-aaaa'),
    job('a', 'running', '22222222-aaaa'),
    job('b', 'running', '33333333-aaaa'),
  ]);
  expect(screen.lines.slice(0, 3)).toEqual([
    'running  agent/a 11111111',
    'running  agent/a 22222222',
    'running  agent/b',
  ]);
});
