import type { ApplyOptions } from '../engine/apply.js';
import { problem } from '../model/diagnostic.js';
import type { Plan } from '../model/plan.js';
import { type CarryOutFlags, carryOut } from './apply.js';
import { declarations } from './command/declarations.js';
import { chooseDigest, chooseLockTimeout, planOptions } from './command/flags.js';
import { confirm } from './host/confirm.js';
import type { CommandContext } from './host/host.js';

/** `roster destroy`: deletes what the inventory owns, after its user has typed the name of the project. */
export function destroyCommand(
  addresses: readonly string[],
  flags: CarryOutFlags,
  context: CommandContext,
): Promise<number> {
  return carryOut(flags, context, {
    formats: declarations.destroy.formats,
    options: () => destroyOptions(addresses, flags, context),
    ask: isConfirmed(flags) ? null : (plan) => confirm(question(plan, context), plan.project),
  });
}

/** `--yes` alone is not enough: nobody may have seen what it deletes. */
function isConfirmed({ yes, expect }: CarryOutFlags): boolean {
  return yes === true && expect !== undefined;
}

function destroyOptions(
  addresses: readonly string[],
  flags: CarryOutFlags,
  { host }: CommandContext,
): ApplyOptions {
  const options = planOptions(addresses, flags);
  const lockTimeoutMilliseconds = chooseLockTimeout(flags);
  const expect = chooseDigest(flags);
  if (!isConfirmed(flags) && (flags.yes === true || !host.stdinIsTerminal)) {
    const message =
      flags.yes === true
        ? '`roster destroy --yes` requires `--expect`'
        : 'there is no terminal to ask for confirmation';
    const help =
      'Review `roster plan --destroy`, and pass its digest: `roster destroy --yes --expect DIGEST`.';
    throw problem('not-confirmed', message, help);
  }
  return { ...options, destroy: true, lockTimeoutMilliseconds, expect, verify: flags.verify !== false };
}

function question({ service, project, changes }: Plan, { output }: CommandContext): string {
  const count = changes.filter(({ action }) => action === 'delete').length;
  const what = count === 1 ? 'this object' : `these ${count} objects`;
  const where = output.redactor.value(service);
  return `Delete ${what} from ${where}? This cannot be undone.\nEnter the name of the project, ${project}, to confirm: `;
}
