import type { Action, Plan } from '../../model/plan.js';
import { numberText } from '../../model/schedule.js';
import { agree, wordList } from '../../model/words.js';
import { escapeControls } from '../escape.js';
import { actingActions, isMoved } from '../labels.js';

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
  const counted = (number: number, noun: readonly [string, string]) =>
    number === 0 ? [] : [`${numberText(number)} ${agree(number, ...noun)}`];
  const unmoved = changes.filter((each) => !isMoved(each));
  const parts = [
    ...actingActions.flatMap((action) =>
      counted(unmoved.filter((each) => each.action === action).length, nouns[action]),
    ),
    ...counted(changes.length - unmoved.length, ['moved key', 'moved keys']),
  ];
  const what = parts.length === 0 ? 'this plan' : wordList(parts, 'and');
  return `Apply ${what} to ${escapeControls(hostOf(service))}?`;
}

function hostOf(service: string): string {
  return URL.canParse(service) ? new URL(service).host : service;
}
