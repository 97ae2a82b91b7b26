import fc from 'fast-check';
import { parseDocument, type Scalar, stringify, visit } from 'yaml';

/** One change of a text. Places are parts of its length, so that an edit fits any text. */
export type Edit =
  | { readonly do: 'insert'; readonly at: number; readonly text: string }
  | { readonly do: 'delete' | 'double' | 'move'; readonly at: number; readonly length: number }
  | { readonly do: 'repeat'; readonly at: number; readonly length: number; readonly times: number }
  | { readonly do: 'flip'; readonly at: number; readonly bit: number }
  | { readonly do: 'replace' | 'rename'; readonly at: number; readonly value: Scalar['value'] };

const fragments = [
  ...[
    '\n',
    '\n\n',
    '  ',
    '\t',
    '- ',
    '? ',
    ': ',
    ':',
    '#',
    '"',
    "'",
    '[',
    ']',
    '{',
    '}',
    ',',
    '|\n',
    '>-\n',
    '~',
  ],
  ...[
    '&a ',
    '*a',
    '<<: *a\n',
    '<<: ',
    '!!str ',
    '!x ',
    '---\n',
    '...\n',
    '%YAML 1.1\n',
    '"\\e"',
    '"\\uD800"',
  ],
  ...[
    '${var.a}',
    '${env.HOME}',
    '${env.ROSTER_API_KEY}',
    '${',
    '$${',
    '}',
    'null',
    'true',
    '1e999',
    '-5',
    '.nan',
  ],
  ...[
    '::error::x',
    '##[error]x',
    '\u001b[2J',
    '\r',
    '\r\n',
    '\u0085',
    '\u2028',
    '\u202e',
    '\u200b',
    '\ufeff',
    '\0',
  ],
  ...[
    '__proto__',
    'constructor',
    'groups',
    'members',
    'x-a',
    'id',
    'name',
    'once',
    'cron',
    'é',
    '👨‍👩‍👧',
    '价格',
  ],
  ...['project: q\n', 'groups: { z: { members: [] } }\n', 'include: ["**/*"]\n', 'vars: { a: "${var.a}" }\n'],
];
const fragment = fc.oneof(fc.constantFrom(...fragments), fc.string({ unit: 'binary', maxLength: 6 }));
const at = fc.double({ min: 0, max: 1, noNaN: true });
const length = fc.oneof(fc.nat(8), fc.nat(400));

const times = fc.oneof(
  { arbitrary: fc.integer({ min: 2, max: 20 }), weight: 9 },
  fc.integer({ min: 2, max: 5_000 }),
);

/** Of the text as such. */
const textual: fc.Arbitrary<Edit> = fc.oneof(
  fc.record({ do: fc.constant('insert' as const), at, text: fragment }),
  fc.record({ do: fc.constantFrom('delete' as const, 'double' as const, 'move' as const), at, length }),
  fc.record({ do: fc.constant('repeat' as const), at, length, times }),
  fc.record({ do: fc.constant('flip' as const), at, bit: fc.nat(7) }),
);

/** Of a value or a key, where the text is YAML. */
const structural: fc.Arbitrary<Edit> = fc.record({
  do: fc.constantFrom('replace' as const, 'rename' as const),
  at,
  value: fc.oneof(fragment, fc.constantFrom(null, true, 0, -1, 1.5, 1e300, Number.NaN, '', 'x'.repeat(300))),
});

export const edits = fc.array(fc.oneof({ arbitrary: textual, weight: 3 }, structural), {
  minLength: 1,
  maxLength: 6,
});

/** Texts grow no further than this. */
const longest = 1_000_000;

export function edited(bytes: Uint8Array, list: readonly Edit[]): Uint8Array {
  return list.reduce(applied, Buffer.from(bytes)).subarray(0, longest);
}

function applied(bytes: Buffer, edit: Edit): Buffer {
  const from = Math.floor(edit.at * bytes.length);
  switch (edit.do) {
    case 'insert':
      return joined(bytes.subarray(0, from), Buffer.from(edit.text), bytes.subarray(from));
    case 'delete':
      return joined(bytes.subarray(0, from), bytes.subarray(from + edit.length));
    case 'double':
      return joined(bytes.subarray(0, from + edit.length), bytes.subarray(from));
    case 'move':
      return joined(bytes.subarray(from), bytes.subarray(0, from));
    case 'repeat':
      return repeated(bytes, from, edit.length, edit.times);
    case 'flip':
      return flipped(bytes, from, edit.bit);
    case 'replace':
    case 'rename':
      return Buffer.from(withValue(bytes.toString(), edit));
    default:
      return edit satisfies never;
  }
}

function joined(...parts: readonly Uint8Array[]): Buffer {
  return Buffer.concat(parts);
}

function repeated(bytes: Buffer, from: number, length: number, times: number): Buffer {
  const part = bytes.subarray(from, from + length);
  const most = Math.min(times, Math.floor(longest / Math.max(1, part.length)));
  return joined(bytes.subarray(0, from), ...Array.from({ length: most }, () => part), bytes.subarray(from));
}

function flipped(bytes: Buffer, from: number, bit: number): Buffer {
  const copy = Buffer.from(bytes);
  const byte = copy[from];
  if (byte !== undefined) copy[from] = byte ^ (1 << bit);
  return copy;
}

function withValue(text: string, edit: Extract<Edit, { do: 'replace' | 'rename' }>): string {
  // A large tree takes the yaml package longer than all that is tested here.
  if (text.length > 20_000) return text;
  const chosen = scalarIn(text, edit);
  if (!chosen?.range) return text;
  const [from, to] = chosen.range;
  return `${text.slice(0, from)}${stringify(edit.value, { blockQuote: false }).trimEnd()}${text.slice(to)}`;
}

function scalarIn(text: string, edit: Extract<Edit, { do: 'replace' | 'rename' }>): Scalar | undefined {
  try {
    const document = parseDocument(text, { logLevel: 'silent', uniqueKeys: false, resolveKnownTags: false });
    // Warnings are about tags, whose values the package cannot always print.
    if (document.errors.length + document.warnings.length > 0) return undefined;
    const scalars: Scalar[] = [];
    visit(document, {
      Scalar: (role, node) => {
        if ((role === 'key') === (edit.do === 'rename')) scalars.push(node);
      },
    });
    return scalars[Math.floor(edit.at * scalars.length)];
  } catch (error) {
    // A deep tree takes the package more stack than there is.
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}
