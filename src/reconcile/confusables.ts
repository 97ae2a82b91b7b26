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
export const overlays = /[\u0334-\u0338\u20d2\u20d3\u20d8-\u20da\u20e5\u20e6\u20ea\u20eb]/gu;

/** Marks that no language writes: they enclose or underline the letter before them. Not that of keycaps. */
export const frames = /(?!\u20e3)\p{Me}|\u0332|\u0333/gu;

/** The Latin letter or digit that a letter of one of these alphabets looks like; null when there is none. */
export function latinLookAlike(letter: string): string | null {
  return looksLike.get(letter) ?? null;
}

/** The letters that look like this Latin letter or digit. */
export function lettersLike(plain: string): readonly string[] {
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
