import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isRisk } from '../../../src/model/finding.js';
import { oddCharacters, skeleton } from '../../../src/reconcile/odd-characters.js';
import { group, owning, planOf, remoteGroup } from '../../support/small-world.js';

/** Names as people write them, one list for each script or habit. */
const ordinary = {
  English: [
    'Retail prices',
    'AT&T',
    "Macy's",
    'Macy’s',
    'A/B test (v2)',
    'Prices – daily',
    'IPv6 #1',
    'Naïve café',
  ],
  German: ['Preise täglich', 'Größe', 'Straße', 'Überblick', 'ÄÖÜ'],
  French: ['Prix d’été', 'Œuvres', 'Déjà vu', 'L’Oréal', 'garçon'],
  Spanish: ['Precios mañana', '¿Qué?', '1ª edición', 'Nº 5'],
  Dutch: ['Ĳssel', 'prĳzen'],
  Croatian: ['Ǌemačka', 'ǉubav'],
  Polish: ['Żabka', 'Łódź', 'Gdańsk', 'źdźbło'],
  Czech: ['Příliš žluťoučký kůň', 'Škoda'],
  Turkish: ['İstanbul', 'Iğdır', 'fıstıkçı', 'Ağrı'],
  Vietnamese: ['Thế giới di động', 'Điện máy xanh', 'Hà Nội'],
  Icelandic: ['Þórsmörk', 'Ísafjörður'],
  Romanian: ['Brașov', 'Țara'],
  Hungarian: ['Győr', 'fűtő'],
  Azerbaijani: ['Gəncə', 'Şəki'],
  Hausa: ['Ƙasa', 'ɓera'],
  Russian: ['Цены', 'Вкусвилл', 'Озон', 'Сосна', 'Магазин №1', 'Яндекс Маркет', 'сахар', 'Ёлка', 'Рынок'],
  'Russian beside Latin': [
    'Цены Amazon',
    'IKEA цены',
    'Wi-Fi роутеры',
    'USB-кабель',
    'Ozon и Яндекс',
    'DNS магазин',
  ],
  Ukrainian: ['Розетка', 'Їжак', 'Київ', 'ціни'],
  Bulgarian: ['Цени', 'Технополис'],
  Serbian: ['Цене', 'Љубав', 'Ђорђе'],
  Kazakh: ['Қазақстан', 'Алматы бағалары'],
  Greek: ['Τιμές', 'Πλαίσιο', 'Αθήνα', 'Σούπερ μάρκετ', 'ΑΒ Βασιλόπουλος'],
  'Greek letters as symbols': ['α-test', 'Δt', 'βeta', 'σ of prices', 'Ω', '5 µm', 'π'],
  Armenian: ['Գներ', 'Երևան'],
  Georgian: ['ფასები', 'თბილისი'],
  Hebrew: ['מחירים', 'שופרסל', 'רמי לוי', 'מחירים Amazon'],
  Arabic: ['أسعار', 'كارفور', 'نون', 'أسعار Amazon', 'جرير'],
  Persian: ['قیمت‌ها', 'دیجی‌کالا', 'می\u200cخواهم'],
  Malayalam: ['വില', 'അവന്\u200d', 'അവന്\u200d വില'],
  Urdu: ['قیمتیں'],
  Hindi: ['कीमतें', 'फ्लिपकार्ट', 'Amazon कीमतें'],
  Bengali: ['দাম', 'দারাজ'],
  Tamil: ['விலைகள்'],
  Telugu: ['ధరలు'],
  Thai: ['ราคา', 'เซ็นทรัล', 'ราคาUSD', 'ลาซาด้า'],
  Lao: ['ລາຄາ'],
  Burmese: ['စျေးနှုန်း'],
  Khmer: ['តម្លៃ'],
  Amharic: ['ዋጋ'],
  Chinese: ['价格', '京东商城', '天猫 Tmall', '價格（每日）', '淘宝ABC', 'ＡＢＣ价格', '东京　大阪'],
  Japanese: ['価格', 'ヨドバシカメラ', 'ＮＴＴドコモ', 'Amazon価格', 'ｶﾒﾗ', 'お店', 'ファイナルⅡ', '①価格'],
  Korean: ['가격', '쿠팡', '11번가', 'SSG닷컴', 'ＳＫ텔레콤'],
  emoji: [
    'Prices 🚀',
    '👩‍💻 team',
    '👨\u200d👩\u200d👧',
    '🏳️\u200d🌈',
    '❤️',
    '🇩🇪 shops',
    '☎️',
    '1️⃣ First',
    'Shop❤️',
  ],
  signs: ['Prices €', '10 m²', 'H₂O', 'Acme™', 'Acme®', '½ price', '1º', '① First', '20 °C', '№ 7'],
} satisfies Record<string, readonly string[]>;

