import { problem } from '../model/diagnostic.js';

/**
 * Checks the text of ROSTER_API_KEY (interface §5.3) and removes the one newline that files and secret stores add.
 * Throws Problem `missing-setting`, which never shows the text.
 */
export function checkApiKey(text: string): string {
  const key = text.replace(/\r?\n$/, '');
  if (/^svc_live_[\x21-\x7e]+$/.test(key) && !/["'`]/.test(key)) return key;
  const help = 'Set it to a key from the dashboard, exactly as shown there.';
  throw problem('missing-setting', `ROSTER_API_KEY ${wrong(key)}`, help);
}

function wrong(key: string): string {
  if (key === '') return 'is empty';
  if (/["'`]/.test(key)) return 'contains quotes';
  if (/\s/.test(key)) return 'contains spaces or line breaks';
  if (!key.startsWith('svc_live_')) return 'is not an API key: API keys begin with svc_live_';
  return 'contains characters that no API key has';
}
