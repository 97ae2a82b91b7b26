import { maskValues } from '../redact/mask.js';
import { limits } from './limits.js';

/** A help that lists what is known may list very much. */
export function short(help: string | undefined): string | undefined {
  return help === undefined || help.length <= limits.help ? help : `${help.slice(0, limits.help - 1)}…`;
}

/** What a kind says about a value from the environment may hold it in any spelling, so none of it is repeated. */
export function redact(
  message: string,
  help: string | undefined,
  path: readonly (string | number)[],
  sensitive: readonly string[],
  secrets: ReadonlySet<string>,
): { message: string; help: string | undefined } {
  const field = path[0];
  if (sensitive.length > 0 && (field === undefined || sensitive.includes(String(field)))) {
    const subject = field === undefined ? 'this entry' : `\`${field}\``;
    const hidden = `${subject} is not valid with the value that it has from the environment`;
    return { message: hidden, help: 'The value is not shown. Check the environment variable.' };
  }
  return {
    message: maskValues(message, secrets),
    help: help === undefined ? undefined : maskValues(help, secrets),
  };
}
