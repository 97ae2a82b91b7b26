import type { Group } from '../../docs/.vitepress/navigation.js';
import { codeTexts } from '../../src/view/code-texts.js';
import type { CodeText } from '../../src/view/run-code-texts.js';

/** codes/CODE.md: what `roster explain CODE` prints. */
export function codePages(): Map<string, string> {
  return new Map(Object.entries(codeTexts).map(([code, text]) => [`codes/${code}.md`, codePage(code, text)]));
}

function codePage(code: string, { title, means, help }: CodeText): string {
  return [
    '---',
    `description: ${JSON.stringify(title)}`,
    'prev: false',
    'next: false',
    '---',
    '',
    `# ${code}`,
    '',
    `**${title}.** ${means}`,
    '',
    `What to do: ${help}`,
    '',
    `\`roster explain ${code}\` prints this page offline. [All codes](/diagnostics.md)`,
    '',
  ].join('\n');
}

/** llms.txt: the pages for language models, one line each. `site` ends with a slash. */
export function llmsText(about: string, groups: readonly Group[], site: string): string {
  const sections = groups.flatMap(({ title, pages }) => [
    '',
    `## ${title}`,
    '',
    ...pages.map((each) => `- [${each.title}](${site}${each.page}): ${each.about}`),
  ]);
  return ['# roster', '', `> ${about}`, ...sections, ''].join('\n');
}
