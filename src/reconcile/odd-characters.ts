/** A character of a name that is easily taken for another one, or not seen at all. */
export interface OddCharacter {
  /** `U+0430`. */
  readonly codePoint: string;
  /** What it is, as in `U+0430 (Cyrillic, looks like "a")`. */
  readonly what: string;
}

/**
 * The odd characters of a name, each once, in order. Names in one script are not odd, whatever the script, nor are
 * accents, emoji, words of two scripts side by side, or what is usual in the script of the name.
 */
export function oddCharacters(text: string): readonly OddCharacter[] {
  if (/^[\x20-\x7e]*$/.test(text)) return [];
  const name = text.normalize('NFC');
  const found = [
    ...singleCharacters(name),
    ...strayJoiners(name),
    ...strayVariants(name),
    ...mixedLetters(name),
  ];
  return [...new Map(found.map((each) => [each.codePoint, each])).values()];
}

/** In names that contain these, full-width letters and spaces are ordinary. */
const eastAsian =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Bopomofo}]/u;
const spaces = /[\u00a0\u1680\u2000-\u200a\u202f\u205f\u2800\u3000]/u;
/** Variation selectors are part of the spelling of some scripts and of emoji, and so are joiners between their letters. */
const invisible =
  /(?!\p{Join_Control}|[\u180b-\u180f]|[\ufe00-\ufe0f])[\p{Default_Ignorable_Code_Point}\p{Cf}]/u;

function singleCharacters(name: string): OddCharacter[] {
  const isEastAsian = eastAsian.test(name);
  return [...name].flatMap((character) => {
    const what = whatIsOdd(character, isEastAsian);
    return what === null ? [] : [{ codePoint: codePointOf(character), what }];
  });
}

/** Letters that never join, and characters that are not letters. */
const unjoined =
  '[\\p{ASCII}\\p{Cf}\\p{Z}\\p{Script=Latin}\\p{Script=Cyrillic}\\p{Script=Greek}\\p{Script=Armenian}\\p{Script=Han}]';
/** A joiner after a mark is seen even where the word ends. */
const strayJoiner = new RegExp(
  `(?<=^|${unjoined})\\p{Join_Control}|(?<!\\p{M})\\p{Join_Control}(?=$|${unjoined})`,
  'gu',
);

function strayJoiners(name: string): OddCharacter[] {
  return (name.match(strayJoiner) ?? []).map((each) => ({ codePoint: codePointOf(each), what: 'invisible' }));
}

/** Emoji, keycaps such as 1️⃣ among them, and some scripts have them. */
const strayVariant =
  /(?<=[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}\x20-\x7e])[\ufe00-\ufe0f](?!\u20e3)/gu;

function strayVariants(name: string): OddCharacter[] {
  return (name.match(strayVariant) ?? []).map((each) => ({
    codePoint: codePointOf(each),
    what: 'invisible',
  }));
}

/** They look like `-`. */
const hyphens = /[\u2010\u2011\u2212]/u;
/** In names that are not East Asian. */
const fullWidth = /[\uff01-\uff5e]/u;

function whatIsOdd(character: string, isEastAsian: boolean): string | null {
  if (character.search(overlays) !== -1) return 'strikes through the letter before it';
  if (character.search(frames) !== -1) return 'a mark on the letter before it';
  if (hyphens.test(character)) return 'looks like "-"';
  if (isEastAsian && character === '\u3000') return null;
  if (spaces.test(character)) return 'an unusual space';
  if (invisible.test(character)) return 'invisible';
  const plain = isEastAsian ? null : styledLatin(character);
  return plain === null ? null : `looks like "${plain}"`;
}

/** Letters of Dutch and Croatian. */
const digraphs = /[\u0132\u0133\u01c4-\u01cc]/u;

