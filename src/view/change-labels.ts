import type { Action, Change } from '../model/plan.js';
import type { Style } from './text/paint.js';

interface Words {
  readonly symbol: string;
  /** `2 to create`. */
  readonly verb: string;
  /** `2 created`. */
  readonly past: string;
  readonly style: Style;
}

/** How each action is called and marked, in every format. */
export const actionWords: Readonly<Record<Action, Words>> = {
  create: { symbol: '+', verb: 'create', past: 'created', style: 'added' },
  update: { symbol: '~', verb: 'update', past: 'updated', style: 'changed' },
  replace: { symbol: '±', verb: 'replace', past: 'replaced', style: 'replaced' },
  delete: { symbol: '-', verb: 'delete', past: 'deleted', style: 'removed' },
  adopt: { symbol: '=', verb: 'adopt', past: 'adopted', style: 'kept' },
  forget: { symbol: '.', verb: 'forget', past: 'forgotten', style: 'faint' },
  none: { symbol: ' ', verb: 'keep', past: 'unchanged', style: 'faint' },
};

/** The acting changes in the order of the summary. */
export const actingActions = ['create', 'update', 'replace', 'delete', 'adopt', 'forget'] as const;

/**
 * Changes that a reviewer must not overlook: what is deleted cannot be had back, and a new key ends the old one
 * and may open more than it did (contract §6, markdown).
 */
export function needsCare(change: Change): boolean {
  if (change.action === 'delete' || change.action === 'replace') return true;
  return change.fields.some(({ path }) => path === 'deliver');
}
