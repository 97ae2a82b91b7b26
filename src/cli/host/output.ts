import { problem } from '../../model/diagnostic.js';
import { Redactor } from '../../redact/redactor.js';
import { writeAll } from './write-all.js';

/** A text, or pieces of one. Each piece must end with a line break, so that no key is split between two writes. */
export type LongText = string | Iterable<string>;

/** Large enough to keep writes few, and small enough to keep the masked and encoded copies small. */
const MIN_PIECE_CHARACTERS = 65_536;

const CLEAR_LINE = '\r\u001b[2K';

/** The only way to the terminal. All text is redacted once more before it is written. */
export class Output {
  readonly redactor = new Redactor();
  /** True when stdout cannot be written: its reader is gone (`| head`), which is not an error, or its disk is full. */
  private closed = false;
  /** Whether the terminal shows a status line that the next output replaces. */
  private showsStatus = false;
  /** Removes the table that stderr shows above the status line; null if it shows none. */
  private eraseTable: (() => string) | null = null;
  private lastWrite = uptimeMs();

  /** False when nothing that is written to stdout arrives. */
  get arrives(): boolean {
    return !this.closed;
  }

  /** How long nothing but a status was written. */
  get quietMs(): number {
    return uptimeMs() - this.lastWrite;
  }

  /** The result of the command. */
  out(text: LongText): void {
    this.clearStatus();
    for (const piece of piecesOf(text)) {
      // Nothing more is laid out for a reader that is gone.
      if (this.closed) return;
      this.write(1, piece);
    }
  }

  /** Everything else: progress, diagnostics, questions. It takes the place of a table, and stays. */
  err(text: LongText): void {
    this.clearStatus();
    let erased = this.eraseTable?.() ?? '';
    this.eraseTable = null;
    for (const piece of piecesOf(text)) {
      this.write(2, `${erased}${piece}`);
      erased = '';
    }
  }

  /** Lines on stderr that the next text on stderr replaces. For terminals only. `erase` goes back to where they begin. */
  table(lines: readonly string[], erase: () => string): void {
    this.err(lines.map((line) => `${line}\n`).join(''));
    if (lines.length > 0) this.eraseTable = erase;
  }

  /** A line that the next output replaces. For terminals only. */
  status(line: string): void {
    this.write(2, `${CLEAR_LINE}${line}`);
    this.showsStatus = true;
  }

  private clearStatus(): void {
    this.lastWrite = uptimeMs();
    if (this.showsStatus) this.write(2, CLEAR_LINE);
    this.showsStatus = false;
  }

  protected send(file: 1 | 2, bytes: Buffer): void {
    writeAll(file, bytes);
  }

  protected write(file: 1 | 2, text: string): void {
    if (text === '' || (file === 1 && this.closed)) return;
    try {
      this.send(file, Buffer.from(this.redactor.text(text)));
    } catch (failure) {
      const code = (failure as NodeJS.ErrnoException).code ?? 'unknown';
      // Without stderr nothing can be reported. Without stdout the result is lost, which must not look like success.
      if (file === 2) return;
      this.closed = true;
      const help = 'Check where stdout is redirected to.';
      if (code !== 'EPIPE') throw problem('unwritable-file', `the output cannot be written: ${code}`, help);
    }
  }
}

export function wholeText(text: LongText): string {
  return typeof text === 'string' ? text : [...text].join('');
}

function* piecesOf(text: LongText): Generator<string> {
  let piece = '';
  for (const each of typeof text === 'string' ? [text] : text) {
    piece += each;
    if (piece.length < MIN_PIECE_CHARACTERS) continue;
    yield piece;
    piece = '';
  }
  yield piece;
}

/** Unlike `performance`, it needs no further module of Node. */
function uptimeMs(): number {
  return process.uptime() * 1000;
}
