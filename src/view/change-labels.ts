import type { Action, Change, Step } from '../model/plan.js';
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

/** A plan with more changes begins with a list of them, one line each. */
const MOST_WITHOUT_LIST = 20;

export function needsList(changes: readonly Change[]): boolean {
  return changes.filter(({ action }) => action !== 'none').length > MOST_WITHOUT_LIST;
}

/**
 * True for changes that a reviewer must not overlook: a delete cannot be undone, and a step that delivers a secret
 * creates a credential, which may revoke another one and allow more than it did (contract §6, markdown).
 */
export function needsCare(change: Change, steps: readonly Step[]): boolean {
  const { action } = change;
  return (
    action === 'delete' ||
    action === 'replace' ||
    deliversSecret(change) ||
    steps.some((step) => step.delivery !== null)
  );
}

/** Also without a request: a key that an earlier run kept. Shows what may run a program. */
export function deliversSecret({ fields }: Change): boolean {
  return fields.some(({ layout }) => layout === 'whole');
}
