import type { PageData } from '../../src/view/html/page-data.js';

/** What a person reads on a page: the text of its markup, and of each change or group the line that its script makes. */
export function pageText(html: string): string {
  const [, json = '{}'] = /<script[^>]*id="data"[^>]*>([^<]*)<\/script>/.exec(html) ?? [];
  const text = html
    .replace(/<(style|script|noscript|head|table)\b[\s\S]*?<\/\1>/g, '')
    .replace(/<(?:p|h1|h2|ul|li|dt|tr|section|header|footer|details|div)\b[^>]*>/g, '\n')
    .replace(/<(?:span|b|code|dd|td|th|button|label)\b[^>]*>/g, ' ')
    .replace(/<[^>]*>/g, '')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&');
  const lines = text.split('\n').map((line) => line.replace(/\s+/g, ' ').trim());
  return `${lines.filter((line) => line !== '').join('\n')}\n\n${rowsOf(JSON.parse(json)).join('\n')}\n`;
}

/** The list of changes, closed as it is at first. */
function rowsOf({ changes, groups }: PageData): string[] {
  return changes.flatMap((each, index) => {
    const group = groups.find(({ first, size }) => index >= first && index < first + size);
    if (group !== undefined)
      return index === group.first
        ? [`${group.action} ${group.title}`, ...group.lines.map((line) => `  ${line}`)]
        : [];
    const { action, address, name, facts, owners, place, formerFile = '', risks, notes } = each;
    const where = place === undefined ? formerFile : `${place.file}:${place.line}`;
    const said = [
      `${action} ${address}`,
      name,
      facts,
      ...owners,
      where,
      ...risks.map(({ message }) => `! ${message}`),
      ...notes,
    ];
    return said.filter((part) => part !== undefined && part !== '').join('  ');
  });
}
