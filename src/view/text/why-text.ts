import type { Plan } from '../../model/plan.js';
import type { Rule, Why } from '../../model/why.js';
import { actionWords } from '../change-labels.js';
import { escapeControls, quoted } from '../escape.js';
import { fieldsText, originText } from './field-text.js';
import { hangingIndent, indent, usableWidth, wrap } from './layout.js';
import { type Paint, painter, type TextOptions } from './paint.js';
import { headerLines } from './plan-text.js';
import { placeText } from './source-excerpt.js';

const ruleNames: Readonly<Record<Rule, string>> = {
  id: 'id',
  inventory: 'inventory',
  'natural-key': 'natural key',
  likeness: 'likeness',
};

/** Which object it is, by which rule, what differs, and what is ignored and why. */
export function whyText(why: Why, plan: Plan, options: TextOptions): string {
  const paint = painter(options.color);
  const width = usableWidth(options.width);
  const blocks = [
    headerLines(plan, width, paint),
    pairing(why, width, paint),
    difference(why, width, options.verbose ?? false, paint),
    ignoredLines(why, width, paint),
  ];
  return `${blocks
    .filter((block) => block.length > 0)
    .map((block) => block.join('\n'))
    .join('\n\n')}\n`;
}

function pairing({ address, source, object, rule, tried }: Why, width: number, paint: Paint): string[] {
  const declared = source === null ? [] : [`  declared at ${placeText(source)}`];
  const found = object === null ? 'is paired with nothing' : `is paired with ${objectText(object)}`;
  const by = rule === null || object === null ? '' : `, by its ${ruleNames[rule]}`;
  const lines = tried.flatMap((each, index) => {
    const hit = object !== null && each.rule === rule;
    const mark = hit ? '*' : ' ';
    const lead = `  ${mark} ${index + 1}. ${ruleNames[each.rule].padEnd(11)} `;
    const says = hangingIndent(lead, wrap(escapeControls(each.says), width - lead.length));
    return hit ? says.map((line) => paint('strong', line)) : says;
  });
  return [
    ...hangingIndent('', wrap(`${escapeControls(address)} ${found}${by}`, width)),
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

function difference({ change }: Why, width: number, verbose: boolean, paint: Paint): string[] {
  if (change === null) return [];
  const { action, fields, origin, notes } = change;
  if (action === 'none' && notes.length === 0) return ['Nothing differs.'];
  const { verb, symbol } = actionWords[action];
  const from = origin === null ? '' : ` (${originText(origin)})`;
  const room = { action, width: width - 2, verbose, paint };
  const nothing = fields.length === 0 && notes.length === 0;
  return [
    `${symbol} ${verb}${from}${nothing ? '; no field differs' : ':'}`,
    ...indent(
      [...fieldsText(fields, origin, room), ...notes.map((note) => `note: ${escapeControls(note)}`)],
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
