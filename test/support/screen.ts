const ESCAPE = '\u001b';
/** A control sequence, with its parameter and command, or a character. */
const TOKENS = new RegExp(`${ESCAPE}\\[(\\d*)([A-Za-z])|.`, 'gsu');

/** What a terminal does with the text and the control sequences that roster writes. */
export class Screen {
  /** What has left the window at its top. */
  readonly scrolled: string[] = [];
  private lines: string[] = [''];
  private row = 0;
  private column = 0;

  constructor(
    public columns: number,
    public rows: number,
  ) {}

  /** What a person sees or scrolls back to, without spaces and empty lines at the end. */
  get text(): string {
    const lines = [...this.scrolled, ...this.lines].map((line) => line.trimEnd());
    return `${lines.join('\n').trimEnd()}\n`;
  }

  write(text: string): void {
    for (const [token] of text.matchAll(TOKENS)) this.take(token);
  }

  /** Breaks the longer lines, as most terminals do. The cursor is below all lines. */
  narrow(columns: number): void {
    this.columns = columns;
    const pieces = new RegExp(`.{1,${columns}}`, 'gu');
    this.lines = this.lines.flatMap((line) => line.match(pieces) ?? ['']);
    this.row = this.lines.length - 1;
  }

  private take(token: string): void {
    if (token === '\n') this.lineFeed();
    else if (token === '\r') this.column = 0;
    else if (token.startsWith(ESCAPE)) this.control(token.slice(2, -1), token.at(-1) ?? '');
    else this.put(token);
  }

  private control(parameter: string, command: string): void {
    if (command === 'A') this.row = Math.max(0, this.row - Number(parameter || 1));
    else if (command === 'K' && parameter === '2') this.lines[this.row] = '';
    else if (command !== 'm') throw new Error(`no such sequence here: ${parameter}${command}`);
  }

  private put(character: string): void {
    if (this.column === this.columns) this.lineFeed();
    const line = (this.lines[this.row] ?? '').padEnd(this.column);
    this.lines[this.row] = line.slice(0, this.column) + character + line.slice(this.column + 1);
    this.column += 1;
  }

  private lineFeed(): void {
    this.row += 1;
    this.column = 0;
    if (this.row === this.lines.length) this.lines.push('');
    while (this.lines.length > this.rows) {
      this.scrolled.push(this.lines.shift() ?? '');
      this.row -= 1;
    }
  }
}
