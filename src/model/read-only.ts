import { type Problem, problem } from './diagnostic.js';

const NAME = 'ROSTER_READ_ONLY';

/** Whether nothing may be written to the service, the inventory or its lock. */
export function isReadOnly(env: Readonly<Record<string, string | undefined>>): boolean {
  return !['', '0', 'false'].includes(env[NAME] ?? '');
}

export function readOnlyRefusal(): Problem {
  return problem(
    'read-only',
    `this command can change the service or the inventory, and ${NAME} is set: nothing was changed`,
    `\`roster plan\` shows what an apply would do. To allow changes, unset ${NAME}.`,
  );
}
