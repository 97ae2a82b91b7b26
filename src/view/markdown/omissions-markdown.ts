import type { Diagnostic } from '../../model/diagnostic.js';
import type { Change } from '../../model/plan.js';
import { deliversSecret } from '../change-labels.js';
import { count } from '../text/layout.js';
import { countsOf, kindsOf } from './change-groups.js';
import { markdownLink, shortCode } from './markdown-escape.js';
import type { Filled } from './markdown-pack.js';
import { hiddenWarnings } from './problems-markdown.js';

interface FurtherOmissions {
  readonly warnings: Filled<Diagnostic>;
  readonly noGraph: boolean;
  /** Where the whole plan is; null if it is nowhere. */
  readonly pageUrl: string | null;
}

/** Counts what the limit left out, by kind. */
export function omissions(
  parts: readonly Filled<Change>[],
  { warnings, noGraph, pageUrl }: FurtherOmissions,
): string[] {
  const left = parts.flatMap(({ items, texts }) => items.slice(texts.length));
  const bare = parts.reduce((sum, { texts, full }) => sum + texts.length - full, 0);
  const shortened = parts.reduce((sum, each) => sum + each.shortened, 0);
  const sentences = [
    ...undelivered(left.filter(deliversSecret)),
    ...kindsOf(left).map((kind) => {
      const those = left.filter((change) => change.kind === kind);
      return `${count(those.length, kind)} left out (${countsOf(those)})`;
    }),
    ...(bare === 0 ? [] : [`${count(bare, 'change')} shown without details`]),
    ...(shortened === 0 ? [] : [`${count(shortened, 'value')} not shown in full`]),
    ...hiddenWarnings(warnings),
    ...(noGraph ? ['the graph left out'] : []),
  ];
  return tooLong('plan', sentences, pageUrl);
}

export function tooLong(
  command: 'plan' | 'drift',
  sentences: readonly string[],
  pageUrl: string | null = null,
): string[] {
  if (sentences.length === 0) return [];
  const whole =
    pageUrl === null ? `\`roster ${command} --format json\`` : `The ${markdownLink('HTML page', pageUrl)}`;
  return [
    `> [!WARNING]`,
    `> **Too long to show in full:** ${sentences.join('; ')}. ${whole} shows everything.`,
    '',
  ];
}

/** Names what may run a program and is not shown. */
function undelivered(left: readonly Change[]): string[] {
  if (left.length === 0) return [];
  const named = left.slice(0, 5).map(({ address }) => shortCode(address, 220));
  const more = left.length > named.length ? ` and ${left.length - named.length} more` : '';
  return [`destination not shown for ${count(left.length, 'new key')} (${named.join(', ')}${more})`];
}
