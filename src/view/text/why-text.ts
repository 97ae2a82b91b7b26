import type { Plan } from '../../model/plan.js';
import type { Rule, Why } from '../../model/why.js';
import { actionLabels } from '../change-labels.js';
import { escapeControls, quoted } from '../escape.js';
import { fieldsText, originText } from './field-text.js';
import { hangingIndent, indent, joinBlocks, usableWidth, wrap } from './layout.js';
import { type Paint, painter, type TextOptions } from './paint.js';
import { headerLines } from './plan-text.js';
import { placeText } from './source-excerpt.js';

const ruleNames: Readonly<Record<Rule, string>> = {
  id: 'id',
  inventory: 'inventory',
  'natural-key': 'natural key',
  likeness: 'similarity',
};

/** The remote object, the rule that matched it, what differs, and what is ignored and why. */
export function whyText(why: Why, plan: Plan, options: TextOptions): string {
  const paint = painter(options.color);
  const width = usableWidth(options.width);
  return joinBlocks([
    headerLines(plan, width, paint),
    matchLines(why, width, paint),
    differenceLines(why, width, options.verbose ?? false, paint),
    ignoredLines(why, width, paint),
  ]);
}

function matchLines({ address, source, object, rule, tried }: Why, width: number, paint: Paint): string[] {
  const declared = source === null ? [] : [`  declared at ${placeText(source)}`];
  const result = object === null ? 'does not match any remote object' : `matches ${objectText(object)}`;
  const by = rule === null || object === null ? '' : `, by ${ruleNames[rule]}`;
  const lines = tried.flatMap((each, index) => {
    const matched = object !== null && each.rule === rule;
    const mark = matched ? '*' : ' ';
    const lead = `  ${mark} ${index + 1}. ${ruleNames[each.rule].padEnd(11)} `;
    const sentence = hangingIndent(lead, wrap(escapeControls(each.says), width - lead.length));
    return matched ? sentence.map((line) => paint('strong', line)) : sentence;
  });
  return [
    ...hangingIndent('', wrap(`${escapeControls(address)} ${result}${by}`, width)),
    ...declared,
    ...lines,
  ];
}

function objectText({ id, name }: NonNullable<Why['object']>): string {
  return [
    ...(name === null ? [] : [quoted(name)]),
    id === null ? 'without an id' : `id ${escapeControls(id)}`,
  ].join(' ');
}

function differenceLines({ change }: Why, width: number, verbose: boolean, paint: Paint): string[] {
  if (change === null) return [];
  const { action, fields, origin, notes } = change;
  if (action === 'none' && notes.length === 0) return ['No differences.'];
  const { verb, symbol } = actionLabels[action];
  const from = origin === null ? '' : ` (${originText(origin)})`;
  const options = { action, width: width - 2, verbose, paint };
  const noDetails = fields.length === 0 && notes.length === 0;
  return [
    `${symbol} ${verb}${from}${noDetails ? '; no field differs' : ':'}`,
    ...indent(
      [...fieldsText(fields, origin, options), ...notes.map((note) => `note: ${escapeControls(note)}`)],
      2,
    ),
  ];
}

function ignoredLines({ ignored }: Why, width: number, paint: Paint): string[] {
  if (ignored.length === 0) return [];
  const lines = ignored.flatMap(({ path, why }) =>
    wrap(`${escapeControls(path)}: ${escapeControls(why)}`, width - 2),
  );
  return [
    'Ignored:',
    ...indent(
      lines.map((line) => paint('faint', line)),
      2,
    ),
  ];
}
