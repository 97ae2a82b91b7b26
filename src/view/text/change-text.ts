import type { Change } from '../../model/plan.js';
import type { ShownCall } from '../calls.js';
import { actionWords, needsCare } from '../change-labels.js';
import { escapeControls, quoted } from '../escape.js';
import { fieldsText, originText } from './field-text.js';
import { cut, flow, hangingIndent, indent, type Piece, wrap } from './layout.js';
import type { Paint } from './paint.js';
import { runsText } from './runs-text.js';

export interface ChangeRoom {
  readonly width: number;
  readonly verbose: boolean;
  readonly paint: Paint;
}

/** One change of a text plan: its heading, its fields, what a reviewer must know, and its calls when asked for. */
export function changeText(change: Change, calls: readonly ShownCall[], room: ChangeRoom): string[] {
  const { verbose, paint } = room;
  const width = room.width - 6;
  const fields = fieldsText(change.fields, change.origin, { action: change.action, width, verbose, paint });
  const said = [...change.risks.map((risk) => risk.message), ...change.notes];
  const notes = said.flatMap((note) => hangingIndent('note: ', wrap(escapeControls(note), width - 6)));
  const runs = change.nextRuns === null ? [] : runsText(change.nextRuns, width, paint);
  const details = verbose ? detailLines(change, calls, width).map((line) => paint('faint', line)) : [];
  const noteLines = notes.map((line) => paint('warning', line));
  return [...heading(change, room), ...indent([...fields, ...noteLines, ...runs, ...details], 6)];
}

/** `~ update  group/retail-prices  "Retail prices"  id 3f2a`. What needs care is in capitals, for those without colour. */
function heading(change: Change, { width, paint }: ChangeRoom): string[] {
  const { symbol, verb, style } = actionWords[change.action];
  const care = needsCare(change);
  const action = `${symbol} ${(care ? verb.toUpperCase() : verb).padEnd(7)}`;
  const address = cut(escapeControls(change.address), width - 12);
  const pieces: Piece[] = [
    {
      text: `${action} ${address}`,
      shown: `${paint(care ? 'danger' : style, action)} ${paint('strong', address)}`,
    },
    ...about(change).map((text) => ({ text: cut(text, width - 12) })),
    ...remarks(change).map((text) => ({ text, shown: paint('warning', text) })),
  ];
  const [first = '', ...rest] = flow(pieces, width - 2, '  ');
  return [`  ${first}`, ...indent(rest, 12)];
}

function about({ name, id }: Change): string[] {
  return [...(name === null ? [] : [quoted(name)]), ...(id === null ? [] : [`id ${escapeControls(id)}`])];
}

function remarks(change: Change): string[] {
  const adopted = change.adopted ? ['(adopted: not in the inventory so far)'] : [];
  const elsewhere =
    change.origin === 'remote' || change.origin === 'both' ? [`(${originText(change.origin)})`] : [];
  return [...adopted, ...elsewhere];
}

function detailLines(change: Change, calls: readonly ShownCall[], width: number): string[] {
  const { source } = change;
  const declared = source === null ? [] : [`declared at ${source.file}:${source.line}:${source.column}`];
  const sent = calls.map(({ method, path }) => `call: ${method} ${path}`);
  return [...declared, ...sent].map((line) => cut(escapeControls(line), width));
}
