/**
 * Finds what is wrong in a text that is not JSON. `JSON.parse` says it differently in each version of Node, and often without
 * a place.
 */

export interface SyntaxFault {
  readonly offset: number;
  /** At least 1; may reach beyond the text, at its end. */
  readonly length: number;
  /** The end of "the file is not JSON: …". */
  readonly what: string;
  readonly help: string;
}

/** The first fault. Null for a text that is JSON. */
export function syntaxFault(text: string): SyntaxFault | null {
  return new Scanner(text).find();
}

/** What comes next. */
type State = 'value' | 'first value' | 'key' | 'first key' | 'colon' | 'next' | 'end';

const WORD = /[^\s,:[\]{}"'/#]+/y;
const SCALAR = /^(true|false|null|-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?)$/;
const SPACE = /[ \t\r\n]*/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;
/** In a string: its end, an escape, or a control character. */
const SPECIAL = /["\\]|[^ -\uFFFF]/g;
const MOST_SHOWN = 30;

/** Has no recursion: a text may be nested deeply. */
class Scanner {
  private at = 0;
  private state: State = 'value';
  private readonly open: ('{' | '[')[] = [];
  /** Where the last comma is. */
  private comma = 0;

  constructor(private readonly text: string) {}

  find(): SyntaxFault | null {
    const { text } = this;
    if (text.startsWith('\uFEFF'))
      return this.fault('it begins with a byte order mark', 'Save it as UTF-8 without one.');
    if (text.trim() === '') return this.fault('it is empty', 'Write an object, such as { }.');
    for (;;) {
      this.at += this.match(SPACE)?.length ?? 0;
      const char = text[this.at];
      if (char === undefined) return this.state === 'end' ? null : this.truncated();
      const fault = char === '/' || char === '#' ? this.comment() : this.step(char);
      if (fault !== null) return fault;
    }
  }

  private step(char: string): SyntaxFault | null {
    switch (this.state) {
      case 'first value':
        return char === ']' ? this.close() : this.value(char);
      case 'value':
        return char === ']' && this.open.at(-1) === '[' ? this.trailingComma() : this.value(char);
      case 'first key':
        return char === '}' ? this.close() : this.key(char);
      case 'key':
        return char === '}' ? this.trailingComma() : this.key(char);
      case 'colon':
        if (char !== ':') return this.fault('a colon is missing before this', 'Write "name": value.');
        return this.move('value');
      case 'next':
        return this.next(char);
      case 'end':
        return this.fault('there is more after its end', 'Remove it, or an earlier bracket.');
    }
  }

  private value(char: string): SyntaxFault | null {
    if (char === '{' || char === '[') {
      this.open.push(char);
      return this.move(char === '{' ? 'first key' : 'first value');
    }
    if (char === '"') return this.string() ?? this.finish();
    const word = this.match(WORD);
    if (word === null) return this.unexpected(char, 'a value');
    if (!SCALAR.test(word)) return this.badWord(word);
    this.at += word.length;
    return this.finish();
  }

  private key(char: string): SyntaxFault | null {
    if (char === '"') {
      const fault = this.string();
      this.state = 'colon';
      return fault;
    }
    const word = this.match(WORD);
    if (word === null) return this.unexpected(char, 'a property');
    return this.fault('the name of a property is not in double quotes', 'Add the quotes.', word.length);
  }

  private next(char: string): SyntaxFault | null {
    const isObject = this.open.at(-1) === '{';
    if (char === (isObject ? '}' : ']')) return this.close();
    if (char === ',') {
      this.comma = this.at;
      return this.move(isObject ? 'key' : 'value');
    }
    if (char === '}' || char === ']')
      return this.unexpected(char, isObject ? '} or a comma' : '] or a comma');
    return this.fault('a comma is missing before this', 'Add it.');
  }

  private string(): SyntaxFault | null {
    const start = this.at;
    for (SPECIAL.lastIndex = start + 1; ; SPECIAL.lastIndex = this.at) {
      const special = SPECIAL.exec(this.text);
      if (special === null || /[\r\n]/.test(special[0])) {
        const length = (special?.index ?? this.text.length) - start;
        this.at = start;
        return this.fault('a string does not end on its line', 'Add a double quote.', length);
      }
      this.at = special.index;
      if (special[0] === '"') return this.past(1);
      if (special[0] !== '\\')
        return this.fault('a string contains a control character', 'Write it as an escape, such as \\t.');
      const escaped = this.match(ESCAPE);
      if (escaped === null)
        return this.fault('a string contains an unknown escape', 'Write a backslash as \\\\.', 2);
      this.at += escaped.length;
    }
  }

  private close(): null {
    this.open.pop();
    this.at += 1;
    return this.finish();
  }

  /** After a value. */
  private finish(): null {
    this.state = this.open.length === 0 ? 'end' : 'next';
    return null;
  }

  /** Over one character. */
  private move(state: State): null {
    this.state = state;
    return this.past(1);
  }

  private past(length: number): null {
    this.at += length;
    return null;
  }

  private match(pattern: RegExp): string | null {
    pattern.lastIndex = this.at;
    return pattern.exec(this.text)?.[0] ?? null;
  }

  private trailingComma(): SyntaxFault {
    this.at = this.comma;
    return this.fault('a comma follows the last entry', 'Remove the comma.');
  }

  private comment(): SyntaxFault {
    return this.fault('it has a comment, or a slash or # outside of a string', 'Remove it.');
  }

  private truncated(): SyntaxFault {
    const [what, sign] = this.open.at(-1) === '[' ? ['an array', ']'] : ['an object', '}'];
    return this.fault(`it ends within ${what}`, `Add what is missing, such as ${sign}.`);
  }

  private unexpected(char: string, expected: string): SyntaxFault {
    if (char === "'") return this.fault('it has a single quote', 'Use double quotes.');
    const code = char.charCodeAt(0);
    const shown = code > 32 && code < 127 ? char : `U+${code.toString(16).toUpperCase().padStart(4, '0')}`;
    return this.fault(`${shown} is in the place of ${expected}`, 'Correct the syntax.');
  }

  private badWord(word: string): SyntaxFault {
    const shown = word.length > MOST_SHOWN ? `${word.slice(0, MOST_SHOWN)}…` : word;
    const help = 'Use true, false, null, a number such as 0.5, or a text in double quotes.';
    return this.fault(`${shown} is not a value`, help, word.length);
  }

  private fault(what: string, help: string, length = 1): SyntaxFault {
    return { offset: this.at, length, what, help };
  }
}
