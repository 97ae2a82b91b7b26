import { problem } from '../model/diagnostic.js';
import { isApiKey } from '../model/key-prefix.js';

/**
 * Checks the text of ROSTER_API_KEY (interface §5.3), or of the file that `name` is about, and removes the one newline
 * that files and secret stores add. Throws Problem `missing-setting`, which never shows the text.
 */
export function checkApiKey(text: string, name = 'ROSTER_API_KEY'): string {
  const key = text.replace(/\r?\n$/, '');
  if (isApiKey(key)) return key;
  const help = 'Set it to a key from the dashboard, exactly as shown there.';
  throw problem('missing-setting', `${name} ${wrong(key)}`, help);
}

function wrong(key: string): string {
  if (key === '') return 'is empty';
  if (/["'`]/.test(key)) return 'contains quotes';
  if (/\s/.test(key)) return 'contains spaces or line breaks';
  if (!key.startsWith('svc_live_')) return 'is not an API key: API keys begin with svc_live_';
  return 'contains characters that no API key has, or is too long';
}
