/** How many characters are kept from the beginning, and from the end, of what git prints about a failure. */
const MOST_CHARACTERS = 4_096;

/** What git prints about a failure: a host may say first why it refuses a push, and git says last that it was refused. */
export class GitReport {
  private first = '';
  private last = '';
  private length = 0;

  add(text: string): void {
    const room = MOST_CHARACTERS - this.first.length;
    this.first += text.slice(0, room);
    this.last = (this.last + text.slice(room)).slice(-MOST_CHARACTERS);
    this.length += text.length;
  }

  /** Without addresses that could hold a password, and without lines that are cut: half of an address could be one. */
  get text(): string {
    const { first, last, length } = this;
    if (length === first.length + last.length) return withoutUsers(first + last);
    const end = last.indexOf('\n');
    return withoutUsers(first.slice(0, first.lastIndexOf('\n') + 1) + (end < 0 ? '' : last.slice(end + 1)));
  }

  /** The last lines, which say what went wrong. */
  get summary(): string {
    const lines = this.text
      .split('\n')
      .map((line) => line.replace(/^(fatal|error|remote): */, '').trim())
      .filter((line) => line !== '' && !line.startsWith('hint:') && !advice.test(line));
    const summary = lines.slice(-4).join('; ');
    return summary === '' ? 'it printed nothing' : summary.slice(0, 500);
  }
}

/** Lines that git adds to every failure to reach a remote. */
const advice =
  /^(Could not read from remote repository|Please make sure you have the correct access|and the repository exists)/;

/** The user of an address may be a token, or have a password. Git shortens URLs; a host may name people and teams. */
function withoutUsers(text: string): string {
  return text
    .split('\n')
    .map((line) => line.replace(/\S+/g, (word) => withoutUser(word, line.startsWith('remote: '))))
    .join('\n');
}

function withoutUser(word: string, isOfHost: boolean): string {
  const [scheme, at] = [word.indexOf('://'), word.lastIndexOf('@')];
  if (at < 0) return word;
  if (scheme >= 0 && scheme < at) return word.slice(0, scheme + 3) + word.slice(at + 1);
  return isOfHost ? word : word.slice(at + 1);
}
