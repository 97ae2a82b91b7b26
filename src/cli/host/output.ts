import { problem } from '../../model/diagnostic.js';
import { Redactor } from '../../redact/redactor.js';
import { writeAll } from './write-all.js';

const CLEAR_LINE = '\r\u001b[2K';

/** The only way to the terminal. All text is redacted once more before it is written. */
export class Output {
  readonly redactor = new Redactor();
  /** True when stdout cannot be written: its reader is gone (`| head`), which is no error, or its disk is full. */
  private closed = false;
  /** Whether the terminal shows a status line that the next output replaces. */
  private showsStatus = false;
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

  /** Everything else: progress, diagnostics, questions. */
  err(text: string): void {
    this.clearStatus();
    this.write(2, text);
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

  private write(file: 1 | 2, text: string): void {
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
