/** A risk that counts days from now on: `no runs for 26,696 days: 2026-11-01 → 2099-12-01`. */
export const gap = /(no\s+runs\s+for\s+`?)[\d,]+(`?\s+days:\s+`?)\d{4}-\d\d-\d\d/g;

/** Replaces what differs between runs: addresses, ids, digests, keys, current times, and days counted from one. */
export function steady(url: string, isNowFixed = false): (text: string) => string {
  const ids = new Map<string, string>();
  return (text) =>
    text
      .replaceAll(url, 'http://127.0.0.1:4010')
      .replace(/\b[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b/g, (id) => {
        if (!ids.has(id)) ids.set(id, `00000000-0000-4000-8000-${String(ids.size + 1).padStart(12, '0')}`);
        return ids.get(id) ?? '';
      })
      .replace(/\d{4}-\d\d-\d\dT[\d:.]{8,12}Z/g, '2026-11-01T12:00:00.000Z')
      .replace(gap, (text) => (isNowFixed ? text : text.replace(gap, '$126,696$22026-11-01')))
      .replace(/\d{4}-\d\d-\d\d \d\d:\d\d(`?) UTC, \d+ \w+ old/g, '2026-11-01 12:00$1 UTC, 2 hours old')
      .replace(/svc_live_(?!sandbox)\w{1,12}…/g, 'svc_live_0000…')
      .replace(
        /(last used\s+`?)\d{4}-\d\d-\d\d(\s+)\d\d:\d\d/g,
        (_, before: string, space: string) => `${before}2026-11-01${space}12:00`,
      )
      .replace(/(Time-zone data: |"timeZoneData": ")\w+/g, (_, before: string) => `${before}2025c`)
      .replace(/"ageSeconds": \d+/g, '"ageSeconds": 0')
      .replace(/sha256:[0-9a-f]{64}/g, `sha256:${'0'.repeat(64)}`);
}
