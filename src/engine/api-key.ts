import { resolve } from 'node:path';
import { readRegular } from '../files/atomic.js';
import { isPrivate } from '../files/secret-file.js';
import { type Diagnostic, problem } from '../model/diagnostic.js';
import { checkApiKey } from '../service/url.js';

export interface GivenKey {
  readonly key: string;
  readonly warnings: readonly Diagnostic[];
}

/** The only two ways to give the key (contract §6). Throws a Problem, which never shows it. */
export function apiKeyOf(env: Readonly<Record<string, string | undefined>>, cwd: string): GivenKey {
  const [key, file] = [env['ROSTER_API_KEY'] ?? '', env['ROSTER_API_KEY_FILE'] ?? ''];
  if (key !== '' && file !== '') {
    const message = '`ROSTER_API_KEY` and `ROSTER_API_KEY_FILE` are both set';
    throw problem('usage', message, 'Unset one of them.');
  }
  if (file !== '') return keyInFile(resolve(cwd, file), file);
  if (key !== '') return { key: checkApiKey(key), warnings: [] };
  const help =
    'Set it to an API key of the service, or set `ROSTER_API_KEY_FILE` to a file that contains one. There is no flag for the API key.';
  throw problem('missing-setting', '`ROSTER_API_KEY` is not set', help);
}

function keyInFile(path: string, file: string): GivenKey {
  const text = readRegular(path, `${file}, the file of ROSTER_API_KEY_FILE`);
  if (text === null)
    throw problem(
      'unreadable-file',
      `\`ROSTER_API_KEY_FILE\` names ${file}, which does not exist`,
      'Set it to a file that contains an API key.',
    );
  const key = checkApiKey(text, 'the file of ROSTER_API_KEY_FILE');
  return { key, warnings: isPrivate(path) ? [] : [readableByOthers(file)] };
}

function readableByOthers(file: string): Diagnostic {
  const message = `${file}, which holds the API key, can be read by other users`;
  const help = `Run \`chmod 600 ${file}\`.`;
  return { severity: 'warning', code: 'unreadable-file', message, help };
}
