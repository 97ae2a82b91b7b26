import { isApiKey, urlFault } from '../model/connection.js';
import { problem } from '../model/diagnostic.js';
import type { Request } from '../model/request.js';

/**
 * Checks the service's URL before a key is sent there: https, or http on a loopback address; a base path is allowed.
 * Throws Problem `insecure-url`, which shows neither user info nor query.
 * @param env the process's environment, in which certificate checks may be disabled.
 * @param subject how the message names the URL, such as `ROSTER_URL`.
 */
export function serviceUrl(
  text: string,
  env: Readonly<Record<string, string | undefined>> = process.env,
  subject = 'the service URL',
): URL {
  if (env['NODE_TLS_REJECT_UNAUTHORIZED'] === '0') {
    const help = 'Unset it. To trust your own certificate authority, set NODE_EXTRA_CA_CERTS.';
    throw problem('insecure-url', 'NODE_TLS_REJECT_UNAUTHORIZED=0 disables certificate checks', help);
  }
  const fault = urlFault(text);
  if (fault === null) return new URL(text);
  throw problem('insecure-url', `${subject} ${fault}`, 'For example: https://collect.example.com');
}

const segmentGrammar = /^[A-Za-z0-9._~%-]+$/;

/** The path and query to send, below the service's base path. Throws for a path that could leave `/api/`: a bug. */
export function requestPath(base: URL, path: string, query: Request['query'] | null): string {
  const segments = path.split('/').slice(1);
  const isSafe = segments.every((each) => segmentGrammar.test(each) && !/^(\.|%2e){1,2}$/i.test(each));
  if (!path.startsWith('/api/') || !isSafe)
    throw new Error(`not a path of the service: ${JSON.stringify(path)}`);
  const pairs = Object.entries(query ?? {}).map(([name, value]): [string, string] => [name, String(value)]);
  const search = pairs.length === 0 ? '' : `?${new URLSearchParams(pairs)}`;
  return `${base.pathname.replace(/\/+$/, '')}${path}${search}`;
}

/** A request in messages. */
export function subjectOf({ method, path }: Request): string {
  return `${method} ${path}`;
}

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
