export interface Words {
  readonly message: string;
  readonly help?: string | undefined;
}

/** What a person is told for each kind of syntax error that the YAML library reports; its own words are never shown. */
const words: Readonly<Record<string, readonly [message: string, help?: string]>> = {
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
  BLOCK_IN_FLOW: [
    'this cannot stand inside brackets or braces',
    'Look for a comma that is missing before it, or put a text with `: ` in it in quotes.',
  ],
  CLOSED_TOO_EARLY: [
    'this closing sign is not indented enough',
    'Indent its line further than the one that holds the opening sign.',
  ],
  CLOSES_NOTHING: ['this closes nothing that is open', 'Take it out, or write the opening sign before it.'],
  DUPLICATE_KEY: ['a key stands twice in this map'],
  IMPOSSIBLE: ['this cannot be read as YAML'],
  KEY_OVER_1024_CHARS: ['a key is longer than 1024 characters'],
  MISSING_CHAR: [
    'a character is missing here',
    'Look for a missing quote, bracket, brace, comma, colon or space.',
  ],
  MULTILINE_IMPLICIT_KEY: [
    'this line is no `key: value`',
    'A `:` is missing, or the line belongs to a text: then indent it further.',
  ],
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
const finer: readonly (readonly [pattern: RegExp, message: string, help: string])[] = [
  [/^Unexpected ,/, 'this comma is too many', 'Take it out, or write the value that is missing before it.'],
  [/^Missing closing/, 'this quote is not closed', 'Write the same quote at the end of the text.'],
  [/end with a \]$/, 'this list is not closed', 'A `]` is missing.'],
  [/end with a \}$/, 'this map is not closed', 'A `}` is missing.'],
  [
    /^Implicit map keys need to be followed by map values$/,
    'a `:` is missing after this key',
    'Write `key: value`, with a space after the colon.',
  ],
  [
    /^Missing , /,
    'a comma is missing before this',
    'Values inside brackets and braces stand between commas.',
  ],
  [
    /^Implicit keys of flow/,
    'a key must stand on one line',
    'Look for a bracket, brace or comma that is missing before it.',
  ],
  [
    /^Sequence item without/,
    'this line is no list item',
    'Begin it with `- `, or indent it as the lines of the map that it belongs to.',
  ],
  [
    /^Comments must be separated/,
    'a space is missing before this comment',
    'Write it in quotes if `#` belongs to the text.',
  ],
];

export function describeSyntaxError(code: string, said = ''): Words {
  const exact = finer.find(([pattern]) => pattern.test(said))?.slice(1) as [string, string] | undefined;
  const [message, help] = exact ?? words[code] ?? ['this cannot be read as YAML'];
  return { message, help };
}
