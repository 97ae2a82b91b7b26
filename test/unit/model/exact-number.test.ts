import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { hashed, valueHasher } from '../../../src/model/digest.js';
import {
  decimalText,
  ExactNumber,
  isInexact,
  isMultiple,
  plainNumber,
  writeJson,
} from '../../../src/model/exact-number.js';
import { canonical, equal, type Json, parseJson, readJson, shownText } from '../../../src/model/json.js';
import { fractionOf, isSameDecimal, notableNumbers, numberText } from '../../support/numbers.js';
import { runs } from '../../support/size.js';

const read = (text: string) => readJson(text) as Json;
const much = { numRuns: runs(500, 50_000) };

/** The text of a JSON value with numbers in any spelling. */
const { value } = fc.letrec<{ value: string }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    numberText(),
    fc.constantFrom('null', 'true', '"1.10"', '"[1.10]"', '"\\"1.0"', '"é"'),
    fc.array(tie('value'), { maxLength: 4 }).map((items) => `[${items.join(',')}]`),
    fc
      .uniqueArray(fc.tuple(fc.constantFrom('a', 'n.0', '1.0', '__proto__'), tie('value')), {
        maxLength: 4,
        selector: ([key]) => key,
      })
      .map((entries) => `{${entries.map(([key, each]) => `${JSON.stringify(key)}:${each}`).join(',')}}`),
  ),
}));

describe('a JSON text', () => {
  test('is read and written digit for digit', () => {
    fc.assert(
      fc.property(value, (text) => {
        expect(writeJson(read(text))).toBe(text);
        expect(writeJson(read(writeJson(read(text), 2)))).toBe(text);
      }),
      much,
    );
  });

  test('is accepted exactly when JSON.parse accepts it, and means the same but for the digits', () => {
    const piece = fc.oneof(
      numberText(),
      fc.constantFrom('[', ']', '{', '}', ':', ',', '"', '"a"', '.', 'e', '-', '+', '0', ' ', '\\', '\u00a0'),
    );
    const text = fc.oneof(fc.array(piece, { maxLength: 7 }), fc.tuple(piece, value, piece));
    fc.assert(
      fc.property(text, (pieces) => {
        const written = pieces.join('');
        let parsed: unknown;
        try {
          parsed = JSON.parse(written);
        } catch {
          expect(parseJson(written)).toBeUndefined();
          return;
        }
        expect(JSON.parse(writeJson(readJson(written)))).toEqual(parsed);
      }),
      much,
    );
  });

  test.each(['{1.0:2}', '{1.0 :2}', '01.0', '1.', '.5', '-', '1.0.0', '[1.0 2.0]', '- 1.0', '1e', '+1.0'])(
    '%s is not JSON',
    (text) => {
      expect(parseJson(text)).toBeUndefined();
    },
  );

  test('that JSON.stringify writes loses no digit either', () => {
    expect(JSON.stringify(read('[1.10,1e400,9007199254740993]'))).toBe('[1.1,"1e400","9007199254740993"]');
  });
});

describe('numbers compare as decimals', () => {
  test.each([
    ['1.0', '1', true],
    ['1e2', '100', true],
    ['-0', '0', true],
    ['0e99999999999999999999', '0', true],
    ['1e99999999999999999999', '1e99999999999999999998', false],
    ['10e99999999999999999998', '1e99999999999999999999', true],
    ['9007199254740993', '9007199254740992', false],
    ['1e-400', '0', false],
    ['1e400', '1e401', false],
    ['0.1', '0.1000000000000000055511151231257827', false],
  ])('%s and %s: %s', (one, other, isEqual) => {
    expect(equal(read(one), read(other))).toBe(isEqual);
    const { inputs } = { inputs: (text: string) => ({ a: [read(text)] }) };
    expect(equal(inputs(one), inputs(other))).toBe(isEqual);
    const hasher = valueHasher({ project: 'p', environment: null, service: 's', account: null });
    expect(hashed(read(one), hasher) === hashed(read(other), hasher)).toBe(isEqual);
  });

  test('as fractions of whole numbers do', () => {
    fc.assert(
      fc.property(numberText(), numberText(), fc.nat(3), (one, other, zeros) => {
        expect(equal(read(one), read(other))).toBe(isSameDecimal(one, other));
        const [mantissa = '', ...rest] = one.split(/(?=e)/i);
        const longer = `${mantissa}${mantissa.includes('.') ? '' : '.'}0${'0'.repeat(zeros)}${rest.join('')}`;
        expect(equal(read(one), read(longer))).toBe(true);
      }),
      much,
    );
  });

  test('a double has the canonical text that it always had', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (each) => {
        expect(decimalText(String(each))).toBe(JSON.stringify(each));
        expect(canonical(read(each.toExponential()))).toBe(canonical(each));
      }),
      much,
    );
  });

  test('only a number that a double writes otherwise is kept apart, and shown as it is written', () => {
    fc.assert(
      fc.property(numberText(), (text) => {
        const found = read(text);
        expect(found instanceof ExactNumber).toBe(String(Number(text)) !== text);
        expect(shownText(found)).toBe(text);
        expect(String(found)).toBe(text);
        const isHeld = Number.isFinite(Number(text)) && isSameDecimal(text, String(Number(text)));
        expect(typeof plainNumber(found) === 'number').toBe(isHeld);
        expect(isInexact(text)).toBe(!isHeld);
      }),
      much,
    );
  });
});

describe('a multiple is one of decimals', () => {
  test.each([
    ['19.99', '0.01', true],
    ['4503599627370497.5', '1', false],
    ['4503599627370497.5', '0.5', true],
    ['0.3', '0.1', true],
    ['1.1', '0.1', true],
    ['0.07', '0.01', true],
    ['1.005', '0.001', true],
    ['1.005', '0.01', false],
    ['-19.99', '0.01', true],
    ['0', '0.01', true],
    ['1e-7', '1e-8', true],
    ['1e-8', '1e-7', false],
    ['1e300', '7', false],
    ['7e300', '7', true],
    ['1e21', '3', false],
    ['9007199254740993', '2', false],
    ['1e999999999999', '0.3', false],
    ['3e999999999999', '0.3', true],
    ['1e-999999999999', '1', false],
  ])('%s of %s: %s', (each, divisor, expected) => {
    expect(isMultiple(each, divisor)).toBe(expected);
  });

  test('as the remainder of whole numbers says', () => {
    const positive = numberText().filter(
      (text) => !text.startsWith('-') && /[1-9]/.test(text.split(/e/i)[0] ?? ''),
    );
    fc.assert(
      fc.property(numberText(), positive, (each, divisor) => {
        const [[a, b], [c, d]] = [fractionOf(each), fractionOf(divisor)];
        expect(isMultiple(each, divisor)).toBe((a * d) % (b * c) === 0n);
      }),
      much,
    );
  });
});

test('notable numbers are numbers of JSON', () => {
  for (const text of notableNumbers) expect(() => JSON.parse(text)).not.toThrow();
});