describe('names that are not odd', () => {
  test.each(Object.entries(ordinary))('%s', (_language, names) => {
    expect(names.filter((name) => oddCharacters(name).length > 0)).toEqual([]);
    expect(names.filter((name) => oddCharacters(name.normalize('NFD')).length > 0)).toEqual([]);
  });

  test('no two of them look alike', () => {
    const names = [...new Set(Object.values(ordinary).flat())].filter((name) => !/^Macy/.test(name));
    expect(new Set(names.map(skeleton)).size).toBe(names.length);
  });
});

const odd: readonly (readonly [string, string, string])[] = [
  ['a Cyrillic letter in a Latin word', 'Ret\u0430il', 'U+0430 (Cyrillic, looks like "a")'],
  ['a Latin letter in a Cyrillic word', 'Ц\u0065ны', 'U+0065 (Latin)'],
  ['a Greek letter in a Latin word', 'Retail Pri\u03bfrity', 'U+03BF (Greek, looks like "o")'],
  ['a Cyrillic letter in an id', 'acme-sh\u043ep', 'U+043E (Cyrillic, looks like "o")'],
  ['a Cherokee letter in a Latin word', 'RE\u13a2AIL', 'U+13A2 (Cherokee, looks like "T")'],
  ['a Cyrillic word that reads as Latin', 'Group \u0410', 'U+0410 (Cyrillic, looks like "A")'],
  ['a full-width letter', 'Ret\uff41il', 'U+FF41 (looks like "a")'],
  ['a bold letter', 'Ret\u{1d41a}il', 'U+1D41A (looks like "a")'],
  ['a circled letter', 'Ret\u24d0il', 'U+24D0 (looks like "a")'],
  ['a ligature', 'Pro\ufb01t', 'U+FB01 (looks like "fi")'],
  ['a no-break space', 'Retail\u00a0prices', 'U+00A0 (an unusual space)'],
  ['an ideographic space', 'Retail\u3000prices', 'U+3000 (an unusual space)'],
  ['a blank braille pattern', 'Retail\u2800prices', 'U+2800 (an unusual space)'],
  ['a long overlay', 'Reta\u0336il', 'U+0336 (strikes through the letter before it)'],
  ['a slash overlay', 'Q\u0338uick', 'U+0338 (strikes through the letter before it)'],
  ['a zero-width space', 'Re\u200btail', 'U+200B (invisible)'],
  ['a joiner between Latin letters', 'Re\u200dtail', 'U+200D (invisible)'],
  ['a non-joiner between Cyrillic letters', 'Це\u200cны', 'U+200C (invisible)'],
  ['a non-joiner at the end of a word', 'قیمت\u200c', 'U+200C (invisible)'],
  ['a joiner after a joiner', '👨\u200d\u200d👩', 'U+200D (invisible)'],
  ['a Hangul filler', 'Retail\u3164', 'U+3164 (invisible)'],
  ['a variation selector after a letter', 'Retail\ufe0f', 'U+FE0F (invisible)'],
  ['a full-width hyphen', 'retail\uff0dde', 'U+FF0D (looks like "-")'],
  ['a hyphen that no keyboard has', 'retail\u2010de', 'U+2010 (looks like "-")'],
  ['a minus sign', 'retail\u2212de', 'U+2212 (looks like "-")'],
  ['a line below', 'Re\u0332tail', 'U+0332 (a mark on the letter before it)'],
  ['an enclosing circle', 'Re\u20dd', 'U+20DD (a mark on the letter before it)'],
  ['an enclosing mark of Cyrillic', 'Це\u0489ны', 'U+0489 (a mark on the letter before it)'],
];
test.each(odd)('%s is odd', (_what, name, described) => {
  expect(oddCharacters(name).map(({ codePoint, what }) => `${codePoint} (${what})`)).toContain(described);
});

