import { Problem } from '../model/diagnostic.js';
import type { Holder } from '../model/inventory.js';
import { inert } from '../view/escape.js';
import { jsonText } from '../view/json-text.js';
import { confirm } from './confirm.js';
import { exitCode } from './exit.js';
import { load } from './load.js';
import type { Output } from './output.js';
import { present } from './present.js';
import { openStore } from './session.js';
import { type CommonFlags, type Surroundings, usage } from './settings.js';

export interface UnlockFlags extends CommonFlags {
  readonly yes?: boolean;
}

/** `roster unlock`: takes the inventory's lock away from a run that is dead. Needs neither the service nor a key. */
export function unlock(flags: UnlockFlags, around: Surroundings, output: Output): Promise<number> {
  return present({ flags, formats: ['text', 'json'], around, output }, async () => {
    const { project, diagnostics } = load(flags, around, output);
    if (project === null) throw new Problem(diagnostics);
    const store = openStore(project, around.env);
    const holder = await store.holder();
    const agreed = holder === null || (await isAgreed(holder, store.name, flags, around));
    if (holder !== null && agreed) await store.unlock(holder);
    return {
      exit: agreed ? exitCode.fine : exitCode.error,
      diagnostics: [],
      began: false,
      render: (format) =>
        format === 'json'
          ? jsonText({
              formatVersion: 1,
              inventory: store.name,
              holder: shown(holder),
              removed: holder !== null && agreed,
            })
          : said(holder, agreed),
    };
  });
}

/** Without the token, which is of no use to a reader. */
function shown(holder: Holder | null) {
  return holder === null ? null : { name: holder.name, since: holder.since, until: holder.until };
}

async function isAgreed(
  holder: Holder,
  store: string,
  flags: UnlockFlags,
  around: Surroundings,
): Promise<boolean> {
  if (flags.yes === true) return true;
  if (!around.stdinIsTerminal)
    throw new Problem(usage('there is no terminal to ask on', 'Say --yes if that run is dead.'));
  const who = `${inert(holder.name)} since ${inert(holder.since)}`;
  const question = `The inventory ${inert(store)} is locked by ${who}.\nIf that run is still at work, two would write at once. Is it dead?\nOnly 'yes' will be accepted: `;
  return (await confirm(question)) === 'yes';
}

function said(holder: Holder | null, agreed: boolean): string {
  if (holder === null) return 'Nobody holds the lock.\n';
  return agreed ? `The lock of ${inert(holder.name)} is gone.\n` : 'The lock stays.\n';
}
