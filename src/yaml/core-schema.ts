/** The types of scalars in YAML 1.2 (core schema, section 10.3.2) that are not texts, and what each allows. */
const types: readonly (readonly [tag: string, pattern: RegExp, value: (text: string) => ScalarValue])[] = [
  ['null', /^(?:~|[Nn]ull|NULL)?$/, () => null],
  ['bool', /^(?:[Tt]rue|TRUE|[Ff]alse|FALSE)$/, (text) => /^t/i.test(text)],
  ['int', /^0o[0-7]+$/, (text) => Number(text)],
  ['int', /^[-+]?[0-9]+$/, (text) => Number(text)],
  ['int', /^0x[0-9a-fA-F]+$/, (text) => Number(text)],
  ['float', /^[-+]?\.(?:inf|Inf|INF)$/, (text) => (text.startsWith('-') ? -Infinity : Infinity)],
  ['float', /^\.(?:nan|NaN|NAN)$/, () => Number.NaN],
  ['float', /^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)[eE][-+]?[0-9]+$/, (text) => Number(text)],
  ['float', /^[-+]?(?:\.[0-9]+|[0-9]+\.[0-9]*)$/, (text) => Number(text)],
];

export type ScalarValue = string | number | boolean | null;

/** Only these begin a scalar that is not a text. */
const firstSigns = new Set('~nNtTfF+-.0123456789');

/** The value of a scalar without quotes or a tag. */
export function plainValue(text: string): ScalarValue {
  if (text === '') return null;
  if (!firstSigns.has(text.charAt(0))) return text;
  const type = types.find(([, pattern]) => pattern.test(text));
  return type === undefined ? text : type[2](text);
}

const prefix = 'tag:yaml.org,2002:';
const names = new Set(['str', 'map', 'seq', ...types.map(([name]) => name)]);

/** The name of a tag of YAML itself, such as `str` for `!!str`; `''` for `!`, and null for any other tag. */
export function coreTag(written: string): string | null {
  if (written === '!') return '';
  const whole = written.startsWith('!<') ? written.slice(2, -1) : written.replace(/^!!/, prefix);
  const name = whole.slice(prefix.length);
  return whole.startsWith(prefix) && names.has(name) ? name : null;
}

/** What a scalar with such a tag means; undefined when the tag does not allow it. */
export function taggedValue(name: string, text: string): ScalarValue | undefined {
  if (name === '' || name === 'str') return text;
  return types.find(([each, pattern]) => each === name && pattern.test(text))?.[2](text);
}
