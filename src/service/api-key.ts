import { problem } from '../model/diagnostic.js';

/**
 * Checks the text of ROSTER_API_KEY (interface §5.3) and takes off the one newline that files and secret stores add.
 * Throws Problem `missing-setting`, which never shows the text.
 */
export function checkApiKey(text: string): string {
  const key = text.replace(/\r?\n$/, '');
  if (/^svc_live_[\x21-\x7e]+$/.test(key) && !/["'`]/.test(key)) return key;
  throw problem(
    'missing-setting',
    `ROSTER_API_KEY ${wrong(key)}`,
    'Set it to a key made in the dashboard, as it was shown.',
  );
}

function wrong(key: string): string {
  if (key === '') return 'is empty';
  if (/["'`]/.test(key)) return 'holds quotes';
  if (/\s/.test(key)) return 'holds spaces or line breaks';
  if (!key.startsWith('svc_live_')) return 'is not an API key: those begin with svc_live_';
  return 'holds characters that no API key has';
}
