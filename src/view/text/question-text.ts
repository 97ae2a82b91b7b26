import type { Action, Plan } from '../../model/plan.js';
import { count, wordList } from '../../model/words.js';
import { escapeControls } from '../escape.js';
import { actingActions } from '../labels.js';

type ActingAction = Exclude<Action, 'none'>;

const nouns: Readonly<Record<ActingAction, readonly [one: string, several: string]>> = {
  create: ['create', 'creates'],
  update: ['update', 'updates'],
  replace: ['replacement', 'replacements'],
  delete: ['delete', 'deletes'],
  adopt: ['adoption', 'adoptions'],
  forget: ['removal from the inventory', 'removals from the inventory'],
};

/** `Apply 1 update and 2 deletes to collect.example.com?` */
export function applyQuestion({ changes, service }: Pick<Plan, 'changes' | 'service'>): string {
  const parts = actingActions.flatMap((action) => {
    const number = changes.filter((each) => each.action === action).length;
    return number === 0 ? [] : [count(number, ...nouns[action])];
  });
  const what = parts.length === 0 ? 'this plan' : wordList(parts, 'and');
  return `Apply ${what} to ${escapeControls(hostOf(service))}?`;
}

function hostOf(service: string): string {
  return URL.canParse(service) ? new URL(service).host : service;
}
