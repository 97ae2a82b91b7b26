import { problem } from '../model/diagnostic.js';
import { findApiKeys } from '../redact/api-keys.js';

/** Checks a flag whose value is written to files. Throws a Problem if it contains what looks like a whole API key. */
export function refusePastedKey(flag: string, value: string | undefined): void {
  if (value === undefined || findApiKeys(value).length === 0) return;
  const help = 'roster reads its key from `ROSTER_API_KEY`, or from the file `ROSTER_API_KEY_FILE`.';
  throw problem('unsafe-text', `${flag}: this looks like an API key, which must not be in a file`, help);
}