/** Full-width, bold, circled and similar forms. Not ª, º, ™, superscripts and circled digits, which are seen as such. */
function styledLatin(character: string): string | null {
  if (digraphs.test(character)) return null;
  const plain = character.normalize('NFKC');
  if (fullWidth.test(character)) return plain;
  if (plain === character || !/^[A-Za-z0-9]+$/.test(plain)) return null;
  const isLetter = /(?![\p{Lm}ªº])[\p{L}\p{Nd}\p{Nl}]/u.test(character);
  return isLetter || (plain.length === 1 && /\p{So}/u.test(character)) ? plain : null;
}

/** Alphabets with letters that look like each other's. */
const alphabets = ['Latin', 'Cyrillic', 'Greek', 'Armenian', 'Cherokee', 'Coptic', 'Lisu'].map(
  (name) => [name, new RegExp(`\\p{Script=${name}}`, 'u')] as const,
);

function alphabetOf(letter: string): string | null {
  return alphabets.find(([, pattern]) => pattern.test(letter))?.[0] ?? null;
}

/** Words of one alphabet that could be read as Latin count only next to a Latin word, and if no other word tells. */
function mixedLetters(name: string): OddCharacter[] {
  const words = name.match(/[\p{L}\p{M}]+/gu) ?? [];
  const foreign = words.filter((word) => !isIn(word, 'Latin'));
  const hasLatin = foreign.length < words.length;
  const readAsLatin = hasLatin && foreign.every(readsAsLatin) ? foreign : [];
  const letters = [...words.flatMap(strayLetters), ...readAsLatin.flatMap((word) => [...word])];
  return letters.map((letter) => ({ codePoint: codePointOf(letter), what: describe(letter) }));
}

function isIn(word: string, alphabet: string): boolean {
  return [...word].every((letter) => alphabetOf(letter) === alphabet || /\p{M}/u.test(letter));
}

/** A single small Greek letter is a symbol, as in α-test. */
function readsAsLatin(word: string): boolean {
  return !/^[α-ω]$/u.test(word) && [...word].every((letter) => latinLookAlike(letter) !== null);
}

/** The letters of the rarer alphabet in a word of two, if one of them looks like a letter of the other alphabet. */
function strayLetters(word: string): readonly string[] {
  const letters = new Map<string, string[]>();
  for (const letter of word) {
    const alphabet = alphabetOf(letter);
    if (alphabet !== null) letters.set(alphabet, [...(letters.get(alphabet) ?? []), letter]);
  }
  const [main, ...rarer] = [...letters].sort(([, a], [, b]) => b.length - a.length);
  const strays = rarer.flatMap(([, list]) => list);
  const isConfusing = strays.some(
    (letter) =>
      latinLookAlike(letter) !== null || lettersLike(letter).some((each) => alphabetOf(each) === main?.[0]),
  );
  return isConfusing ? strays : [];
}

function describe(letter: string): string {
  const alphabet = alphabetOf(letter) ?? 'another script';
  const plain = alphabet === 'Latin' ? null : latinLookAlike(letter);
  return plain === null ? alphabet : `${alphabet}, looks like "${plain}"`;
}

function codePointOf(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
}

/**
 * Letters that look like a Latin letter or a digit, from Unicode's data (UTS #39, confusables.txt, version 13), in the
 * alphabets that resemble Latin: Cyrillic, Greek, Armenian, Cherokee, Coptic, Lisu, and Latin itself. Characters with a
 * compatibility mapping, such as full-width ones, are not here.
 */
