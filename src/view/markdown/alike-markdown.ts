import { count } from '../../model/words.js';
import { type Alike, type ChangeBlock, ofEach, ownPart, type Tally, tallyText } from '../alike.js';
import { changeMarkdown, LONGEST_SENTENCE, type PageContext } from './change-markdown.js';
import { markdownCode, shortCode, shortProse } from './markdown-escape.js';
import { fold, type PageItem } from './page-parts.js';

const LONGEST_VALUE = 120;

/** Changes that are read as one: a list item with what they share and what varies, and each of them folded below. */
export function alikeMarkdown(views: ChangeBlock['views'], alike: Alike, context: PageContext): PageItem {
  const [{ verb, needsCare }] = views;
  const code = (text: string) => shortCode(text, LONGEST_VALUE);
  const owners = context.owners.length > 0 ? null : tallyText(alike.owners, code);
  const places = tallyText(alike.places, code);
  const heading = [
    `- **${verb}** ${alike.what}`,
    ...(places === null ? [] : [`in ${places}`]),
    ...(owners === null ? [] : [`owned by ${owners}`]),
    ...sentences(alike.remarks).map((each) => `(${each})`),
  ].join(' ');
  const cadences = tallyText(ofEach(alike.cadences));
  const lines = [
    ...sentences(ofEach(alike.risks)),
    ...(needsCare ? [] : [tallyText(alike.addresses, code) ?? '']),
    ...alike.fields.map(
      ({ path, values }) => `${markdownCode(path)} ${tallyText(values, code) ?? 'different texts'}`,
    ),
    ...(cadences === null ? [] : [cadences]),
    ...sentences(alike.notes),
    ...alike.outliers.map((each) => shortProse(each)),
  ].filter((each) => each !== '');
  const short = [heading, ...lines.map((each) => `  - ${each}`)].join('\n');
  return {
    short,
    full: () => {
      if (!isListed(views, context)) return { text: short, shortened: 0 };
      const items = views.map((each) => changeMarkdown(ownPart(each, alike), context));
      const list = fold(
        count(views.length, 'change'),
        items.flatMap((each) => each.short.split('\n')),
      );
      const text = [short, '', ...list.map((each) => (each === '' ? '' : `  ${each}`))].join('\n');
      return { text, shortened: items.reduce((sum, each) => sum + each.shortened, 0) };
    },
    shortened: 0,
  };
}

/** Whether each of the changes is shown, where there is room. */
export function isListed([first]: ChangeBlock['views'], { listsAll }: PageContext): boolean {
  return first.needsCare || listsAll;
}

function sentences({ shown, more, of }: Tally): string[] {
  const texts = shown.map(({ text, number }) => {
    const sentence = shortProse(text, LONGEST_SENTENCE);
    return number === of ? sentence : `${number} of ${of}: ${sentence}`;
  });
  return more > 0 ? [...texts, `and ${more} more like this`] : texts;
}
