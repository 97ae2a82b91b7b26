import type { Action } from '../../model/plan.js';
import type { ChangeOutcome } from '../../model/report.js';
import type { Address } from '../../model/resource.js';
import { andMore, count, grouped, waitText } from '../../model/words.js';
import { cut, widthOf } from '../columns.js';
import { escapeControls } from '../escape.js';
import { actionLabels } from '../labels.js';

export interface ProgressState {
  readonly done: number;
  readonly total: number;
  /** The steps in flight, the longest running first. */
  readonly running: readonly Address[];
  readonly width: number;
}

/** `3 of 10: group/a, schedule/b and 4 more`: one line that a terminal overwrites, always narrower than the terminal. */
export function progressLine({ done, total, running, width }: ProgressState): string {
  const lead = `${grouped(done)} of ${grouped(total)}${running.length === 0 ? '' : ':'}`;
  const available = Math.max(24, width - 1) - widthOf(lead) - 1;
  let text = '';
  for (const [index, address] of running.entries()) {
    const longer =
      text === '' ? cut(escapeControls(address), available) : `${text}, ${escapeControls(address)}`;
    const rest = andMore(running.length - index - 1);
    if (text !== '' && widthOf(longer + rest) > available) {
      const fitting = text + andMore(running.length - index);
      return `${lead} ${widthOf(fitting) > available ? cut(fitting, available) : fitting}`;
    }
    text = longer;
  }
  return text === '' ? lead : `${lead} ${text}`;
}

export interface StepEnd extends ChangeOutcome {
  readonly action: Action;
}

/** `group/retail-prices: created (id 3f2a)`: one line per change, for logs. */
export function stepLine({ address, action, outcome, id, error }: StepEnd): string {
  const { verb, past } = actionLabels[action];
  const why = error === null ? '' : `: ${escapeControls(error)}`;
  const object = id === null ? '' : ` (id ${escapeControls(id)})`;
  switch (outcome) {
    case 'done':
      return `${escapeControls(address)}: ${past}${object}`;
    case 'failed':
      return `${escapeControls(address)}: could not ${verb}${object}${why}`;
    case 'skipped':
      return `${escapeControls(address)}: not tried${why}`;
    case 'unknown':
      return `${escapeControls(address)}: unknown whether ${past}${object}${why}`;
    default:
      return outcome satisfies never;
  }
}

export interface RequestAttempt {
  readonly method: string;
  readonly path: string;
  readonly status: number | null;
  readonly milliseconds: number;
  readonly attempt: number;
}

/** `GET /api/search-groups 200 35 ms (attempt 1)`: never a header or a body. */
export function requestLine({ method, path, status, milliseconds, attempt }: RequestAttempt): string {
  const result = status === null ? 'no response' : String(status);
  return `${method} ${escapeControls(path)} ${result} ${Math.round(milliseconds)} ms (attempt ${attempt})`;
}

export function pauseLine(milliseconds: number): string {
  return `The service is limiting requests; waiting ${waitText(milliseconds)}`;
}

export function readingLine(responses: number): string {
  return `Reading from the service … ${count(responses, 'response')}`;
}
