import type { Action } from '../model/plan.js';
import type { Style } from './text/paint.js';

interface ActionLabel {
  readonly symbol: string;
  /** `2 to create`. */
  readonly verb: string;
  /** `2 created`. */
  readonly past: string;
  readonly style: Style;
}

/** The name and the symbol of each action, the same in every format. */
export const actionLabels: Readonly<Record<Action, ActionLabel>> = {
  create: { symbol: '+', verb: 'create', past: 'created', style: 'added' },
  update: { symbol: '~', verb: 'update', past: 'updated', style: 'changed' },
  replace: { symbol: '±', verb: 'replace', past: 'replaced', style: 'replaced' },
  delete: { symbol: '-', verb: 'delete', past: 'deleted', style: 'removed' },
  adopt: { symbol: '=', verb: 'adopt', past: 'adopted', style: 'kept' },
  forget: { symbol: '.', verb: 'forget', past: 'forgotten', style: 'faint' },
  none: { symbol: ' ', verb: 'keep', past: 'unchanged', style: 'faint' },
};

/** Every action but `none`, in the order of the summary line. */
export const actingActions = ['create', 'update', 'replace', 'delete', 'adopt', 'forget'] as const;
