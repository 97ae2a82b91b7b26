import type { Drift, Drifted } from '../../model/plan.js';
import { nameBesideKey } from '../change-view.js';
import { escapeControls } from '../escape.js';
import { fieldViews } from '../field-view.js';
import { driftCounts, driftNotKnown, factSentence, noDrift, unmanagedFact } from '../plan-words.js';
import { fieldsText, nameAndId } from './change-text.js';
import { flow, folded, indent, joinBlocks, type TextLayout, type TextOptions, textLayout } from './layout.js';
import { headerLines } from './plan-text.js';

/** What was changed outside roster: each field as last applied and as it is on the service. */
export function driftText(drift: Drift, options: TextOptions): string {
  const layout = textLayout(options);
  return joinBlocks([
    headerLines(drift, layout),
    ...drift.changes.map((each) => changeLines(each, layout)),
    [...unmanagedFact(drift.unmanaged).map(factSentence), layout.paint('strong', driftLine(drift))],
  ]);
}

function changeLines(change: Drifted, layout: TextLayout): string[] {
  const { what, address } = change;
  const { width, paint } = layout;
  const action = what === 'changed' ? '~ changed' : '- deleted';
  const texts = [escapeControls(address), ...nameAndId(nameBesideKey(change), change.id)].flatMap((text) =>
    folded(text, width - 14),
  );
  const [first = '', ...rest] = flow(
    texts.map((text) => ({ text })),
    width - 14,
    '  ',
  );
  const views = fieldViews({ ...change, action: 'update', origin: 'remote' });
  return [
    `  ${paint(what === 'changed' ? 'changed' : 'danger', action)}  ${paint('strong', first)}`,
    ...indent(rest, 13),
    ...indent(fieldsText(views, { ...layout, width: width - 6 }).lines, 6),
  ];
}

function driftLine(drift: Drift): string {
  const counts = driftCounts(drift);
  const { verdict, says } = noDrift(drift);
  if (counts === null) return `${verdict} ${says}`;
  return `Drift: ${counts} outside roster since the last apply.${driftNotKnown(drift)}`;
}
