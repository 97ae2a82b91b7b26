import { isNote } from '../../model/finding.js';
import type { MatchRule, Plan, Why } from '../../model/plan.js';
import { escapeControls } from '../escape.js';
import { fieldViews, originText } from '../field-view.js';
import { actionLabels } from '../labels.js';
import { declaredText, fieldsText, nameAndId } from './change-text.js';
import { placeText } from './diagnostics-text.js';
import {
  hangingIndent,
  indent,
  joinBlocks,
  type TextLayout,
  type TextOptions,
  textLayout,
  wrap,
} from './layout.js';
import { headerLines } from './plan-text.js';

const ruleNames: Readonly<Record<MatchRule, string>> = {
  id: 'id',
  inventory: 'inventory',
  'natural-key': 'natural key',
  likeness: 'similarity',
};

/** For each resource: the remote object, the rule that matched it, what differs, and what is ignored and why. */
export function whyText(whys: readonly Why[], plan: Plan, options: TextOptions): string {
  const layout = textLayout(options);
  return joinBlocks([
    headerLines(plan, layout),
    ...whys.flatMap((why) => [
      matchLines(why, layout),
      defaultLines(why, layout),
      differenceLines(why, layout),
      ignoredLines(why, layout),
    ]),
  ]);
}

function matchLines(why: Why, { width, paint }: TextLayout): string[] {
  const { address, source, object, rule, tried, managedBy } = why;
  const declared = source === null ? [] : [`  ${escapeControls(declaredText(source))}`];
  const result = object === null ? 'does not match any remote object' : `matches ${objectText(object)}`;
  const by = rule === null || object === null ? '' : `, by ${ruleNames[rule]}`;
  const lines = tried.flatMap((each, index) => {
    const matched = object !== null && each.rule === rule;
    const mark = matched ? '*' : ' ';
    const lead = `  ${mark} ${index + 1}. ${ruleNames[each.rule].padEnd(11)} `;
    const sentence = hangingIndent(lead, wrap(escapeControls(each.says), width - lead.length));
    return matched ? sentence.map((line) => paint('strong', line)) : sentence;
  });
  const owner =
    managedBy === undefined
      ? []
      : wrap(
          escapeControls(
            `  It is in the inventory of project ${managedBy.project} (${managedBy.file}), too.`,
          ),
          width,
        );
  return [...wrap(`${escapeControls(address)} ${result}${by}`, width), ...declared, ...lines, ...owner];
}

function objectText(object: NonNullable<Why['object']>): string {
  return [...nameAndId(object.name, object.id), ...(object.id === null ? ['without an id'] : [])].join(' ');
}

function differenceLines({ change, endsHold }: Why, layout: TextLayout): string[] {
  if (change === null) return [];
  const { action, fields, origin } = change;
  const notes = change.findings.filter(isNote);
  if (action === 'none' && notes.length === 0) return ['No differences.'];
  const { verb, symbol } = actionLabels[action];
  const cause = endsHold ? 'its hold has ended' : origin && originText(origin);
  const from = cause === null ? '' : ` (${cause})`;
  const shown = fieldsText(fieldViews(change), { ...layout, width: layout.width - 2 });
  const noDetails = fields.length === 0 && notes.length === 0;
  const title = `${symbol} ${verb}${from}${noDetails ? '; no field differs' : ':'}`;
  const noteLines = notes.map(({ message }) => `note: ${escapeControls(message)}`);
  return [title, ...indent([...shown.lines, ...noteLines], 2)];
}

/** What the entry leaves out, and where it comes from instead. */
function defaultLines({ defaults }: Why, { width }: TextLayout): string[] {
  if (defaults.length === 0) return [];
  const lines = defaults.flatMap(({ property, environment, place }) => {
    const owner = environment === null ? 'the project' : `the environment ${environment}`;
    return wrap(escapeControls(`${property}: defaults of ${owner}, ${placeText(place)}`), width - 2);
  });
  return ['From defaults:', ...indent(lines, 2)];
}

function ignoredLines({ ignored }: Why, { width, paint }: TextLayout): string[] {
  if (ignored.length === 0) return [];
  const lines = ignored.flatMap(({ path, why }) =>
    wrap(`${escapeControls(path)}: ${escapeControls(why)}`, width - 2),
  );
  return ['Ignored:', ...lines.map((line) => `  ${paint('faint', line)}`)];
}
