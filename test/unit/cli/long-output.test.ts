import { expect, it } from 'vitest';
import { Output } from '../../../src/cli/host/output.js';
import { MASK } from '../../../src/model/words.js';

const line = 'schedule/prices  every 2 hours\n';
const key = `svc_live_${'a1B2'.repeat(8)}`;
const ERASE = '\u001b[2A';

/** Keeps what reaches the terminal. */
class Sent extends Output {
  readonly pieces: string[] = [];

  constructor(private readonly failure: string | null = null) {
    super();
  }

  protected override send(_file: 1 | 2, bytes: Buffer): void {
    this.pieces.push(bytes.toString());
    if (this.failure !== null) throw Object.assign(new Error(this.failure), { code: this.failure });
  }
}

/** Counts the lines that are asked for. */
function* counted(lines: readonly string[], asked: string[]): Generator<string> {
  for (const each of lines) {
    asked.push(each);
    yield each;
  }
}

const lines = Array.from({ length: 10_000 }, (_, index) => (index % 100 === 0 ? `key ${key}\n` : line));

it('a long text is written in pieces that end at line breaks, and keys in every piece are masked', () => {
  const output = new Sent();
  output.out(lines);
  expect(output.pieces.length).toBeGreaterThan(2);
  expect(output.pieces.length).toBeLessThan(lines.length / 100);
  for (const piece of output.pieces) expect(piece).toMatch(/\n$/);
  expect(output.pieces.join('')).toBe(lines.join('').replaceAll(key, MASK));
});

it('a single string is written in one piece', () => {
  const output = new Sent();
  output.err(line.repeat(10_000));
  expect(output.pieces).toEqual([line.repeat(10_000)]);
});

it('a long text on stderr erases the table above it once', () => {
  const output = new Sent();
  output.table(['a', 'b'], () => ERASE);
  output.err(lines);
  expect(output.pieces.slice(1).join('').split(ERASE)).toEqual(['', expect.stringContaining(line)]);
});

it('nothing more is made or written once the reader of stdout is gone', () => {
  const output = new Sent('EPIPE');
  const asked: string[] = [];
  output.out(counted(lines, asked));
  expect(output.pieces).toHaveLength(1);
  expect(asked.length).toBeLessThan(lines.length / 2);
  expect(output.arrives).toBe(false);
});
