import type { Action } from '../../model/plan.js';
import type { Outcome } from '../../model/report.js';
import type { Address } from '../../model/resource.js';
import { actionWords } from '../change-labels.js';
import { escapeControls } from '../escape.js';
import { cut, widthOf } from './layout.js';

export interface Progress {
  readonly done: number;
  readonly total: number;
  /** What is under way, the longest running first. */
  readonly running: readonly Address[];
  readonly width: number;
}

/** `[3/10] group/a, schedule/b and 4 more`: one line that a terminal overwrites; never as wide as the terminal. */
export function progressLine({ done, total, running, width }: Progress): string {
  const lead = `[${done}/${total}]`;
  const room = Math.max(24, width - 1) - widthOf(lead) - 1;
  let text = '';
  for (const [index, address] of running.entries()) {
    const longer = text === '' ? cut(escapeControls(address), room) : `${text}, ${escapeControls(address)}`;
    const rest = more(running.length - index - 1);
    if (text !== '' && widthOf(longer + rest) > room) {
      const fitting = text + more(running.length - index);
      return `${lead} ${widthOf(fitting) > room ? cut(fitting, room) : fitting}`;
    }
    text = longer;
  }
  return text === '' ? lead : `${lead} ${text}`;
}

function more(number: number): string {
  return number === 0 ? '' : ` and ${number} more`;
}

export interface StepEnd {
  readonly address: Address;
  readonly action: Action;
  readonly outcome: Outcome;
  readonly id: string | null;
  readonly error: string | null;
}

/** `group/retail-prices: created (id 3f2a)`: one line for each change, for logs. */
export function stepLine({ address, action, outcome, id, error }: StepEnd): string {
  const { verb, past } = actionWords[action];
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
