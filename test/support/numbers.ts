import fc from 'fast-check';

/** Numbers at the limits of doubles, and in other spellings than JavaScript's. */
export const notableNumbers = [
  ...['0', '-0', '0.0', '-0e7', '1', '1.0', '1.10', '1e2', '100', '1E+2', '12e4', '1e21', '1e-7', '0.000001'],
  ...['9007199254740991', '9007199254740992', '9007199254740993', '9007199254740993.0', '9007199254740993e0'],
  ...[
    '12345678901234567890',
    '1.2345678901234567890e19',
    '0.1',
    '0.1234567890123456789',
    '4503599627370497.5',
  ],
  ...['1e400', '-1e400', '1e-400', '5e-324', '2e-324', '1.7976931348623157e308', '1.7976931348623159e308'],
] as const;

/** The text of a number of JSON. */
export function numberText(): fc.Arbitrary<string> {
  const digits = (maxLength: number) =>
    fc.array(fc.oneof(fc.constant(0), fc.nat(9)), { minLength: 1, maxLength }).map((list) => list.join(''));
  const whole = fc.oneof(
    fc.constant('0'),
    digits(24).map((text) => text.replace(/^0+(?=.)/, '')),
  );
  const fraction = fc.oneof(
    fc.constant(''),
    digits(22).map((text) => `.${text}`),
  );
  const exponent = fc.oneof(
    { weight: 3, arbitrary: fc.constant('') },
    fc
      .tuple(fc.constantFrom('e', 'E'), fc.constantFrom('', '-', '+'), fc.nat(420))
      .map((parts) => parts.join('')),
  );
  const made = fc.tuple(fc.constantFrom('', '-'), whole, fraction, exponent).map((parts) => parts.join(''));
  return fc.oneof({ weight: 3, arbitrary: made }, fc.constantFrom(...notableNumbers));
}

/** A fraction of whole numbers: what a decimal is. */
export function fractionOf(text: string): readonly [bigint, bigint] {
  const [mantissa = '', exponent = '0'] = text.split(/e/i);
  const [whole = '', fraction = ''] = mantissa.split('.');
  const power = BigInt(exponent.replace('+', '')) - BigInt(fraction.length);
  const digits = BigInt(whole.replace('-', '') + fraction) * (text.startsWith('-') ? -1n : 1n);
  return power < 0n ? [digits, 10n ** -power] : [digits * 10n ** power, 1n];
}

/** Whether two decimals are equal, by whole numbers alone. */
export function isSameDecimal(one: string, other: string): boolean {
  const [[a, b], [c, d]] = [fractionOf(one), fractionOf(other)];
  return a * d === c * b;
}
