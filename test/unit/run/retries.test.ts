import { expect, test } from 'vitest';
import type { ReadSession } from '../../../src/engine/session.js';
import type { Agent } from '../../../src/model/resource.js';
import { Retries } from '../../../src/operate/run/follow.js';
import { runIn } from '../../../src/operate/run/states.js';
import { Watch } from '../../../src/operate/watch.js';
import type { Client } from '../../../src/service/client.js';

const agents = [{ id: '00000000-0000-4000-8000-00000000000a', externalAgentId: 'a', name: 'a' } as Agent];
const member = runIn('notStarted', { address: 'agent/a', id: null, idKind: 'job' });
const group = runIn(
  'failed',
  { address: 'group/g', id: '00000000-0000-4000-8000-000000000001', idKind: 'groupRun' },
  { members: [member] },
);

test('after an interrupt, no member is tried again', async () => {
  let sent = 0;
  const client = new Proxy({} as Client, {
    get: () => () => {
      sent += 1;
      return Promise.resolve({});
    },
  });
  const clock = { now: () => new Date(0), monotonic: () => 0, sleep: () => Promise.resolve() };
  const session = { client: { reader: () => null }, clock, signal: AbortSignal.abort() };
  const watch = new Watch(session as unknown as ReadSession, agents);
  expect((await new Retries(1, client, watch).take(group)).members).toEqual([member]);
  expect(sent).toBe(0);
});
