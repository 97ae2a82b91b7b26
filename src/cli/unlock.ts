import { type Diagnostic, Problem } from '../model/diagnostic.js';
import type { LockInfo } from '../model/inventory.js';
import { escapeControls } from '../view/escape.js';
import { jsonText } from '../view/json/json-text.js';
import { confirm } from './confirm.js';
import { exitCode } from './exit.js';
import { load } from './load.js';
import type { Output } from './output.js';
import { runCommand } from './run-command.js';
import { openStore } from './session.js';
import { type CommonFlags, type Host, usage } from './settings.js';

export interface UnlockFlags extends CommonFlags {
  readonly yes?: boolean;
}

/** `roster unlock`: takes the inventory's lock away from a run that is dead. Needs neither the service nor a key. */
export function unlock(flags: UnlockFlags, host: Host, output: Output): Promise<number> {
  return runCommand({ flags, formats: ['text', 'json'], host, output }, async () => {
    const { project, diagnostics } = load(flags, host, output);
    if (project === null) throw new Problem(diagnostics);
    const store = openStore(project, host.env);
    const holder = await store.holder();
    const seen = output.hidden(holder);
    const agreed = holder === null || (await isAgreed(holder, store.name, flags, host));
    if (holder !== null && agreed) await store.unlock(holder);
    return {
      exit: agreed ? exitCode.fine : exitCode.error,
      diagnostics: agreed && holder?.alive === true ? [perhapsAtWork(holder)] : [],
      began: false,
      render: (format) =>
        format === 'json'
          ? jsonText({
              formatVersion: 1,
              inventory: store.name,
              holder: shown(seen),
              removed: holder !== null && agreed,
            })
          : said(seen, agreed),
    };
  });
}

/** Without the token, which is of no use to a reader. */
function shown(holder: LockInfo | null) {
  return holder === null ? null : { name: holder.name, since: holder.since, until: holder.until };
}

async function isAgreed(holder: LockInfo, store: string, flags: UnlockFlags, host: Host): Promise<boolean> {
  if (flags.yes === true) return true;
  const locked = `the inventory ${store} is locked by ${holder.name} since ${holder.since}`;
  if (!host.stdinIsTerminal)
    throw new Problem(
      usage(`${locked}, and there is no terminal to ask on`, 'Say --yes if that run is dead.'),
    );
  const state =
    holder.alive === true
      ? 'That process is there, on this machine: unless it is another program by now, end it first.'
      : 'If that run is still at work, two would write at once.';
  const question = `${escapeControls(locked)}.\n${state}\nIs it dead? Only 'yes' will be accepted: `;
  return (await confirm(question)) === 'yes';
}

/** Said, not refused: a process that has ended can seem to be there until its parent has looked after it. */
function perhapsAtWork({ name }: LockInfo): Diagnostic {
  const message = `${name} is there on this machine: if it is the run that held the lock, it writes no more to the inventory`;
  const help = 'Run `roster plan` when it has ended: it finds what that run created by its name.';
  return { severity: 'warning', code: 'locked', message, help };
}

function said(holder: LockInfo | null, agreed: boolean): string {
  if (holder === null) return 'Nobody holds the lock.\n';
  return agreed ? `The lock of ${escapeControls(holder.name)} is gone.\n` : 'The lock stays.\n';
}
