import { hostname } from 'node:os';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { DiagnosticCode, Place } from '../../model/diagnostic.js';
import { codeAddress } from '../help/page-address.js';
import { type Host, useColor } from './host.js';

/** Where a terminal opens a place, or the page about a code; undefined where links would be noise. */
export type LinkOf = ((target: Place | DiagnosticCode) => string) | undefined;

/** Links (OSC 8) for terminals that are known to have them: others may print them as text. FORCE_HYPERLINK decides first. */
export function linksFor(
  flags: { readonly color?: boolean },
  host: Pick<Host, 'env' | 'cwd'>,
  isTerminal: boolean,
): LinkOf {
  if (!hasLinks(flags, host, isTerminal)) return undefined;
  const isEditor = host.env['TERM_PROGRAM'] === 'vscode';
  return (target) => {
    if (typeof target === 'string') return codeAddress(target);
    const { file, line, column } = target;
    const { pathname } = pathToFileURL(resolve(host.cwd, file));
    if (isEditor) return `vscode://file${pathname}:${line}:${column}`;
    return `file://${hostname()}${pathname}#${line}`;
  };
}

function hasLinks(
  flags: { readonly color?: boolean },
  { env }: Pick<Host, 'env'>,
  terminal: boolean,
): boolean {
  if (!terminal || !useColor(flags, { env }, terminal)) return false;
  const force = env['FORCE_HYPERLINK'] ?? '';
  if (force !== '') return !['0', 'false'].includes(force);
  const isCi = env['CI'] !== undefined;
  return !isCi && (programs.has(env['TERM_PROGRAM'] ?? '') || signs.some((sign) => sign(env)));
}

const programs: ReadonlySet<string> = new Set(['iTerm.app', 'WezTerm', 'vscode', 'ghostty', 'Hyper', 'rio']);

const signs: readonly ((env: Host['env']) => boolean)[] = [
  // Windows Terminal, Konsole and kitty.
  (env) => env['WT_SESSION'] !== undefined || env['KONSOLE_VERSION'] !== undefined,
  (env) => ['xterm-kitty', 'alacritty', 'foot'].includes(env['TERM'] ?? ''),
  // GNOME Terminal and other terminals of the same library, since 0.50.
  (env) => Number(env['VTE_VERSION'] ?? 0) >= 5000,
];
