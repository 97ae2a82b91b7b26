/**
 * A number as it was written, where a double would not be written in the same way: `9007199254740993`, `1e400`, `1.10`.
 * Numbers are compared as decimals, so that `1.10` equals `1.1`, and shown, saved and sent with these digits.
 */
export class ExactNumber {
  constructor(
    /** A number of JSON. */
    readonly text: string,
  ) {}

  /** The nearest double: for calculations, and infinite where the number is too large. */
  valueOf(): number {
    return Number(this.text);
  }

  toString(): string {
    return this.text;
  }

  /**
   * For `writeJson`, the digits with a mark. For any other `JSON.stringify`, a number if a double is that number, or else
   * the digits as text: no digit is lost.
   */
  toJSON(): number | string {
    if (writing.isMarked) return `${MARK}${this.text}`;
    const plain = plainNumber(this);
    return typeof plain === 'number' ? plain : this.text;
  }
}

/** Begins no text from outside: nobody else can know it. */
const MARK = globalThis.crypto.randomUUID();
const marked = new RegExp(`"${MARK}([^"]*)"`, 'g');
const writing = { isMarked: false };

/** The JSON text of a value; numbers with the digits that they were written with. */
export function writeJson(value: unknown, indent?: number): string {
  const before = writing.isMarked;
  writing.isMarked = true;
  try {
    const text = JSON.stringify(value, null, indent);
    return text?.includes(MARK) ? text.replace(marked, '$1') : text;
  } finally {
    writing.isMarked = before;
  }
}

/** The value of a JSON text in which these numbers, in their order, must keep their digits. Throws a SyntaxError. */
export function readExactly(text: string, numbers: readonly NumberSpan[]): unknown {
  if (numbers.length === 0) return JSON.parse(text);
  let withMarks = '';
  let from = 0;
  for (const { start, end } of numbers) {
    withMarks += `${text.slice(from, start)}"${MARK}${text.slice(start, end)}"`;
    from = end;
  }
  return JSON.parse(withMarks + text.slice(from), (_, value: unknown) =>
    typeof value === 'string' && value.startsWith(MARK) ? new ExactNumber(value.slice(MARK.length)) : value,
  );
}

/** A number in a text: `end` is exclusive. */
export interface NumberSpan {
  readonly start: number;
  readonly end: number;
}

/** A number if a double is that decimal, as `1.0` is 1; any other value unchanged. */
export function plainNumber<T>(value: T): T | number {
  if (!(value instanceof ExactNumber)) return value;
  const number = Number(value.text);
  return Number.isFinite(number) && decimalText(value.text) === decimalText(String(number)) ? number : value;
}

/** Whether a number is an `ExactNumber` when it is written like this in JSON. */
export function isRewritten(text: string): boolean {
  return String(Number(text)) !== text;
}

/** Whether a double is another number than the one written, in JSON or in YAML. */
export function isInexact(text: string): boolean {
  const number = Number(text);
  if (/^0[xo]/.test(text)) return !Number.isFinite(number) || BigInt(text) !== BigInt(number);
  return !Number.isFinite(number) || decimalText(text) !== decimalText(String(number));
}

/** `digits` without zeros at either end, times ten to the power of `exponent`. Zero has no digits. */
interface Decimal {
  readonly isNegative: boolean;
  readonly digits: string;
  readonly exponent: bigint;
}

/** The decimal that a number of JSON, or one that JavaScript has written, stands for. */
function decimalOf(text: string): Decimal {
  const [mantissa = '', exponent = '0'] = text.replace(/^[-+]/, '').split(/[eE]/);
  const [whole = '', fraction = ''] = mantissa.split('.');
  const all = whole + fraction;
  let [start, end] = [0, all.length];
  while (all[start] === '0') start += 1;
  while (end > start && all[end - 1] === '0') end -= 1;
  const digits = all.slice(start, end);
  if (digits === '') return { isNegative: false, digits, exponent: 0n };
  const last = BigInt(all.length - end - fraction.length);
  return { isNegative: text.startsWith('-'), digits, exponent: last + BigInt(exponent.replace('+', '')) };
}

/**
 * One text for each decimal: that which JavaScript writes for a double, continued to any number of digits. So it is that of
 * the double where there is one.
 */
export function decimalText(text: string): string {
  const { isNegative, digits, exponent } = decimalOf(text);
  if (digits === '') return '0';
  return (isNegative ? '-' : '') + unsignedText(digits, BigInt(digits.length) + exponent);
}

/** `point`: where the point is in the digits. */
function unsignedText(digits: string, point: bigint): string {
  const count = BigInt(digits.length);
  if (point > 21n || point <= -6n) {
    const [first = '', rest] = [digits[0], digits.slice(1)];
    const power = point - 1n;
    return `${first}${rest === '' ? '' : `.${rest}`}e${power < 0n ? '' : '+'}${power}`;
  }
  const at = Number(point);
  if (point >= count) return digits.padEnd(at, '0');
  return at > 0 ? `${digits.slice(0, at)}.${digits.slice(at)}` : `0.${'0'.repeat(-at)}${digits}`;
}

/** Whether a decimal is a multiple of another one, which is above zero. Takes few steps, whatever the exponents are. */
export function isMultiple(value: string, divisor: string): boolean {
  const [of, by] = [decimalOf(value), decimalOf(divisor)];
  if (of.digits === '') return true;
  const shift = of.exponent - by.exponent;
  const divisorDigits = BigInt(by.digits);
  // A tenth part of digits without a zero at the end is no whole number.
  if (shift >= 0n) return (BigInt(of.digits) * powerOfTen(shift, divisorDigits)) % divisorDigits === 0n;
  return -shift < of.digits.length && BigInt(of.digits) % (divisorDigits * 10n ** -shift) === 0n;
}

/** Ten to a power, modulo `modulus`. */
function powerOfTen(power: bigint, modulus: bigint): bigint {
  let [result, base] = [1n % modulus, 10n % modulus];
  for (let left = power; left > 0n; left >>= 1n) {
    if (left & 1n) result = (result * base) % modulus;
    base = (base * base) % modulus;
  }
  return result;
}
