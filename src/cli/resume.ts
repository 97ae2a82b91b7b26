import { type ResumeFlags, runHold } from './hold.js';
import type { CommandContext } from './host/host.js';

/** `roster resume`: enables again what a hold has paused. */
export function resumeCommand(
  addresses: readonly string[],
  flags: ResumeFlags,
  context: CommandContext,
): Promise<number> {
  return runHold(addresses, flags, context, () => null);
}
