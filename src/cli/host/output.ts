import { problem } from '../../model/diagnostic.js';
import { Redactor } from '../../redact/redactor.js';
import { writeAll } from './write-all.js';

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
  out(text: string): void {
    this.clearStatus();
    this.write(1, text);
  }

  /** Everything else: progress, diagnostics, questions. It takes the place of a table, and stays. */
  err(text: string): void {
    this.clearStatus();
    const erased = this.eraseTable?.() ?? '';
    this.eraseTable = null;
    this.write(2, `${erased}${text}`);
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

  protected write(file: 1 | 2, text: string): void {
    if (text === '' || (file === 1 && this.closed)) return;
    try {
      writeAll(file, Buffer.from(this.redactor.text(text)));
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

/** Unlike `performance`, it needs no further module of Node. */
function uptimeMs(): number {
  return process.uptime() * 1000;
}
