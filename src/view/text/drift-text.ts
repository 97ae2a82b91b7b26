import type { Drift, Drifted } from '../../model/drift.js';
import { escapeControls } from '../escape.js';
import { nameAndId } from './change-text.js';
import { fieldsText } from './field-text.js';
import { count, cut, flow, indent, joinBlocks, usableWidth } from './layout.js';
import { type Paint, painter, type TextOptions } from './paint.js';
import { headerLines } from './plan-text.js';

/** What was changed outside roster: each field as last applied and as it is on the service. */
export function driftText(drift: Drift, options: TextOptions): string {
  const paint = painter(options.color);
  const width = usableWidth(options.width);
  return joinBlocks([
    headerLines(drift, width, paint),
    ...drift.changes.map((each) => changeLines(each, width, options.verbose ?? false, paint)),
    [paint('strong', driftLine(drift))],
  ]);
}

function changeLines(change: Drifted, width: number, verbose: boolean, paint: Paint): string[] {
  const { what, address, fields } = change;
  const action = what === 'changed' ? '~ changed' : '- deleted';
  const [first = '', ...rest] = flow(
    [escapeControls(address), ...nameAndId(change)].map((text) => ({ text: cut(text, width - 14) })),
    width - 14,
    '  ',
  );
  const options = { action: 'update' as const, width: width - 6, verbose, paint };
  return [
    `  ${paint(what === 'changed' ? 'changed' : 'danger', action)}  ${paint('strong', first)}`,
    ...indent(rest, 13),
    ...indent(fieldsText(fields, 'remote', options), 6),
  ];
}

function driftLine({ changes, resources }: Drift): string {
  const of = (what: Drifted['what']) => changes.filter((each) => each.what === what).length;
  if (changes.length === 0)
    return `No drift. Nothing was changed outside roster since the last apply (${count(resources, 'resource')}).`;
  return `Drift: ${of('changed')} changed, ${of('deleted')} deleted outside roster since the last apply.`;
}
