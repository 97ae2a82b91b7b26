import type { Flag } from './flag.js';

/** A command in words and facts. Program, help, docs, man page and completion are made from it; commands.ts says what runs it. */
export interface Definition {
  /** `plan`, or `runs show` for a subcommand. */
  readonly name: string;
  /** For the list of commands: without a period. */
  readonly summary: string;
  /** The first paragraph of the help. Default: the summary. */
  readonly about?: string;
  readonly arguments?: readonly Argument[];
  /** Its own flags. */
  readonly options?: readonly Flag[];
  /** The flags that it has in common with other commands. */
  readonly shared?: readonly Flag[];
  readonly does: Effects;
  /** What an interrupt ends. `steps`: the requests in flight are finished. `service`: it runs until it is interrupted. Default: the process. */
  readonly interruptEnds?: 'steps' | 'service';
  /** What to do after a second interrupt, which finishes nothing. */
  readonly afterStop?: string;
  /** Which page it has in Markdown or HTML. A page about a failure takes its place. */
  readonly page?: 'plan' | 'drift' | 'calendar';
  /** False for a command that prints one thing, and sends no requests that could be logged: it has no `--verbose`. */
  readonly hasDetails?: false;
  /** For a command with subcommands and an address: an address, and the subcommand for a single id. */
  readonly without?: { readonly address: string; readonly withId: string };
  /** The values of `--format`, the default first. */
  readonly formats: readonly ['text', ...string[]];
  /** The only flag that needs the API key, for commands that need none otherwise. */
  readonly keyFor?: string;
  /** Command lines with what they are for. Tests run each of them. */
  readonly examples: readonly (readonly [purpose: string, line: string])[];
  /** What its exit codes mean. */
  readonly exits: Readonly<Record<number, string>>;
  /** The page that says more. */
  readonly docs: string;
}

/** What a command does; tests hold the commands to it. */
export interface Effects {
  /** Changes nothing on the service or in the inventory, and writes only files that its flags name. Gets a session that cannot write. */
  readonly readOnly: boolean;
  /** May delete something that it cannot restore. */
  readonly destructive: boolean;
  /** Sends requests to the service, with the API key. */
  readonly needsKey: boolean;
}

export const offline: Effects = { readOnly: true, destructive: false, needsKey: false };
export const reading: Effects = { readOnly: true, destructive: false, needsKey: true };
export const writing: Effects = { readOnly: false, destructive: false, needsKey: false };
export const deleting: Effects = { readOnly: false, destructive: true, needsKey: false };
export const writingToService: Effects = { readOnly: false, destructive: false, needsKey: true };
export const deletingFromService: Effects = { readOnly: false, destructive: true, needsKey: true };

/** Keeps the types of arguments, flags and formats, from which those of the function that runs it derive. */
export function define<const D extends Definition>(definition: D): D {
  return definition;
}

/** `<id>`, `[id]`, `<ids...>` or `[ids...]`. */
export interface Argument<T extends string = string> {
  readonly term: T;
  readonly text: string;
  /** The values that it can have. The command itself reports any other. */
  readonly values?: readonly string[];
}

export function argument<const T extends string>(
  term: T,
  text: string,
  values?: readonly string[],
): Argument<T> {
  return values === undefined ? { term, text } : { term, text, values };
}

export const addresses = argument(
  '[addresses...]',
  'Addresses or globs, such as `group/retail-prices` or `schedule/*` (default: all resources)',
);

/** What many commands say of an exit code. */
export const elsewhere = 'Refused, for example because the inventory belongs to another service or account';

/** What to do when requests to write were cut off, and when runs were. */
export const again = 'Stopped at once. Run it again: it finishes what was begun.';
export const active = 'Stopped at once. Runs may still be active: `roster runs --state active` lists them.';
