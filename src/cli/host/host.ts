import type { ClockOptions } from '../../engine/clock.js';
import type { ProjectOptions } from '../../engine/project.js';
import type { Output } from './output.js';

/** The parts of the process that commands use, so that tests can replace them. */
export interface Host extends ClockOptions {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Where policies from outside are looked for. Default: relative to `cwd`. */
  readonly policiesFrom?: ProjectOptions['policiesFrom'];
  readonly stdinIsTerminal: boolean;
  readonly stderrIsTerminal: boolean;
  readonly stdoutIsTerminal: boolean;
  /** The width of the terminal; null without one. */
  readonly columns: number | null;
  readonly rows: number | null;
}

export interface CommandContext {
  readonly host: Host;
  readonly output: Output;
  /** Fires with the first signal: the run should end. The second signal ends it at once. */
  readonly signal: AbortSignal;
  /** Resolves when the process should stop. */
  readonly stopped: Promise<void>;
}

/** Columns where there is no terminal. */
export const defaultWidth = 80;

export function useColor(
  { color }: { readonly color?: boolean },
  { env }: Pick<Host, 'env'>,
  terminal: boolean,
): boolean {
  if (color === false || (env['NO_COLOR'] ?? '') !== '') return false;
  const force = env['FORCE_COLOR'] ?? '';
  if (force !== '') return !['0', 'false'].includes(force);
  return terminal && env['TERM'] !== 'dumb';
}
