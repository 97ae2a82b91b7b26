import type { Diagnostics } from './diagnostics.js';
import { limits } from './limits.js';
import type { Source } from './source.js';
import { tellUnquoted, unquotedCronAt } from './unquoted-cron.js';

/** As the YAML library reports it. */
export interface SyntaxError {
  readonly code: string;
  readonly message: string;
  /** Offsets of the first character and after the last. */
  readonly pos: readonly [number, number];
}

type Words = readonly [message: string, help?: string];

/** What a person is told for each kind of syntax error that the YAML library reports; its own words are never shown. */
const words: Readonly<Record<string, Words>> = {
  ALIAS_PROPS: ['an alias cannot have an anchor or a tag of its own'],
  BAD_ALIAS: ['this alias is not complete', 'An alias is `*` and the name of an anchor.'],
  BAD_COLLECTION_TYPE: ['this tag does not fit the value'],
  BAD_DIRECTIVE: ['directives are not allowed in a manifest', 'Take the line out.'],
  BAD_DQ_ESCAPE: [
    'this is not an escape that YAML knows',
    'Write `\\\\` for a backslash, or use single quotes.',
  ],
  BAD_INDENT: ['the indentation does not fit', 'Lines of one map or list begin in the same column.'],
  BAD_PROP_ORDER: [
    'an anchor or tag stands in the wrong place',
    'Anchors and tags come right before the value.',
  ],
  BAD_SCALAR_START: ['a text cannot begin with this character', 'Put the text in quotes.'],
  BLOCK_AS_IMPLICIT_KEY: [
    'a map cannot begin here',
    'Put the value on a line of its own, or a text with `: ` in it in quotes.',
  ],
  BLOCK_IN_FLOW: ['a block cannot stand inside brackets or braces'],
  DUPLICATE_KEY: ['a key stands twice in this map'],
  IMPOSSIBLE: ['this cannot be read as YAML'],
  KEY_OVER_1024_CHARS: ['a key is longer than 1024 characters'],
  MISSING_CHAR: [
    'a character is missing here',
    'Look for a missing quote, bracket, brace, comma, colon or space.',
  ],
  MULTILINE_IMPLICIT_KEY: ['a key must stand on one line', 'A line of this map may lack its `:`.'],
  MULTIPLE_ANCHORS: ['a value can have one anchor only'],
  MULTIPLE_DOCS: ['another document begins here'],
  MULTIPLE_TAGS: ['a value can have one tag only'],
  NON_STRING_KEY: ['a key must be text'],
  RESOURCE_EXHAUSTION: ['the values are nested too deeply'],
  TAB_AS_INDENT: ['a tab cannot be used for indentation', 'Indent with spaces, here and in all other lines.'],
  TAG_RESOLVE_FAILED: ['this tag is not allowed', 'Write the value without a tag.'],
  UNEXPECTED_TOKEN: ['this was not expected here', 'Look for a quote, bracket or brace too many or too few.'],
};

/**
 * What a code means more exactly, by the library's words. Where these change in a later version of it, the words of
 * the code alone are told, and a test fails.
 */
const finer: readonly (readonly [pattern: RegExp, Words])[] = [
  [/^Missing closing/, ['this quote is not closed', 'Write the same quote at the end of the text.']],
  [/end with a \]$/, ['this list is not closed', 'A `]` is missing.']],
  [/end with a \}$/, ['this map is not closed', 'A `}` is missing.']],
  [
    /^Implicit map keys need to be followed by map values$/,
    ['a `:` is missing after this key', 'Write `key: value`, with a space after the colon.'],
  ],
  [
    /^Missing , /,
    ['a comma is missing before this', 'Values inside brackets and braces stand between commas.'],
  ],
  [
    /^Comments must be separated/,
    ['a space is missing before this comment', 'Write it in quotes if `#` belongs to the text.'],
  ],
];

/**
 * Tells the syntax errors of a file, one a line: what else is wrong in a line mostly follows from the first.
 * `openings` leads from where something ends that is not closed to where it begins: there the mistake is.
 */
export function tellSyntaxErrors(
  source: Source,
  errors: readonly SyntaxError[],
  openings: ReadonlyMap<number, number>,
  told: Diagnostics,
): void {
  const lines = new Set<number>();
  let tabs = false;
  let unclosed = Number.POSITIVE_INFINITY;
  for (const { code, message: said, pos } of errors.slice(0, limits.syntaxErrorsPerFile)) {
    const opening = openings.get(pos[0]);
    // Whoever indents with tabs does so everywhere: one error says it.
    if (tabs && (code === 'TAB_AS_INDENT' || code === 'BAD_INDENT')) continue;
    tabs ||= code === 'TAB_AS_INDENT';
    // What stands around something that is not closed is not closed for that reason alone.
    if (opening !== undefined && opening < unclosed && unclosed !== Number.POSITIVE_INFINITY) continue;
    if (opening !== undefined) unclosed = opening;
    const start = opening ?? pos[0];
    const { line } = source.place(start, start + 1);
    if (lines.has(line)) continue;
    lines.add(line);
    const cron = unquotedCronAt(source.text, start);
    if (cron !== null) {
      tellUnquoted(source, cron, told);
      continue;
    }
    const colon = colonWithoutSpace(source, code, start);
    if (colon !== null) {
      told.error(
        'yaml-syntax',
        { source, start: colon, end: colon + 1 },
        'a space is missing after this colon',
      );
      continue;
    }
    const { message, help } = describeSyntaxError(code, said);
    const end = opening === undefined ? Math.max(pos[1], pos[0] + 1) : opening + 1;
    told.error('yaml-syntax', { source, start, end }, message, { help });
  }
  const next = errors[limits.syntaxErrorsPerFile];
  if (next === undefined) return;
  const span = { source, start: next.pos[0], end: next.pos[0] + 1 };
  told.error(
    'yaml-syntax',
    span,
    'there are more syntax errors than are shown: the file is read no further',
    {
      help: 'Mend the first ones, then run again.',
    },
  );
}

/** Where a line such as `target:agent/a` lacks the space that would make it a key and a value; null for others. */
function colonWithoutSpace({ text }: Source, code: string, start: number): number | null {
  if (code !== 'MULTILINE_IMPLICIT_KEY' && code !== 'MISSING_CHAR') return null;
  const [, key] = /^([A-Za-z][\w.-]*):[^\s:/]/.exec(text.slice(start, start + 300)) ?? [];
  return key === undefined ? null : start + key.length;
}

export function describeSyntaxError(
  code: string,
  said = '',
): { readonly message: string; readonly help: string | undefined } {
  const [, exact] = finer.find(([pattern]) => pattern.test(said)) ?? [];
  const [message, help] = exact ?? words[code] ?? ['this cannot be read as YAML'];
  return { message, help };
}
