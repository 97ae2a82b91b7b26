import { problem } from '../model/diagnostic.js';
import { urlFault } from '../model/service-url.js';

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
