import { groupOperations } from '../service/operations/groups.js';
import { collectionKind } from './collection.js';
import { agentSet } from './rules.js';

/** Agent groups (interface §2, §4 Agent groups). The agents are a set. */
export const group = collectionKind({
  name: 'group',
  section: 'groups',
  shape: 'folder',
  field: 'members',
  noun: 'member',
  rule: agentSet,
  ordered: false,
  maximum: null,
  startsAtOnce: (members) => members,
  operations: groupOperations,
});
