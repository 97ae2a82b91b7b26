import { expect, test } from 'vitest';
import { groupRun, memberNotStarted, runIn } from '../../../src/operate/run/states.js';

const name = { address: 'group/shops', id: 'r-1', idKind: 'groupRun' } as const;

test('a message of the service that fills screens is replaced by its length, and never cut', () => {
  const reason = 'x'.repeat(10_001);
  const member = memberNotStarted({ agentId: null, agentName: 'Acme', reason }, []);
  expect(member.message).toBe('a message of 10001 characters, which is too long to show');
  const whole = groupRun(name, 1, [member], null);
  expect(whole.members[0]?.message).toBe(member.message);
});

test('any other message is shown as it is', () => {
  const message = 'x'.repeat(10_000);
  expect(runIn('failed', name, { message }).message).toBe(message);
});