test.each([
  ['Retail', 'Ret\u0430il'],
  ['PAY', '\u0420\u0410\u0423'],
  ['Retail', '\uff32etail'],
  ['a b', 'a\u00a0 b'],
  ['shop-1', 'shop-l'],
  ['shop-1', 'shop\u20101'],
  ['Retail', 'Re\u0336tail'],
  ['Retail', 'Re\u0332tail'],
  ['Retail', 'Re\u00adtail'],
])('%j and %j look alike', (one, other) => {
  expect(skeleton(one)).toBe(skeleton(other));
});

test.each([
  ['Retail', 'retail'],
  ['resume', 'résumé'],
  ['Öl', 'Ol'],
  ['shop-1', 'shop-2'],
])('%j and %j do not look alike', (one, other) => {
  expect(skeleton(one)).not.toBe(skeleton(other));
});

describe('risks', () => {
  const risksOf = (world: Parameters<typeof planOf>[0]) =>
    planOf(world).changes.flatMap(({ address, findings }) =>
      findings
        .filter(isRisk)
        .filter(({ code }) => code === 'look-alike')
        .map(({ message }) => `${address}: ${message}`),
    );

  test('a new object whose name looks like that of an unmanaged one is marked', () => {
    expect(
      risksOf({
        entries: [group('pay', { name: '\u0420\u0410\u0423' })],
        objects: [remoteGroup('g1', { name: 'PAY' })],
      }),
    ).toEqual(['group/pay: "\u0420\u0410\u0423" looks like "PAY", which also exists']);
  });

  test('two new objects with names that look alike are both marked', () => {
    const entries = [group('a', { name: 'shop-1' }), group('b', { name: 'shop-l' })];
    expect(risksOf({ entries })).toHaveLength(2);
  });

  test('several spaces are counted, because most places show them as one', () => {
    const entries = [group('a', { name: 'Retail  prices' })];
    const objects = [remoteGroup('g1', { name: 'Retail prices' })];
    expect(risksOf({ entries, objects })).toContain(
      'group/a: "Retail[2 spaces]prices" looks like "Retail prices", which also exists',
    );
  });

  test('only what changes is marked', () => {
    const name = 'Ret\u0430il';
    const entries = [group('a', { name })];
    const objects = [remoteGroup('g1', { name })];
    expect(risksOf({ objects })).toEqual([]);
    const inventory = owning({ 'group/a': 'g1' });
    expect(risksOf({ entries, objects, inventory })).toEqual([]);
    expect(risksOf({ entries, objects })).toEqual([
      'group/a: "Ret\u0430il" contains U+0430 (Cyrillic, looks like "a")',
    ]);
    expect(risksOf({ objects, inventory })).toHaveLength(1);
  });
});

test('an invisible character changes nothing about what a name of ASCII looks like', () => {
  const name = fc.string({ unit: 'binary-ascii' });
  fc.assert(
    fc.property(name, (each) => skeleton(`${each}\u200b`) === skeleton(each)),
    { numRuns: 2_000 },
  );
});
