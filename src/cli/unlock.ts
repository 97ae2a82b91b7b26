import { type Unlocked, unlock } from '../engine/unlock.js';
import { type Diagnostic, Problem } from '../model/diagnostic.js';
import type { LockInfo } from '../model/inventory.js';
import { escapeControls } from '../view/escape.js';
import { jsonText } from '../view/json/diagnostics-json.js';
import type { FlagsOf, Implementation } from './command/command.js';
import { exitCode } from './command/exit.js';
import { projectOptions, usage } from './command/flags.js';
import type { unlockCommand } from './commands/tools.js';
import { confirm } from './host/confirm.js';
import type { Host } from './host/host.js';

type UnlockFlags = FlagsOf<typeof unlockCommand>;

/** `roster unlock`: takes the lock of the inventory from a run that is dead. Needs neither the service nor an API key. */
export const runUnlock: Implementation<typeof unlockCommand> = async (flags, context) => {
  const ask = (holder: LockInfo, inventory: string) => isDead(holder, inventory, flags, context.host);
  const result = await unlock(projectOptions(flags, context), ask);
  const { holder, removed } = result;
  const shown = context.output.redactor.value(result);
  return {
    exit: holder === null || removed ? exitCode.fine : exitCode.error,
    diagnostics: removed && holder?.alive === true ? [stillRunning(holder)] : [],
    render: { text: () => unlockText(shown), json: () => unlockJson(shown) },
  };
};

/** Without the token, which is of no use to a reader. */
function unlockJson({ inventory, holder, removed }: Unlocked): string {
  const { name, since, until } = holder ?? {};
  return jsonText({ formatVersion: 1, inventory, holder: holder && { name, since, until }, removed });
}

function unlockText({ holder, removed }: Unlocked): string {
  if (holder === null) return 'The inventory is not locked.\n';
  return removed ? `Removed the lock of ${escapeControls(holder.name)}.\n` : 'The lock was not removed.\n';
}

async function isDead(holder: LockInfo, store: string, flags: UnlockFlags, host: Host): Promise<boolean> {
  if (flags.yes === true) return true;
  const locked = `the inventory ${store} has been locked by ${holder.name} since ${holder.since}`;
  if (!host.stdinIsTerminal) {
    const message = `${locked}, and there is no terminal to ask for confirmation`;
    throw new Problem(usage(message, 'Use `--yes` if that command was killed.'));
  }
  const state =
    holder.alive === true
      ? 'A process with this id is running on this machine. Stop it first, unless it is a different program.'
      : 'If that command is still running, two commands would write at the same time.';
  const question = `${escapeControls(locked)}.\n${state}\nRemove the lock? Only 'yes' will be accepted: `;
  return (await confirm(question)) === 'yes';
}

/** A warning, not a refusal: a process that has ended can still be listed until its parent collects it. */
function stillRunning({ name }: LockInfo): Diagnostic {
  const message = `${name} is running on this machine: if it is the command that held the lock, it can no longer write to the inventory`;
  const help = 'After it has ended, run `roster plan`, which finds by name the objects that it created.';
  return { severity: 'warning', code: 'locked', message, help };
}
