import type { Drift, Drifted } from '../../model/drift.js';
import { escapeControls } from '../escape.js';
import { nameAndId } from './change-text.js';
import { fieldsText } from './field-text.js';
import { count, flow, folded, indent, joinBlocks } from './layout.js';
import { type TextLayout, type TextOptions, textLayout } from './paint.js';
import { headerLines, unmanagedLines } from './plan-text.js';

/** What was changed outside roster: each field as last applied and as it is on the service. */
export function driftText(drift: Drift, options: TextOptions): string {
  const layout = textLayout(options);
  return joinBlocks([
    headerLines(drift, layout),
    ...drift.changes.map((each) => changeLines(each, layout)),
    [...unmanagedLines(drift), layout.paint('strong', driftLine(drift))],
  ]);
}

function changeLines(change: Drifted, layout: TextLayout): string[] {
  const { what, address, fields } = change;
  const { width, paint } = layout;
  const action = what === 'changed' ? '~ changed' : '- deleted';
  const texts = [escapeControls(address), ...nameAndId(change)].flatMap((text) => folded(text, width - 14));
  const [first = '', ...rest] = flow(
    texts.map((text) => ({ text })),
    width - 14,
    '  ',
  );
  const options = { ...layout, action: 'update' as const, width: width - 6 };
  return [
    `  ${paint(what === 'changed' ? 'changed' : 'danger', action)}  ${paint('strong', first)}`,
    ...indent(rest, 13),
    ...indent(fieldsText(fields, 'remote', options).lines, 6),
  ];
}

function driftLine(drift: Drift): string {
  const counts = driftCounts(drift);
  if (counts === null)
    return `No drift. Nothing was changed outside roster since the last apply (${count(drift.resources, 'resource')}).`;
  return `Drift: ${counts} outside roster since the last apply.`;
}

/** `1 changed, 0 deleted`; null without drift. */
export function driftCounts({ changes }: Drift): string | null {
  const of = (what: Drifted['what']) => changes.filter((each) => each.what === what).length;
  return changes.length === 0 ? null : `${of('changed')} changed, ${of('deleted')} deleted`;
}
