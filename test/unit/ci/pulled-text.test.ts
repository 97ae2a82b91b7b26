import { fromMarkdown } from 'mdast-util-from-markdown';
import { describe, expect, test } from 'vitest';
import { pulledHtml, pulledMarkdown } from '../../../src/ci/pulled-text.js';
import { tableCode } from '../../../src/view/markdown/markdown-escape.js';

/** Who wrote the description of a group may not write in the pull request that shows it. */

const ticks = (count: number) => '`'.repeat(count);

describe('what pull has printed', () => {
  test.each([0, 1, 2, 3, 4, 5, 7])(
    'is one block of code, whatever line of %i backticks is in it',
    (count) => {
      const printed = [
        'description:',
        `${ticks(count)}`,
        '@everyone',
        `${ticks(count)}text`,
        '[a](https://x)',
      ].join('\n');
      const { children } = fromMarkdown(pulledMarkdown(printed, false));
      expect(children.map(({ type }) => type)).toEqual(['paragraph', 'code']);
      expect(children[1]).toMatchObject({ lang: 'text', value: printed });
    },
  );

  test('holds several runs of different lengths', () => {
    const printed = [ticks(5), ticks(3), 'a', ticks(6)].join('\n');
    const [, code] = fromMarkdown(pulledMarkdown(printed, true)).children;
    expect(code).toMatchObject({ type: 'code', value: printed });
  });

  test('is no markup as HTML', () => {
    expect(pulledHtml('</pre><b>@you</b> & `x`', false)).toContain('<pre>&#60;/pre&#62;');
  });
});

describe('a value in a table', () => {
  test.each(['a|b', '|', 'a\\|b', '||', '`|`'])('%s adds no column', (text) => {
    expect(tableCode(text)).not.toContain('|');
  });
});
