import { describe, expect } from 'vitest';
import type { AnyFault } from '../support/client-faults.js';
import { sampleOf } from '../support/size.js';
import { commands, requestsOf, run, withCommand } from './support/commands.js';
import { experiments } from './support/experiments.js';

/** I1: a command that a fault at any of its requests interrupts is completed when it is run again: nothing twice, nothing lost. */

const faults: readonly AnyFault[] = [
  { act: 'kill-before' },
  { act: 'kill-after' },
  { act: 'drop' },
  { act: 'lose' },
  { act: 'cut' },
  { act: 'status', status: 500 },
  { act: 'status-after', status: 500 },
  { act: 'status', status: 403 },
];
const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

describe.each(sampleOf(commands, 3))('$name', async (command) => {
  const requests = await requestsOf(command);
  experiments(
    'I1',
    `${command.name} completes after a fault at any of its ${requests} requests`,
    upTo(requests).flatMap((nth) => faults.map((fault) => ({ ...fault, nth }))),
    (fault) =>
      withCommand(command, async (fixture) => {
        const words = await command.words(fixture);
        fixture.inject(fault);
        const ended = await fixture.command(...words);
        fixture.inject();
        expect(ended.stdout + ended.stderr).not.toContain('error[internal]');
        await command.always?.(fixture, ended);
        if (ended.exit === 0) await command.done(fixture);

        const next = await (command.again?.(fixture, words) ?? run(command, fixture));
        expect([next.exit, next.stderr]).toEqual([0, expect.any(String)]);
        await command.always?.(fixture, next);
        await command.done(fixture);
      }),
    21,
  );
});
