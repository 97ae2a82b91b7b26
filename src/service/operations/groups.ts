import { collectionOperations } from './collection.js';

/** Agent groups (interface §2 Agent group, §4 Agent groups): their members have no order. */
export const groupOperations = collectionOperations({
  path: '/api/search-groups',
  noun: 'group',
  field: 'members',
  count: 'memberCount',
  ordered: false,
  idNames: ['id', 'groupId'],
});

export const {
  list: listGroups,
  get: getGroup,
  create: createGroup,
  update: updateGroup,
  replaceAgents: replaceMembers,
  remove: deleteGroup,
  createdId,
} = groupOperations;
