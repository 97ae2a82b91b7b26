import type { Span } from '../../yaml/source.js';
import { quoted } from '../../yaml/text.js';
import { type Entry, scalarNode } from '../../yaml/tree.js';

/** The variables that need no declaration. No declared one has a dot in its name. */
export const ENVIRONMENT_VARIABLE = 'roster.environment';
const PROJECT_VARIABLE = 'roster.project';

export function isBuiltIn(name: string): boolean {
  return name === ENVIRONMENT_VARIABLE || name === PROJECT_VARIABLE;
}

/** `${roster.environment}` has no value where no environment is selected. */
export function builtIns(
  start: Span,
  project: Entry | undefined,
  environment: string | null,
): ReadonlyMap<string, Entry> {
  const found = new Map<string, Entry>();
  if (project !== undefined) found.set(PROJECT_VARIABLE, project);
  if (environment !== null) {
    const key = { ...start, text: ENVIRONMENT_VARIABLE };
    found.set(ENVIRONMENT_VARIABLE, { key, value: scalarNode(start, environment) });
  }
  return found;
}

/** Where `${roster.environment}` has no value: the message and the help. */
export function noEnvironment(written: string): readonly [message: string, help: string] {
  const message = `${quoted(written)} has no value, because no environment is selected`;
  return [message, 'Select an environment with `-e` or `ROSTER_ENV`.'];
}
