import { expect, test } from 'vitest';
import { Pacer } from '../../../src/operate/run/pace.js';
import { Retries, retryMembers } from '../../../src/operate/run/retries.js';
import { runIn } from '../../../src/operate/run/states.js';
import type { Agent } from '../../../src/model/resource.js';
import type { Client } from '../../../src/service/client.js';

const agents = [{ id: 'id-a', externalAgentId: 'a', name: 'a' } as Agent];
const member = runIn('notStarted', { address: 'agent/a', id: null, idKind: 'job' });
const group = runIn('failed', { address: 'group/g', id: 'run', idKind: 'groupRun' }, { members: [member] });

test('after an interrupt, no member is tried again', async () => {
  let sent = 0;
  const client = new Proxy({} as Client, {
    get: () => () => {
      sent += 1;
      return Promise.resolve({});
    },
  });
  const pacer = new Pacer({ now: () => 0, sleep: () => Promise.resolve() });
  const retries = new Retries(1, client, { agents, pacer, interrupted: () => true });
  expect((await retryMembers(group, retries)).members).toEqual([member]);
  expect(sent).toBe(0);
});
