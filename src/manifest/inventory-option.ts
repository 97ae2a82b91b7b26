import type { Settings } from './generated/settings.js';
import { settings as isSettings } from './generated/validators.js';

/** `inventory:` of roster.yaml, before the name of the environment is added. */
export type WrittenInventory = NonNullable<Settings['inventory']>;

/**
 * Reads `--inventory`: the path of a file in the project's folder, or `git:REF@REMOTE`, of which both parts may be left
 * out. The rules are those of `inventory:` in roster.yaml. Null for anything else.
 */
export function parseInventory(text: string): WrittenInventory | null {
  const written = text.startsWith('git:') ? gitInventory(text.slice('git:'.length)) : { file: text };
  const inventory = written as WrittenInventory;
  // There are no variables on a command line.
  const isValid = !text.includes('${') && isSettings({ project: 'p', inventory });
  return isValid ? inventory : null;
}

/** A remote has no `@` in its name, and a ref may have one. */
function gitInventory(text: string): object {
  const at = text.lastIndexOf('@');
  const ref = at === -1 ? text : text.slice(0, at);
  return {
    git: { ...(ref === '' ? {} : { ref }), ...(at === -1 ? {} : { remote: text.slice(at + 1) }) },
  };
}
