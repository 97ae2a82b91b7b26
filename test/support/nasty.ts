import fc from 'fast-check';

/** Any text, with frequent parts that are dangerous in some format. */
export const nasty = fc
  .array(
    fc.oneof(
      fc.string({ unit: 'binary', maxLength: 12 }),
      fc.string({ unit: 'grapheme', maxLength: 12 }),
      fc.constantFrom(
        '\n',
        '\r\n',
        '::error::',
        '\n::set-output name=a::b',
        '##[error]',
        '##vso[task.x]',
        '\u001b[2J',
        '\u202e',
      ),
      fc.constantFrom(
        '`',
        '```',
        '<!--',
        '-->',
        '</details>',
        '@everyone',
        '#1',
        '[a](b)',
        '|',
        '\\',
        '"',
        '&amp;',
        '\u200b',
        ' ',
      ),
      fc.constantFrom(
        'https://evil.example',
        'www.evil.example',
        'me@evil.example',
        'acme/repo#2',
        'GH-1',
        '![x](y)',
        ':tada:',
        '[^1]',
        '**b**',
        '\n# h',
        '\n- [ ] x',
        '0123abcd',
        '$x$',
        '[!NOTE]',
        '"]:::updated',
      ),
    ),
    { maxLength: 8 },
  )
  .map((parts) => parts.join(''));
