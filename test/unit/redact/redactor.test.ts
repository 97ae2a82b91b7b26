import { describe, expect, test } from 'vitest';
import { Redactor, SecretSearch } from '../../../src/redact/redactor.js';

const key = 'svc_live_abcdefghijklmnop';

function searchFor(...secrets: string[]): SecretSearch {
  const search = new SecretSearch();
  search.add(secrets);
  return search;
}

describe('a redactor', () => {
  test('masks what looks like a whole API key in every text and name, and keeps the marks below a line in place', () => {
    const shown = new Redactor().value({
      name: key,
      [key]: [`a ${key}, b`],
      lineText: `name: ${key} # it`,
      count: 7,
    });
    expect(shown).toEqual({
      name: '(sensitive)',
      '(sensitive)': ['a (sensitive), b'],
      lineText: `name: ${'*'.repeat(key.length)} # it`,
      count: 7,
    });
  });

  test('masks a key at any depth, without visiting a level twice', () => {
    const nested = (text: string) => {
      let value: unknown = text;
      for (let level = 0; level < 100; level += 1) value = level % 2 === 0 ? { value } : [value];
      return value;
    };
    expect(new Redactor().value(nested(key))).toEqual(nested('(sensitive)'));
  });

  test('returns a value without keys itself', () => {
    const plan = { changes: [{ name: 'svc_live_abcdef…', digest: 'sha256:0' }], at: new Date(0) };
    expect(new Redactor().value(plan)).toBe(plan);
  });

  test('masks a known key of any form, and shows a key that is printed on purpose', () => {
    const redactor = new Redactor();
    redactor.hide(['another-key']);
    redactor.show(key);
    expect(redactor.text(`${key} another-key ${key}x`)).toBe(`${key} (sensitive) (sensitive)`);
  });
});

describe('a search for secrets', () => {
  const secret = 'pässword/1+"q" \\';
  const bytes = Buffer.from(secret);
  const percentEncoded = (text: string) => Buffer.from(text).toString('hex').replace(/../g, '%$&');
  const before = ['', 'x', 'xy'];

  test.each([
    ['plain', secret],
    ['JSON', JSON.stringify(secret)],
    ['JSON with escapes', '"p\\u00e4ssword/1+\\"q\\" \\\\"'],
    ['JSON with escaped slashes', JSON.stringify(secret).replaceAll('/', '\\/')],
    ['a URL', encodeURIComponent(secret)],
    ['a URL in lower case', encodeURIComponent(secret).replaceAll('%C3%A4', '%c3%a4')],
    ['a form', encodeURIComponent(secret).replaceAll('%20', '+')],
    ['bytes that are all encoded', percentEncoded(secret)],
    ['bytes of which some are encoded', `${percentEncoded(secret.slice(0, 4))}${secret.slice(4)}`],
    [
      'a form with bytes of which some are encoded',
      encodeURIComponent(secret).replace('%20', '+').replace('r', '%72'),
    ],
    ['hexadecimal', bytes.toString('hex')],
    ['HEXADECIMAL', bytes.toString('hex').toUpperCase()],
    ...before.flatMap((text): [string, string][] => [
      [`base64 after ${text.length}`, Buffer.from(text + secret + text).toString('base64')],
      [`base64url after ${text.length}`, Buffer.from(text + secret + text).toString('base64url')],
    ]),
  ])('masks a secret in %s', (_, text) => {
    expect(searchFor(secret).mask(`<${text}>`)).toMatch(/^<[^(]{0,4}\(sensitive\)[^)]{0,5}>$/);
  });

  test('masks no piece of a secret', () => {
    const search = searchFor(key);
    for (const text of [key.slice(0, -1), key.slice(1), bytes.toString('hex'), 'İ abc'])
      expect(search.mask(text)).toBe(text);
  });

  test('masks one secret inside another as one', () => {
    expect(searchFor('12345678', 'x12345678x', '78x90abc').mask('a x12345678x90abc b')).toBe(
      'a (sensitive) b',
    );
    expect(searchFor('12345678', 'x12345678yz').mask('a x12345678yz b')).toBe('a (sensitive) b');
  });

  test('leaves out values that occur by chance', () => {
    expect(searchFor('', '4711', ' '.repeat(20)).mask(`4711${' '.repeat(30)}`)).toBe(`4711${' '.repeat(30)}`);
  });

  test('finds a secret of a megabyte', () => {
    const long = 'a(b'.repeat(350_000);
    expect(searchFor(long).mask(`<${long}>${long.slice(1)}`)).toBe(`<(sensitive)>${long.slice(1)}`);
  });
});
