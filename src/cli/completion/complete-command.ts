import { projectNames } from '../../engine/outline.js';
import { escapeControls } from '../../view/escape.js';
import type { Command } from '../command/commander.js';
import { exitCode } from '../command/exit.js';
import type { CommandContext } from '../host/host.js';
import { type Completion, complete, type NameSource } from './complete.js';

/**
 * `roster __complete -- WORD…`, which the completion scripts call: a line for each candidate, with its description
 * after a tab, and last `:files` or `:end`. It reads the manifests and nothing else. A mistake in them is not for the
 * middle of a command line: there is nothing to offer then.
 */
export function completeCommand(
  program: Command,
  words: readonly string[],
  { host, output }: CommandContext,
): number {
  const namesFor = (file: string | undefined): NameSource => ({
    addresses: () => projectNames(file, host.cwd).addresses,
    environments: () => projectNames(file, host.cwd).environments,
  });
  output.out(printed(complete(program, words, namesFor)));
  return exitCode.fine;
}

/** Manifests come from anyone: what a shell could take for more than a word is not offered. */
const SAFE_WORD = /^[A-Za-z0-9._/=+-]+$/;

function printed({ candidates, files }: Completion): string {
  const safe = candidates.filter(({ word }) => SAFE_WORD.test(word));
  const lines = safe.map(({ word, description }) => `${word}\t${escapeControls(description)}`);
  return [...lines, files ? ':files' : ':end'].map((line) => `${line}\n`).join('');
}
