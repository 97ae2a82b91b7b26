import type { YamlUsage } from './context.js';
import { yamlLimits } from './limits.js';
import type { YamlProblem } from './problem.js';
import type { Source, Span } from './source.js';

/** Counts what is read. A file that exceeds a limit is not read any further. */
export class ReadLimits {
  /** The first limit that is passed, and where. */
  problem: YamlProblem | null = null;
  private documents = 0;

  constructor(private readonly usage: YamlUsage) {}

  countDocument(span: () => Span): void {
    this.documents += 1;
    if (this.documents > yamlLimits.documentsPerFile)
      this.refuse(span, `the file contains more than ${yamlLimits.documentsPerFile} documents`);
  }

  countValue(span: () => Span): void {
    this.usage.values += 1;
    if (this.usage.values > yamlLimits.values)
      this.refuse(span, `the project contains more than ${yamlLimits.values} values`, splitHelp);
  }

  countCollection(depth: number, span: () => Span): void {
    this.usage.collections += 1;
    if (this.usage.collections > yamlLimits.collections)
      this.refuse(span, `the project contains more than ${yamlLimits.collections} maps and lists`, splitHelp);
    if (depth < yamlLimits.depth) return;
    const { source, start } = span();
    this.problem ??= tooDeep(source, start);
  }

  /** False for a text that is too long. `length` is that of the text as it is written. */
  checkText(length: number, span: () => Span): boolean {
    if (length > yamlLimits.text) this.problem ??= tooLong(span());
    return length <= yamlLimits.text;
  }

  private refuse(span: () => Span, message: string, help?: string): void {
    this.problem ??= limitProblem(span(), message, help);
  }
}

/** For a text that would take too much memory to parse: a text has no more values than signs that separate them. */
export function tooMany(source: Source): YamlProblem | null {
  const { text } = source;
  if (text.length <= yamlLimits.values) return null;
  let found = 0;
  for (let at = 0; at < text.length; at += 1) {
    const kind = kinds[text.charCodeAt(at)];
    if (kind === SEPARATOR || (kind === SPACED && isSpaced(text, at))) found += 1;
    if (found > yamlLimits.values) {
      const message = `the file contains more than ${yamlLimits.values} separators between values`;
      return limitProblem({ source, start: at, end: at }, message, 'Split it into several files.');
    }
  }
  return null;
}

const SEPARATOR = 1;
const SPACED = 2;
/** By the codes of signs: a table, because each character of a file is looked up. */
const kinds = new Uint8Array(128);
for (const sign of ',[{') kinds[sign.charCodeAt(0)] = SEPARATOR;
for (const sign of '-?:') kinds[sign.charCodeAt(0)] = SPACED;

/** These separate values before white space; a colon does after a quote, too. */
function isSpaced(text: string, at: number): boolean {
  return text.charCodeAt(at + 1) <= 32 || '"\'}]'.includes(text.charAt(at - 1));
}

export function tooDeep(source: Source, offset: number): YamlProblem {
  const message = `values are nested more than ${yamlLimits.depth} levels deep`;
  return limitProblem({ source, start: offset, end: offset + 1 }, message);
}

/** For a text where it begins. */
export function tooLong(span: Span, help = 'Shorten the text.'): YamlProblem {
  return limitProblem(span, `a text is longer than ${yamlLimits.text} characters`, help);
}

const smallerHelp = 'Split the file into smaller ones, or use less nesting.';

function limitProblem({ source, start }: Span, message: string, help = smallerHelp): YamlProblem {
  return { code: 'limit-exceeded', span: { source, start, end: start + 1 }, message, help };
}

const splitHelp = 'Split it into several projects.';
