import { isScalar } from 'yaml';
import {
  type Editable,
  type Edited,
  endOfContent,
  endOfLine,
  flowText,
  isReadAs,
  lineBreakOf,
  nextLine,
  ownObstacle,
  rangeOf,
  startOfLine,
  type TextEdit,
  type YamlPair,
  type YamlValue,
} from './editable.js';
import { FOLD_WIDTH, invisible } from './format.js';

type BlockStyle = '|' | '>';

/** A text on lines of its own: the sign after the colon, and the lines with their indentation. */
interface BlockText {
  readonly sign: string;
  readonly lines: readonly string[];
}

/** A block as the file has it. Columns are numbers of spaces. */
interface WrittenBlock {
  readonly style: BlockStyle;
  readonly sign: string;
  /** The column of its key. */
  readonly outer: number;
  /** The column of its lines. */
  readonly inner: number;
  /** Its lines without their indentation. */
  readonly lines: readonly string[];
}

export function isBlock(node: unknown): boolean {
  return isScalar(node) && (node.type === 'BLOCK_LITERAL' || node.type === 'BLOCK_FOLDED');
}

/**
 * The edits that replace a text in block style. The new one has the style and the indentation of the old one; if that
 * style cannot hold it, each line as it is; else it is written in quotes. A comment beside the sign stays.
 */
export function replaceBlock(pair: YamlPair, value: YamlValue, file: Editable): Edited {
  const { text } = file;
  const found = ownObstacle(pair.value, pair.key, file);
  if (found !== null) return found;
  const start = rangeOf(pair.value)?.[0] ?? 0;
  const from = nextLine(text, start);
  const end = Math.max(from, endOfLine(text, endOfContent(pair.value, start, text)));
  const before = writtenBlock(pair, text, text.slice(from, end));
  const signOf = (written: string): TextEdit => ({ start, end: start + before.sign.length, text: written });
  const isHidden = (found: string) => found !== '\t' && !text.slice(start, end).includes(found);
  const canBeBlock = typeof value === 'string' && !(value.match(invisible) ?? []).some(isHidden);
  const styles: readonly BlockStyle[] = before.style === '>' ? ['>', '|'] : ['|'];
  const block = canBeBlock ? firstOf(styles, (style) => blockText(value, style, before)) : null;
  const keepsBreaks = block?.sign.includes('+') === true;
  const afterLines = end > from ? nextLine(text, end) : from;
  // Empty lines that follow are part of the text.
  const isWhole = before.sign.includes('+') || keepsBreaks;
  const last = isWhole ? afterEmptyLines(text, afterLines) : end;
  if (block === null)
    return [signOf(flowText(value)), { start: from, end: isWhole ? last : afterLines, text: '' }];
  const lineBreak = lineBreakOf(text);
  const isFirst = text[from - 1] !== '\n';
  const isEnded = keepsBreaks || (!isFirst && text[last - 1] === '\n');
  const lines = `${isFirst ? lineBreak : ''}${block.lines.join(lineBreak)}${isEnded ? lineBreak : ''}`;
  return [signOf(block.sign), { start: from, end: last, text: lines }];
}

function afterEmptyLines(text: string, from: number): number {
  let at = from;
  while (at < text.length && text.slice(at, endOfLine(text, at)).trim() === '') at = nextLine(text, at);
  return at;
}

function firstOf<T, R>(items: readonly T[], find: (item: T) => R | null): R | null {
  for (const item of items) {
    const found = find(item);
    if (found !== null) return found;
  }
  return null;
}

function writtenBlock({ key, value }: YamlPair, text: string, content: string): WrittenBlock {
  const [at = 0] = rangeOf(value) ?? [];
  const [sign = '|'] = /^[|>][-+\d]*/.exec(text.slice(at, at + 4)) ?? [];
  const [keyAt = 0] = rangeOf(key) ?? [];
  const outer = keyAt - startOfLine(text, keyAt);
  const width = Number(/\d/.exec(sign)?.[0] ?? 0);
  const spaces = /^ *(?=[^ \r\n])/m.exec(content)?.[0].length ?? outer + 2;
  const inner = width > 0 ? outer + width : spaces;
  const lines = content.split(/\r?\n/).map((line) => line.slice(inner));
  return { style: sign.startsWith('>') ? '>' : '|', sign, outer, inner, lines };
}

/** Null for a text that would not be read as it is. */
function blockText(text: string, style: BlockStyle, before: WrittenBlock): BlockText | null {
  const { sign, outer, inner } = before;
  const content = text.replace(/(?<!\n)\n+$/, '');
  const breaks = text.length - content.length;
  const lines = style === '|' ? content.split('\n') : foldedLines(content, before);
  const width = /^\s/.test(content) || /\d/.test(sign) ? inner - outer : '';
  const made = `${style}${width}${['-', ''][breaks] ?? '+'}`;
  const all = [...lines, ...Array<string>(Math.max(0, breaks - 1)).fill('')];
  const indented = all.map((line) => (line === '' ? '' : ' '.repeat(inner) + line));
  const trial = `${' '.repeat(outer)}k: ${made}\n${indented.join('\n')}\n`;
  return content !== '' && isReadAs(trial, text) ? { sign: made, lines: indented } : null;
}

/** An empty line stands for a line break, and a line break for a space. Paragraphs that stay keep their lines. */
function foldedLines(text: string, { lines, inner }: WrittenBlock): string[] {
  const before = paragraphsOf(lines);
  let index = -1;
  return text.split('\n').flatMap((paragraph, at) => {
    const gap = at === 0 ? [] : [''];
    if (paragraph === '') return gap;
    index += 1;
    const same = before.find((each) => each.join(' ') === paragraph);
    return [...gap, ...(same ?? refolded(paragraph, before[index] ?? [], FOLD_WIDTH - inner))];
  });
}

function paragraphsOf(lines: readonly string[]): string[][] {
  const paragraphs: string[][] = [[]];
  for (const line of lines)
    if (line === '') paragraphs.push([]);
    else paragraphs.at(-1)?.push(line);
  return paragraphs.filter((each) => each.length > 0);
}

/** Lines that somebody has broken by hand stay where the text is the same. */
function refolded(paragraph: string, before: readonly string[], width: number): string[] {
  if (String(filled(before.join(' '), width)) === String(before)) return filled(paragraph, width);
  let rest = paragraph;
  let [first, last] = [0, before.length];
  for (; rest.startsWith(`${before[first]} `); first += 1) rest = rest.slice(`${before[first]} `.length);
  for (; last > first && rest.endsWith(` ${before[last - 1]}`); last -= 1)
    rest = rest.slice(0, -` ${before[last - 1]}`.length);
  return [...before.slice(0, first), ...filled(rest, width), ...before.slice(last)];
}

function filled(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(/(?<=\S) (?=\S)/)) {
    const line = lines.at(-1);
    if (line === undefined || line.length + 1 + word.length > width) lines.push(word);
    else lines[lines.length - 1] = `${line} ${word}`;
  }
  return lines;
}
