import { readFileSync, writeFileSync } from 'node:fs';

/** The schemas of files that people write, in editors that show the descriptions. */
export const editorSchemas = ['project', 'manifest'].map(
  (name) => new URL(`../schemas/${name}.schema.json`, import.meta.url),
);

const description = /^(\s*)"description": (".*")(,?)$/;
const markdown = /^\s*"markdownDescription": /;

/**
 * A schema with `markdownDescription` after each description that is not the same in Markdown. Editors show
 * `description` as it is, with its backticks. Line by line, because the files are formatted by hand elsewhere.
 */
export function withMarkdownDescriptions(schema: string): string {
  return schema
    .split('\n')
    .filter((line) => !markdown.test(line))
    .flatMap((line) => {
      const [, indent = '', text = '', comma = ''] = description.exec(line) ?? [];
      const plain: unknown = text === '' ? '' : JSON.parse(text);
      const marked = escapeOutsideCode(String(plain));
      const isSame = marked === plain && !marked.includes('`');
      if (isSame) return [line];
      return [
        `${indent}"description": ${text},`,
        `${indent}"markdownDescription": ${JSON.stringify(marked)}${comma}`,
      ];
    })
    .join('\n');
}

/** `*.yaml or *.yml` would be emphasis. Code has its own rules. */
function escapeOutsideCode(text: string): string {
  return text
    .split(/(`[^`]*`)/)
    .map((part, index) => (index % 2 === 1 ? part : part.replace(/[\\*_<[\]]/g, '\\$&')))
    .join('');
}

export function writeMarkdownDescriptions(): void {
  for (const file of editorSchemas) writeFileSync(file, withMarkdownDescriptions(readFileSync(file, 'utf8')));
}
