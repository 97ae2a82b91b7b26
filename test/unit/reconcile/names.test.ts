import { expect, test } from 'vitest';
import { agents, group, reconcileWorld, remoteGroup } from '../../support/small-world.js';

const { names } = reconcileWorld({
  entries: [group('a'), group('theirs', {}, { external: true })],
  objects: [
    remoteGroup('1', { name: 'a' }),
    remoteGroup('2', { name: 'theirs' }),
    remoteGroup('3', { name: 'other' }),
  ],
});

test.each([
  ['the address of a declared object', names.object('group', '1'), 'group/a'],
  ['the address of an external object', names.object('group', '2'), 'group/theirs'],
  ['the name and id of an object that no entry declares', names.object('group', '3'), 'group "other" (3)'],
  ['the id of an unknown object', names.object('group', '4'), 'group/4'],
  ['the externalAgentId of an agent', names.agent(agents[0]?.id ?? ''), 'acme'],
  ['the id of an unknown agent', names.agent('nobody'), 'nobody'],
])('names: %s', (_, name, expected) => expect(name).toBe(expected));
