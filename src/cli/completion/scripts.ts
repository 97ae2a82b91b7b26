import bash from './scripts/roster.bash?raw';
import fish from './scripts/roster.fish?raw';
import zsh from './scripts/roster.zsh?raw';

/**
 * The completion scripts. They pass the words of the command line to `roster __complete`, so that they need not change
 * with the commands. They run the `roster` on the PATH, never a program that the line names: Tab must not run what
 * somebody has only typed. Candidates are never expanded by the shell.
 */
export const completionScripts: Readonly<Record<string, string>> = { bash, zsh, fish };
