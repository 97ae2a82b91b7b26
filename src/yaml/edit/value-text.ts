import { escapeOf, invisible } from '../format/scalar-style.js';
import { plainValue } from '../library.js';

/** A value to write. */
export type YamlValue =
  | null
  | string
  | number
  | boolean
  | readonly YamlValue[]
  | { readonly [key: string]: YamlValue };

export type Quoting = 'plain' | 'single' | 'double';

/** Longer lists and maps are written on several lines. */
const LINE_WIDTH = 100;

/** Words without anything that YAML gives a meaning to, wherever they are. */
const words = /^\p{L}[\p{L}\p{M}\p{N}_./+@*()-]*(?: [\p{L}\p{M}\p{N}_./+@*()&-]+)*$/u;
/** `6 hours` */
const quantity = /^\d+ [a-z]+$/;
/** YAML 1.2 has no times: it is a text. */
const localTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?$/;
/** What parsers of some YAML version read as a boolean or null. */
const reserved = /^(?:y|n|yes|no|on|off|true|false|null)$/i;

function isPlain(text: string, isFlow: boolean): boolean {
  if (text.search(invisible) !== -1 || reserved.test(text) || plainValue(text) !== text) return false;
  return words.test(text) || quantity.test(text) || (!isFlow && localTime.test(text));
}

/** A text on one line: in the quotes that are asked for where they can hold it. */
export function textScalar(text: string, quoting: Quoting = 'plain', isFlow = true): string {
  if (quoting === 'plain' && isPlain(text, isFlow)) return text;
  const isSimple = text.search(invisible) === -1 && !text.includes('\n');
  if (quoting === 'single' && isSimple) return `'${text.replaceAll("'", "''")}'`;
  return JSON.stringify(text).replace(invisible, escapeOf);
}

/** Any value on one line. */
export function flowText(value: YamlValue, isFlow = true): string {
  if (typeof value === 'string') return textScalar(value, 'plain', isFlow);
  if (typeof value !== 'object' || value === null) return String(value);
  if (Array.isArray(value)) return `[${value.map((each) => flowText(each)).join(', ')}]`;
  const pairs = Object.entries(value).map(([key, each]) => `${textScalar(key)}: ${flowText(each)}`);
  return pairs.length === 0 ? '{}' : `{ ${pairs.join(', ')} }`;
}

/** `key: value` with this indentation: on one line where it fits. */
export function pairLines(key: string, value: YamlValue, indent: string): string[] {
  const label = `${indent}${textScalar(key)}:`;
  const block = typeof value === 'string' ? literalLines(value, indent) : null;
  if (block !== null) return [`${label} ${block.sign}`, ...block.lines];
  const line = `${label} ${flowText(value, false)}`;
  if (typeof value !== 'object' || value === null || line.length <= LINE_WIDTH) return [line];
  const inner = `${indent}  `;
  if (Array.isArray(value)) return [label, ...value.map((each) => `${inner}- ${flowText(each, false)}`)];
  return [label, ...Object.entries(value).flatMap(([name, each]) => pairLines(name, each, inner))];
}

/** Several lines as a block; null for what a block would not show as it is. */
function literalLines(text: string, indent: string): { sign: string; lines: string[] } | null {
  const ended = text.endsWith('\n');
  const lines = (ended ? text.slice(0, -1) : text).split('\n');
  const isShown = lines.every((line) => !/^\s|\s$/.test(line) && line.search(invisible) === -1);
  if (lines.length === 1 || !isShown || lines.at(-1) === '' || lines[0] === '') return null;
  const sign = ended ? '|' : '|-';
  return { sign, lines: lines.map((line) => (line === '' ? '' : `${indent}  ${line}`)) };
}
