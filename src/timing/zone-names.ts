/** The areas of IANA zones. Other names that ICU knows (`SystemV/…`, `PST`, `IST`) are not IANA's. */
const areas =
  /^(Africa|America|Antarctica|Arctic|Asia|Atlantic|Australia|Brazil|Canada|Chile|Etc|Europe|Indian|Mexico|Pacific|US)\/./i;

/**
 * The IANA names without an area that name a place or UTC. The others (EST, MST, HST, CET, PST8PDT…) read as an
 * abbreviation, and what they mean has changed between versions of the zone data.
 */
const withoutArea: ReadonlySet<string> = new Set(
  (
    'UTC UCT GMT GMT0 Greenwich Universal Zulu Cuba Egypt Eire GB GB-Eire Hongkong Iceland Iran Israel Jamaica ' +
    'Japan Kwajalein Libya Navajo NZ NZ-CHAT Poland Portugal PRC ROC ROK Singapore Turkey W-SU'
  )
    .toLowerCase()
    .split(' '),
);

/** True for the form of an IANA name. The zone may still not exist (zone.ts). */
export function looksIana(text: string): boolean {
  return areas.test(text) || withoutArea.has(text.toLowerCase());
}

/**
 * Zones that IANA has renamed and CLDR has not. Node returns CLDR's name for both today. A Node built with other zone
 * data, or one that follows the newer ECMA-402 text, returns IANA's. A digest must be the same on both.
 */
export const renamed: ReadonlyMap<string, string> = new Map([
  ['Africa/Asmera', 'Africa/Asmara'],
  ['America/Buenos_Aires', 'America/Argentina/Buenos_Aires'],
  ['America/Catamarca', 'America/Argentina/Catamarca'],
  ['America/Coral_Harbour', 'America/Atikokan'],
  ['America/Cordoba', 'America/Argentina/Cordoba'],
  ['America/Godthab', 'America/Nuuk'],
  ['America/Indianapolis', 'America/Indiana/Indianapolis'],
  ['America/Jujuy', 'America/Argentina/Jujuy'],
  ['America/Louisville', 'America/Kentucky/Louisville'],
  ['America/Mendoza', 'America/Argentina/Mendoza'],
  ['Asia/Calcutta', 'Asia/Kolkata'],
  ['Asia/Katmandu', 'Asia/Kathmandu'],
  ['Asia/Rangoon', 'Asia/Yangon'],
  ['Asia/Saigon', 'Asia/Ho_Chi_Minh'],
  ['Atlantic/Faeroe', 'Atlantic/Faroe'],
  ['Europe/Kiev', 'Europe/Kyiv'],
  ['Pacific/Enderbury', 'Pacific/Kanton'],
  ['Pacific/Ponape', 'Pacific/Pohnpei'],
  ['Pacific/Truk', 'Pacific/Chuuk'],
  ['Etc/UTC', 'UTC'],
  ['Etc/GMT', 'UTC'],
  ['GMT', 'UTC'],
]);
