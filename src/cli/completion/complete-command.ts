import { projectNames } from '../../engine/outline.js';
import type { Command } from '../command/commander.js';
import { exitCode } from '../command/exit.js';
import type { CommandContext } from '../host/host.js';
import { type Completion, complete, type NameSource } from './complete.js';

/**
 * `roster __complete -- WORD…`, which the completion scripts call: a line for each candidate, with its description
 * after a tab, and last `:files` or `:end`. It reads only the manifests. Errors in them are not reported in the
 * middle of a command line: it offers what it can.
 */
export function completeCommand(
  program: Command,
  words: readonly string[],
  { host, output }: CommandContext,
): number {
  const namesFor = (file: string | undefined): NameSource => ({
    addresses: () => projectNames(file, host.cwd).addresses.filter(isPlain),
    agents: () => projectNames(file, host.cwd).agents.filter(isPlain),
    environments: () => projectNames(file, host.cwd).environments.filter(isPlain),
    variables: () => projectNames(file, host.cwd).variables.filter(isPlain),
  });
  output.out(printed(complete(program, words, namesFor)));
  return exitCode.fine;
}

/** Manifests are not trusted: names that a shell could interpret are not offered. */
function isPlain(name: string): boolean {
  return /^[A-Za-z0-9._/-]+$/.test(name);
}

function printed({ candidates, files }: Completion): string {
  const lines = candidates.map(({ word, description }) => `${word}\t${description}`);
  return [...lines, files ? ':files' : ':end'].map((line) => `${line}\n`).join('');
}
