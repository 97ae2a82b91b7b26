import { runGroup } from '../service/operations/group-runs.js';
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
  startByHand: {
    makes: 'groupRun',
    takesInputs: true,
    start(id, inputs) {
      const { request, parse } = runGroup(id, inputs);
      return { request, parse: (data) => ({ id: parse(data).id, idKind: 'groupRun', startedAt: null }) };
    },
  },
});
