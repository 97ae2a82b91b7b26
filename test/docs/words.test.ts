import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

interface Word {
  /** The word for one thing, in all formats. */
  readonly use: string;
  /** Other words for the same thing, which a reader would take for another one. */
  readonly not: RegExp;
  /** Where such a word means something else, or is the name of a flag or of a property of JSON. */
  readonly allowedIn?: RegExp;
}

/** The words of docs/glossary.md. */
const words: readonly Word[] = [
  {
    use: 'an apply or a command of roster, a run of agents, a workflow run of GitHub',
    not: /\b(?:this|that|another|the other|an? (?:earlier|interrupted|killed|unknown|later)|the (?:previous|first)|every) run\b(?! (?:code|of|once|one|only|too)\b)|(?<!between )\btwo runs\b/i,
    // About the runs of agents.
    allowedIn:
      /^src\/(?:operate|service\/operations)\/|^src\/cli\/(?:runs\/|commands\/(?:runs|watch))|^docs\/(?:run|status|data)\.md/,
  },
  { use: 'a killed command', not: /\bruns? (?:that )?(?:has|have) died\b|\bcommand (?:that )?has died\b/i },
  {
    use: 'limits.startsPerWeek',
    not: /`(?:limits\.)?runsPerWeek`(?!,? (?:is (?:the former name|now called)|still works)|\.| \|)/,
  },
  { use: 'a refusal', not: /\bobjections?\b|\bguards? refuse|\bby a guard\b/i },
  {
    use: 'not managed here',
    not: /(?<![-`'"\w])(?:unmanaged|undeclared) (?:object|group|pipeline|schedule|key|one|address)/i,
  },
  { use: 'an entry that breaks a policy', not: /\bfits? (?:a|the|this|no) polic|\bviolat(?:e|ion)/i },
  {
    use: 'roster resume ends a hold',
    not: /\bun-?hold|\blift(?:s|ed)? (?:a|the|this) hold/i,
    // The hint for people who type it.
    allowedIn: /^src\/cli\/command\/synonyms\.ts/,
  },
];

const root = join(import.meta.dirname, '../..');

/** What a person reads: the golden files of all formats, the texts of the source, and the documentation. */
const places: readonly (readonly [folder: string, files: RegExp])[] = [
  ['docs', /^(?!\.vitepress\/).*\.md$/],
  ['schemas', /\.json$/],
  ['src', /^(?!sandbox\/).*(?<!\/generated\/.*)\.(?:ts|js|txt)$/],
  ['test', /(?:^|\/)golden[./]|^cases\/diagnostics\/.*\.yaml$/],
];

function textsOf(): Map<string, string> {
  const texts = new Map([['README.md', read('README.md')]]);
  for (const [folder, files] of places) {
    const paths = readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' });
    for (const path of paths.map((each) => each.replaceAll('\\', '/')).filter((each) => files.test(each)))
      texts.set(`${folder}/${path}`, read(`${folder}/${path}`));
  }
  return texts;
}

/** Without comments, and with one space between words: a sentence can be broken into lines anywhere. */
function read(path: string): string {
  const text = readFileSync(join(root, path), 'utf8');
  const isSource = /\.(?:ts|js)$/.test(path);
  return (isSource ? text.replace(/^\s*(?:\/\/|\/?\*).*$/gm, '') : text).replace(/\s+/g, ' ');
}

const texts = textsOf();

test.each(words)('one word for one thing: $use', ({ not, allowedIn }) => {
  const found = [...texts].flatMap(([path, text]) =>
    allowedIn?.test(path) === true
      ? []
      : [...text.matchAll(new RegExp(not.source, `g${not.flags}`))].map(
          ({ 0: word, index }) => `${path}: ${text.slice(Math.max(0, index - 40), index + word.length + 40)}`,
        ),
  );
  expect(found.join('\n')).toBe('');
});
