import type { Diagnostic } from '../model/diagnostic.js';
import type { Change, Objection, Plan } from '../model/plan.js';
import { actingActions, actionWords, needsCare } from './change-words.js';
import { inert } from './escape.js';
import { changeDiff } from './field-markdown.js';
import { isWorthALine, originText } from './field-text.js';
import { count, cut } from './layout.js';
import { htmlCode, markdownCode, markdownFence, markdownMarker, markdownProse } from './markdown-escape.js';
import { type Block, type Packed, pack } from './markdown-pack.js';
import { placeText } from './source-excerpt.js';
import { planLine } from './summary-line.js';

/** GitHub refuses comments over 65,536 characters. */
export const markdownLimit = 65_000;

/** Kept free for headings and for the sentence that says what is left out. */
const reserve = 1_200;
const shownSentences = 10;

/**
 * The plan as a comment on a pull request (contract §6, markdown): counts and digest first, then deletes and key
 * changes, then the rest, details folded. Never over 65,000 characters: what does not fit is counted, and nothing of
 * the rest is shown before all deletes and key changes are.
 */
export function planMarkdown(plan: Plan): string {
  const acting = plan.changes.filter((change) => change.action !== 'none');
  const careful = acting.filter(needsCare);
  const others = acting.filter((change) => !needsCare(change));
  const top = header(plan);

  let room = markdownLimit - reserve - top.length;
  const first = pack(careful.map(changeBlock), room);
  const allCareful = first.full === careful.length;
  room = allCareful ? room - first.text.length : 0;
  const second = pack(others.map(changeBlock), room);
  const third = pack(
    plan.diagnostics.map(diagnosticBlock),
    second.full === others.length ? room - second.text.length : 0,
  );

  return [
    top,
    section('### Deletes and key changes', first),
    section(careful.length > 0 ? '### Other changes' : '### Changes', second),
    section('### Diagnostics', third),
    ...omissions(
      acting,
      [...careful.slice(first.shown), ...others.slice(second.shown)],
      first.full + second.full,
    ),
    ...(third.shown < plan.diagnostics.length
      ? [`_${count(plan.diagnostics.length - third.shown, 'diagnostic')} not shown._\n`]
      : []),
  ]
    .filter((part) => part !== '')
    .join('\n');
}

function section(title: string, { text, shown }: Packed): string {
  return shown === 0 ? '' : `${title}\n\n${text.trimEnd()}\n`;
}

function header(plan: Plan): string {
  const { project, environment, service, digest, objections } = plan;
  const where = environment === null ? '' : `, environment ${code(environment, 100)}`;
  return [
    markdownMarker(cut(project, 200), environment === null ? null : cut(environment, 200)),
    `## roster plan: ${code(project, 100)}${where}`,
    '',
    `**${planLine(plan)}**`,
    '',
    `Service ${code(service, 300)}  `,
    `Digest ${code(digest, 100)}`,
    '',
    ...objectionLines(objections),
  ].join('\n');
}

function objectionLines(objections: readonly Objection[]): string[] {
  if (objections.length === 0) return [];
  const lines = objections.slice(0, shownSentences).map(({ code: reason, message, help }) => {
    const advice = help === '' ? '' : ` (help: ${prose(help)})`;
    return `> - ${code(reason, 60)} ${prose(message)}${advice}`;
  });
  const more = objections.length - lines.length;
  return [
    '> **Apply would refuse this plan:**',
    '>',
    ...lines,
    ...(more > 0 ? [`> - … and ${more} more`] : []),
    '',
  ];
}

/** A heading with the notes that must be read, and the differences folded under it. */
function changeBlock(change: Change): Block {
  const notes = change.notes.slice(0, shownSentences).map((note) => `  - ${prose(note)}`);
  const left = change.notes.length - notes.length;
  const more = left > 0 ? [`  - … and ${count(left, 'more note')}`] : [];
  const short = [heading(change), ...notes, ...more].join('\n');
  return { short, full: () => [short, ...fold(change)].join('\n') };
}

function fold(change: Change): string[] {
  const diff = changeDiff(change);
  if (diff.length === 0) return [];
  const shown = change.fields.filter(isWorthALine);
  const fields = shown.map((field) => field.path).join(', ');
  const lines = [
    '',
    `<details><summary>${htmlCode(cut(inert(fields === '' ? 'details' : fields), 120))}</summary>`,
    '',
    ...markdownFence('diff', diff).split('\n'),
    '',
    '</details>',
    '',
  ];
  return lines.map((line) => (line === '' ? '' : `  ${line}`));
}

function heading(change: Change): string {
  const { verb } = actionWords[change.action];
  const outside = change.origin === 'remote' || change.origin === 'both' ? originText(change.origin) : null;
  return [
    `- **${needsCare(change) ? verb.toUpperCase() : verb}**`,
    code(change.address, 120),
    ...(change.name === null ? [] : [`named ${code(change.name, 80)}`]),
    ...(change.id === null ? [] : [`id ${code(change.id, 80)}`]),
    ...(change.adopted ? ['(adopted)'] : []),
    ...(outside === null ? [] : [`(${outside})`]),
  ].join(' ');
}

function diagnosticBlock({ severity, code: reason, message, place, help }: Diagnostic): Block {
  const where = place === undefined ? '' : ` at ${code(placeText(place), 120)}`;
  const short = `- **${severity}** ${code(reason, 60)}${where}: ${prose(message)}`;
  return { short, full: () => (help === undefined ? short : `${short} (help: ${prose(help)})`) };
}

/** What the limit kept out, by action: the reader knows what was not seen. */
function omissions(acting: readonly Change[], left: readonly Change[], full: number): string[] {
  const folded = acting.length - left.length - full;
  const counts = actingActions
    .map((action) => ({ action, number: left.filter((change) => change.action === action).length }))
    .filter(({ number }) => number > 0)
    .map(({ action, number }) => `${number} to ${actionWords[action].verb}`);
  const hidden = left.length === 0 ? [] : [`${count(left.length, 'change')} left out (${counts.join(', ')})`];
  const bare = folded === 0 ? [] : [`${count(folded, 'change')} shown without details`];
  if (hidden.length + bare.length === 0) return [];
  return [
    `**Too long for a comment: ${[...hidden, ...bare].join(', ')}. The text and JSON plans show all.**\n`,
  ];
}

function code(text: string, width: number): string {
  return markdownCode(cut(inert(text), width));
}

function prose(text: string): string {
  return markdownProse(cut(inert(text), 400));
}