const table: Readonly<Record<string, string>> = {
  a: 'аαɑ',
  A: 'АΑᎪꓮ',
  b: 'ЬᏏƄ',
  B: 'ВΒᏴꓐ',
  c: 'сⲥᴄꮯ',
  C: 'СⲤᏟꓚ',
  d: 'ԁᏧꓒ',
  D: 'ᎠꓓꓒᏧ',
  e: 'еҽ',
  E: 'ЕΕᎬꓰ',
  f: 'քꬵ',
  F: 'Ϝꓝ',
  g: 'ցɡᶃƍ',
  G: 'ԌᏀᏳꓖ',
  h: 'һհᏂ',
  H: 'НΗⲎᎻꓧ',
  i: 'іιıɩɪӏᎥ',
  j: 'јϳ',
  J: 'ЈͿᎫꓙ',
  K: 'КΚⲔᏦꓗ',
  l: 'ІӀΙⲒǀƖꓲ1I|',
  L: 'ⳐᏞꓡ',
  M: 'МΜϺⲘᎷꓟ',
  n: 'ոռ',
  N: 'ΝⲚꓠ',
  o: 'оοσօⲟᴏ',
  O: 'ОΟՕⲞꓳ0',
  p: 'рρⲣ',
  P: 'РΡⲢᏢꓑ',
  q: 'ԛգզ',
  r: 'гⲅᴦꮁ',
  R: 'ᎡᏒꓣƦ',
  s: 'ѕꜱꮪ',
  S: 'ЅՏᏕᏚꓢ',
  T: 'ТΤⲦᎢꓔ',
  u: 'υսᴜʋ',
  U: 'Սꓴ',
  v: 'ѵνᴠꮩ',
  V: 'ѴᏙꓦ',
  w: 'ѡԝաᴡꮃ',
  W: 'ԜᎳᏔꓪ',
  x: 'х',
  X: 'ХΧⲬꓫ',
  y: 'уүγყʏ',
  Y: 'УҮΥⲨᎩᎽꓬ',
  z: 'ᴢꮓ',
  Z: 'ΖᏃꓜ',
  '2': 'Ꙅ',
  '3': 'ЗӠȜƷ',
  '6': 'бᏮ',
  '-': '\u2010\u2011\u2012\u2013\u2014\u2212\u02d7',
  "'": '\u2018\u2019\u02bc\u02b9\u2032`',
  '/': '\u2044\u2215\u29f8',
};

const looksLike = new Map(
  Object.entries(table).flatMap(([plain, others]) => [...others].map((each) => [each, plain] as const)),
);

/** Strokes through the letter before them, which turn it into a picture of another one. */
const overlays = /[\u0334-\u0338\u20d2\u20d3\u20d8-\u20da\u20e5\u20e6\u20ea\u20eb]/gu;

/** Marks that no language writes: they enclose or underline the letter before them. Not that of keycaps. */
const frames = /(?!\u20e3)\p{Me}|\u0332|\u0333/gu;

/** The Latin letter or digit that a letter of one of these alphabets looks like, or null. */
function latinLookAlike(letter: string): string | null {
  return looksLike.get(letter) ?? null;
}

/** The letters that look like this Latin letter or digit. */
function lettersLike(plain: string): readonly string[] {
  return [...(table[plain] ?? '')];
}

/** Two texts with one skeleton are hard to tell apart. Accents count: they can be seen. */
export function skeleton(text: string): string {
  const seen = /^[\x20-\x7e]*$/.test(text) ? text : withoutUnseen(text);
  const plain = seen.replace(/[\p{Z}\u2800]+/gu, ' ').trim();
  let shape = '';
  for (const each of plain) shape += looksLike.get(each) ?? each;
  return shape;
}

/** In one spelling, without strokes and invisible characters. */
function withoutUnseen(text: string): string {
  return text
    .normalize('NFKC')
    .normalize('NFD')
    .replace(overlays, '')
    .replace(frames, '')
    .replace(/[\p{Default_Ignorable_Code_Point}\p{Cf}]/gu, '');
}

/**
 * Equal for names that differ only in case, spaces or punctuation, or in letters that look alike. Null where nothing
 * else is left.
 */
export function foldedName(name: string): string | null {
  // Upper case first: it has one spelling for `ß` and `ss`.
  const letters = name
    .normalize('NFKC')
    .toUpperCase()
    .toLowerCase()
    .replace(/[\p{P}\p{Z}\p{Sm}\p{Sk}]+/gu, '');
  return skeleton(letters) || null;
}
